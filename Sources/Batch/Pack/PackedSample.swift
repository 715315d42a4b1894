internal import SpyglassJSON
internal import SpyglassPixels

/// Where an item's results go in a tar file.
struct PackSlot: Sendable {
    /// The name of the tar file; `nil` on standard output.
    var tar: String?
    let key: String
    let layout: Tar.Layout
    /// The tar file as an earlier run left it.
    var old: PackedTar?
    /// Whether the image is written alone, without a tar file.
    var isPlain = false

    func path(_ member: String) -> String { tar.map { "\($0)/\(member)" } ?? member }
}

/// The part of an item in its tar file.
enum PackedItem: Sendable {
    case nothing
    /// Nothing now; this range of the old tar file has its sample, which is out of date.
    case stale(Range<Int>)
    /// A range of the old tar file.
    case kept(Range<Int>)
    /// Members with their headers.
    case made([UInt8])
}

extension PackSlot {
    /// The members of a sample: its images, `KEY.json`, and `KEY.txt` with a caption; or the image alone.
    func sample(_ files: [(name: String, bytes: [UInt8])], _ report: ItemReport, caption: String?) -> [UInt8] {
        guard !isPlain else { return files.first?.bytes ?? [] }
        var tar: [UInt8] = []
        for file in files { Tar.append(file.bytes, as: file.name, layout, to: &tar) }
        Tar.append(Array(json(files.map(\.name), report).utf8), as: "\(key).json", layout, to: &tar)
        if let caption { Tar.append(Array(caption.utf8), as: "\(key).txt", layout, to: &tar) }
        return tar
    }

    private func json(_ names: [String], _ report: ItemReport) -> String {
        let images = zip(names, report.outputs).map { name, output in
            JSONText.object([
                ("member", JSONText.string(name)), ("width", JSONText.number(output.size?.width)),
                ("height", JSONText.number(output.size?.height)),
            ])
        }
        return JSONText.object([
            ("id", JSONText.string(report.id)), ("source", JSONText.string(report.shownSource)),
            ("width", JSONText.number(report.source?.size.width)),
            ("height", JSONText.number(report.source?.size.height)), ("hash", JSONText.string(report.hash)),
            ("images", JSONText.array(images)), ("license", JSONText.string(report.rights.license)),
            ("license_url", JSONText.string(report.rights.licenseURL)),
            ("credit", JSONText.string(report.rights.credit)), ("columns", ItemReport.json(report.columns)),
        ])
    }
}
