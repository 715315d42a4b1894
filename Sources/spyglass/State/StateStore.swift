import Glibc
import SpyglassFiles
import SpyglassJSON

/// A file of settings or state: a JSON object.
struct StateFile: Sendable {
    let name: String
    /// The member with the list, if the file is for one.
    var list: String?
    var byteLimit = UserFolder.byteLimit
}

/// A folder of settings or state that several processes may change at once.
///
///     let store = StateStore(folder: folder, report: show)
///     try store.change(file) { $0 = ($0 ?? .object([])).setting([("density", .number("3"))]) }
///
/// Readers need no lock: they see a file's old contents or the new.
struct StateStore: Sendable {
    let folder: UserFolder
    /// Maximum time to wait for another process: a stopped one (Ctrl-Z) keeps its lock.
    var timeout = Duration.seconds(1)
    /// Receives a line about each damaged file that was set aside.
    var report: @Sendable (String) -> Void = { _ in }

    /// Shared by all copies.
    private let wait = LockWait()

    /// Errors that last until the file is set aside; after any other the next attempt may succeed.
    private static let lasting = [FileError.Cause.tooLarge, .notRegularFile, .system(EACCES), .system(ELOOP)]

    /// The object of a file; `nil` if it is missing.
    func read(_ file: StateFile) throws(Failure) -> JSONValue? {
        let problem: String
        do throws(FileError) {
            let (object, damage) = try contents(of: file)
            guard let damage else { return object }
            problem = damage
        } catch { problem = error.reason }
        throw Failure(.unavailable, "\(folder.path(of: file.name)): \(problem); ignored")
    }

    /// Changes a file under the folder's lock, and waits until it is on the disk; a missing file is `nil`.
    ///
    /// Follows a link. Treats a damaged file as missing, and renames it to `NAME.damaged`, or `NAME.damaged-2` and so on.
    func change(_ file: StateFile, _ body: (inout JSONValue?) throws(FileError) -> Void) throws(Failure) {
        let path = folder.path(of: file.name)
        do throws(FileError) {
            let locked = try lock()
            defer { withExtendedLifetime(locked) {} }
            let (old, damage) = try contents(of: file)
            var new = old
            try body(&new)
            guard new != old else { return }
            guard let new else { return try Folder.working.remove(path) }
            let bytes = Array("\(JSONText.text(of: new))\n".utf8)
            guard bytes.count <= file.byteLimit else { throw FileError("write", cause: .tooLarge) }
            // The link to a damaged file is set aside, not the file.
            let target = damage == nil ? Folder.resolved(path) : path
            try Folder.writeFile(target, bytes, permissions: 0o600, isDurable: true) { () throws(FileError) in
                if let damage { try setAside(path, damage) }
            }
        } catch { throw Failure(.unavailable, "\(path): \(error.reason)") }
    }

    func contains(_ file: StateFile) -> Bool { (try? Folder.working.status(of: folder.path(of: file.name))) != nil }

    /// Creates the folder for the user alone (0700), and locks it until it is closed.
    private func lock() throws(FileError) -> Folder {
        try Folder.create(folder.path, permissions: 0o700)
        // Links in a folder of another user could lead root to any file.
        for followsLinks in [false, true] {
            let owner = try Folder.working.status(of: folder.path, followingLinks: followsLinks).owner
            guard [geteuid(), 0].contains(owner) else { throw FileError("openat", cause: .foreign) }
        }
        let opened = try Folder(opening: folder.path)
        let isLocked = try wait.retry(for: timeout) { opened.descriptor.lock() != .isHeldElsewhere }
        guard isLocked else { throw FileError("flock", cause: .locked) }
        return opened
    }

    /// A file's object or its damage; neither, if it is missing.
    private func contents(of file: StateFile) throws(FileError) -> (object: JSONValue?, damage: String?) {
        let bytes: [UInt8]
        do throws(FileError) {
            let found = try UserFolder.bytes(at: folder.path(of: file.name), limit: file.byteLimit)
            guard let found else { return (nil, nil) }
            bytes = found
        } catch {
            guard Self.lasting.contains(error.cause) else { throw error }
            return (nil, error.reason)
        }
        // The parser would replace invalid bytes.
        guard String(validating: bytes, as: UTF8.self) != nil else { return (nil, "not UTF-8") }
        let object: JSONValue
        do throws(JSONError) { object = try JSONValue(parsing: bytes) } catch {
            let line = bytes.prefix(error.offset).count { $0 == UInt8(ascii: "\n") } + 1
            return (nil, "\(error) in line \(line)")
        }
        guard case .object = object else { return (nil, "not a JSON object") }
        guard let name = file.list, let list = object[name] else { return (object, nil) }
        guard case .array = list else { return (nil, "no \(name) in a form that this version reads") }
        return (object, nil)
    }

    private func setAside(_ path: String, _ reason: String) throws(FileError) {
        var (target, number) = ("\(path).damaged", 1)
        while try !Folder.working.renameIfAbsent(path, to: target) {
            number += 1
            target = "\(path).damaged-\(number)"
        }
        report("kept the damaged file as \(target): \(reason)")
    }
}

/// The user's folder for settings, state or the disk cache (XDG Base Directory Specification).
struct UserFolder: Hashable, Sendable {
    let path: String
    /// The variable that it comes from.
    let evidence: String

    /// Maximum bytes of a file; a few hundred searches take 1 % of it.
    static let byteLimit = 256 << 10

    /// `$XDG_CONFIG_HOME/spyglass`, else `~/.config/spyglass`.
    static func settings(in environment: Environment) -> UserFolder? {
        folder("XDG_CONFIG_HOME", or: ".config", in: environment)
    }

    /// `$XDG_STATE_HOME/spyglass`, else `~/.local/state/spyglass`: state between runs.
    static func state(in environment: Environment) -> UserFolder? {
        folder("XDG_STATE_HOME", or: ".local/state", in: environment)
    }

    /// `$XDG_CACHE_HOME/spyglass`, else `~/.cache/spyglass`: the disk cache.
    static func cache(in environment: Environment) -> UserFolder? {
        folder("XDG_CACHE_HOME", or: ".cache", in: environment)
    }

    /// Ignores relative paths in the environment.
    private static func folder(_ variable: String, or folder: String, in environment: Environment) -> UserFolder? {
        if let base = environment[variable], base.hasPrefix("/") {
            return UserFolder(path: "\(base)/spyglass", evidence: variable)
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return UserFolder(path: "\(home)/\(folder)/spyglass", evidence: "HOME")
    }

    func path(of name: String) -> String { "\(path)/\(name)" }

    /// A file's bytes; `nil` if it is missing.
    func read(_ name: String) throws(Failure) -> [UInt8]? { try Self.read(path: path(of: name)) }

    static func read(path: String) throws(Failure) -> [UInt8]? {
        do { return try bytes(at: path, limit: byteLimit) } catch {
            throw Failure(.unavailable, "\(path): \(error.reason)")
        }
    }

    static func bytes(at path: String, limit: Int) throws(FileError) -> [UInt8]? {
        do { return try Folder.working.read(path, limit: limit) } catch {
            guard [ENOENT, ENOTDIR].contains(error.code) else { throw error }
            return nil
        }
    }
}
