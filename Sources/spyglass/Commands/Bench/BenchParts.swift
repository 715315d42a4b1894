import SpyglassCatalog
import SpyglassBench
import SpyglassFiles

/// The parts that `bench` measures, by its first operand.
struct BenchParts: Sendable {
    let parts: [BenchPart]

    private static let all = "all"

    static var names: [String] { BenchPart.allCases.map(\.rawValue) + [all] }

    /// `all` includes every part but `fetch`.
    init(_ operand: Argument?) throws(Failure) {
        let alternatives = ValueText.alternatives(Self.names)
        guard let name = operand?.text else { throw .usage("bench needs a part: \(alternatives)") }
        if name == Self.all {
            parts = BenchPart.allCases.filter { $0 != .fetch }
        } else if let part = BenchPart(rawValue: name) {
            parts = [part]
        } else {
            let advice = EditDistance.suggestion(for: name, among: Self.names) ?? "expected \(alternatives)"
            throw .usage("unknown bench part \(name); \(advice)")
        }
    }
}

extension SavedReport {
    /// Maximum bytes of a saved report; one has some 10 KB.
    private static let byteLimit = 4 << 20

    init(path: String) throws(Failure) {
        let bytes: [UInt8]
        do throws(FileError) { bytes = try Folder.working.read(path, limit: Self.byteLimit) } catch {
            throw Failure(error)
        }
        do throws(BenchError) { try self.init(parsing: bytes) } catch { throw .usage("\(path): \(error)") }
    }
}
