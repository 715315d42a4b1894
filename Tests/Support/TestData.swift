import Glibc
@_exported import _StringProcessing

/// The files of tests: the project's fixtures, and recorded data that only some machines have.
public enum TestData {
    /// The root of the package, found from this source file.
    public static let root: String = {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        parts.removeLast(3)
        return parts.joined(separator: "/")
    }()

    /// `Fixtures/NAME` of the project.
    public static func fixture(_ name: String) -> String { "\(root)/Fixtures/\(name)" }

    /// Recorded images and responses next to the project, or `nil` without that folder.
    public static let shared: String? = exists("\(root)/../shared") ? "\(root)/../shared" : nil

    /// The bytes of a file; none if it cannot be read.
    public static func bytes(of path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 << 10)
        while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part[..<count] }
        return bytes
    }

    /// The names in a folder, sorted; none if it cannot be read.
    public static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Whether a file or folder exists.
    public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
