internal import SpyglassFiles

/// A tar file of an earlier run, whose samples are used again if they are up to date; thread-safe.
final class PackedTar: Sendable {
    struct Sample: Hashable, Sendable {
        /// All its members, with their headers.
        var range: Range<Int>
        /// The bytes of members by what follows the key and a dot: `jpg`, `320.jpg`, `json`.
        var members: [String: Range<Int>]
    }

    private let file: FileDescriptor
    private let samples: [String: Sample]
    /// Where the last sample ends.
    let dataEnd: Int
    /// Whether nothing but the end follows, as this program writes it.
    let isWhole: Bool

    /// Reads all headers; what follows a damaged one does not count.
    init(_ file: consuming FileDescriptor) throws(FileError) {
        let byteCount = try file.status.byteCount
        var samples: [String: Sample] = [:]
        var last = ""
        var offset = 0
        while let header = Tar.header(try file.bytes(Tar.blockBytes, at: offset)), header.layout != nil,
            let dot = header.name.firstIndex(of: "."),
            Tar.padded(header.byteCount) <= byteCount - offset - Tar.blockBytes
        {
            let key = String(header.name[..<dot])
            let name = String(header.name[dot...].dropFirst())
            // The members of a sample follow each other, each once.
            guard key == last ? samples[key]?.members[name] == nil : samples[key] == nil else { break }
            let start = offset + Tar.blockBytes
            offset = start + Tar.padded(header.byteCount)
            samples[key, default: Sample(range: start - Tar.blockBytes..<offset, members: [:])].range =
                (samples[key]?.range.lowerBound ?? start - Tar.blockBytes)..<offset
            samples[key]?.members[name] = start..<start + header.byteCount
            last = key
        }
        let end = try file.bytes(Tar.end.count, at: offset)
        isWhole = byteCount == offset + Tar.end.count && end == Tar.end
        dataEnd = offset
        self.samples = samples
        self.file = file
    }

    var isEmpty: Bool { samples.isEmpty }
    var count: Int { samples.count }

    func sample(_ key: String) -> Sample? { samples[key] }

    func bytes(_ range: Range<Int>) throws(FileError) -> [UInt8] {
        let bytes = try file.bytes(range.count, at: range.lowerBound)
        guard bytes.count == range.count else { throw FileError("pread", cause: .truncated) }
        return bytes
    }
}
