internal import Glibc
internal import SpyglassFiles

/// A folder whose relative paths cannot lead out of it; links are not followed, calls block.
final class ArchiveFolder: Sendable {
    let path: String
    private let root: Folder

    init(opening path: String) throws(FetchError) {
        self.path = path
        root = try Self.attempt("cannot open the archive \(path.withoutControls)") { () throws(FileError) in
            try Folder(opening: path)
        }
    }

    static func attempt<Value: ~Copyable>(
        _ failure: @autoclosure () -> String, _ body: () throws(FileError) -> Value
    ) throws(FetchError) -> Value {
        do { return try body() } catch { throw FetchError(.unavailable, "\(failure()): \(error.reason)") }
    }

    func shown(_ name: String) -> String { "\(path)/\(name.prefix(200))".withoutControls }

    /// Throws `unavailable` when it is missing, not a regular file or outside; `tooLarge` above `limit` bytes.
    func read(
        _ name: String, limit: Int, mayRead: (Int) -> Bool = { _ in true }
    ) throws(FetchError) -> [UInt8] {
        let folder = try openFolder(of: name)
        do throws(FileError) { return try folder.read(Self.last(name), limit: limit, mayRead: mayRead) } catch {
            guard error.cause != .tooLarge else {
                throw FetchError(
                    .tooLarge, "\(shown(name)) is larger than the limit of \(limit) bytes", exceededLimit: .body)
            }
            throw FetchError(.unavailable, "cannot read \(shown(name)): \(error.reason)")
        }
    }

    func size(of name: String) throws(FetchError) -> Int {
        let folder = try openFolder(of: name)
        return try Self.attempt("cannot read \(shown(name))") { () throws(FileError) in
            try folder.openRegular(Self.last(name)).status.byteCount
        }
    }

    func holds(_ name: String) -> Bool { (try? root.status(of: name)) != nil }

    func isEmpty() throws(FetchError) -> Bool {
        try Self.attempt("cannot read \(path.withoutControls)") { () throws(FileError) in try root.isEmpty }
    }

    func openFile(_ name: String, _ options: OpenOptions) throws(FetchError) -> FileDescriptor {
        try Self.attempt("cannot open \(shown(name))") { () throws(FileError) in try root.open(name, options) }
    }

    /// Complete or not at all; creates the folders on the way.
    func write(_ name: String, _ bytes: [UInt8]) throws(FetchError) {
        let folder = try openFolder(of: name, creating: true)
        try Self.attempt("cannot write \(shown(name))") { () throws(FileError) in
            let temporary = try TemporaryFile.create(in: root)
            do throws(FileError) {
                try temporary.file.write(bytes)
                try root.move(temporary.name, to: Self.last(name), in: folder)
            } catch {
                try? root.remove(temporary.name)
                throw error
            }
        }
    }

    func sweep() { TemporaryFile.sweep(root) }

    private func openFolder(of name: String, creating: Bool = false) throws(FetchError) -> Folder {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.allSatisfy({ !["", ".", ".."].contains($0) && !$0.containsZero }) else {
            throw FetchError(.unavailable, "\(shown(name)) is outside the archive")
        }
        return try Self.attempt("cannot open \(shown(name))") { () throws(FileError) in
            try root.openFolder(parts.dropLast(), creatingWith: creating ? 0o777 : nil)
        }
    }

    private static func last(_ name: String) -> String { name.split(separator: "/").last.map(String.init) ?? name }
}
