internal import Glibc

/// A folder of its own for one test, removed with everything in it at the end.
///
///     let folder = try TemporaryFolder()
///     try folder.write("index.jsonl", "{}")
public final class TemporaryFolder: Sendable {
    /// Its absolute path, without a slash at the end.
    public let path: String

    /// A file could not be made or read.
    public struct FileError: Error, CustomStringConvertible {
        /// The file and the system's message.
        public let description: String

        init(_ path: String) { description = "\(path): \(String(cString: strerror(errno)))" }
    }

    /// Makes an empty folder below `TMPDIR`.
    public init() throws {
        let root = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(root)/spyglass-test-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw FileError(root) }
        path = String(cString: made)
    }

    deinit { Self.remove(path) }

    /// The absolute path of something in it.
    public func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, making the folders on the way to it.
    public func write(_ name: String, _ bytes: [UInt8]) throws {
        makeFolders(for: name)
        guard let file = fopen(path(name), "w") else { throw FileError(name) }
        defer { fclose(file) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw FileError(name) }
    }

    /// Writes a sparse file of `byteCount` bytes: after its first ones, zeros that take no space.
    public func write(_ name: String, _ start: [UInt8], byteCount: Int) throws {
        try write(name, start)
        guard truncate(path(name), byteCount) == 0 else { throw FileError(name) }
    }

    /// Writes a file of text.
    public func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

    /// The bytes of a file.
    public func read(_ name: String) throws -> [UInt8] {
        guard let file = fopen(path(name), "r") else { throw FileError(name) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 << 10)
        while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part[..<count] }
        guard ferror(file) == 0 else { throw FileError(name) }
        return bytes
    }

    /// A file's text.
    public func text(_ name: String) throws -> String { String(decoding: try read(name), as: UTF8.self) }

    /// Makes a symbolic link to `target`, which need not exist.
    public func link(_ name: String, to target: String) throws {
        makeFolders(for: name)
        guard symlink(target, path(name)) == 0 else { throw FileError(name) }
    }

    /// Makes a named pipe, which would make a careless reader wait for ever.
    public func pipe(_ name: String) throws {
        guard mkfifo(path(name), 0o600) == 0 else { throw FileError(name) }
    }

    /// The paths of all files in it, sorted, relative to it.
    public var files: [String] { Self.entries(path).flatMap { Self.files(path, $0) }.sorted() }

    private func makeFolders(for name: String) {
        let parts = name.split(separator: "/")
        for count in parts.indices.dropFirst() { mkdir(path(parts[..<count].joined(separator: "/")), 0o755) }
    }

    private static func files(_ root: String, _ name: String) -> [String] {
        let below = entries("\(root)/\(name)")
        return isFolder("\(root)/\(name)") ? below.flatMap { files(root, "\(name)/\($0)") } : [name]
    }

    private static func remove(_ path: String) {
        guard isFolder(path) else {
            unlink(path)
            return
        }
        for name in entries(path) { remove("\(path)/\(name)") }
        rmdir(path)
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func entries(_ path: String) -> [String] { isFolder(path) ? TestData.names(in: path) : [] }
}
