import Glibc
import SpyglassTestSupport
import Testing

/// A stored text that test results are compared with.
///
/// `SPYGLASS_RENEW_FRAMES=1` rewrites the files; review the difference before committing.
enum GoldenFile {
    private static let folder = "\(TestData.root)/Tests/Browser/Frames"

    static func expect(_ text: String, name: String) throws {
        let path = "\(folder)/\(name).txt"
        if getenv("SPYGLASS_RENEW_FRAMES") != nil {
            try write(text, to: path)
            return
        }
        let wanted = read(path)
        guard wanted != text else { return }
        let drawn = "/tmp/spyglass-frames-\(getpid())"
        mkdir(drawn, 0o755)
        try write(text, to: "\(drawn)/\(name).txt")
        Issue.record("\(name) has changed; it is now \(drawn)/\(name).txt\n\(difference(wanted ?? "", text))")
    }

    /// The first different lines.
    private static func difference(_ wanted: String, _ drawn: String) -> String {
        let old = wanted.split(separator: "\n", omittingEmptySubsequences: false)
        let new = drawn.split(separator: "\n", omittingEmptySubsequences: false)
        var lines: [String] = []
        for at in 0..<max(old.count, new.count) where lines.count < 40 {
            let one = at < old.count ? old[at] : ""
            let other = at < new.count ? new[at] : ""
            if one != other { lines += ["\(at + 1) - \(one)", "\(at + 1) + \(other)"] }
        }
        return lines.joined(separator: "\n")
    }

    private static func read(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 << 10)
        while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func write(_ text: String, to path: String) throws {
        let file = try #require(fopen(path, "w"), "cannot write \(path)")
        defer { fclose(file) }
        let bytes = Array(text.utf8)
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }
}
