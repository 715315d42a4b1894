internal import Glibc
internal import SpyglassFiles
internal import SpyglassJSON

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

    /// The interval between attempts to lock, in milliseconds.
    private static let pause: Int32 = 2
    /// Errors that last until the file makes way; after any other the next attempt may succeed.
    private static let lasting = [FileError.Cause.tooLarge, .notRegularFile, .system(EACCES), .system(ELOOP)]

    /// The object of a file; `nil` if it is missing.
    func read(_ file: StateFile) throws(Failure) -> JSONValue? {
        let problem: String
        do throws(FileError) {
            let (object, damage) = try contents(of: file)
            guard let damage else { return object }
            problem = damage
        } catch {
            problem = error.reason
        }
        throw Failure(.unavailable, "\(folder.path(of: file.name)): \(problem); ignored")
    }

    /// Changes a file under the folder's lock and waits until it is on the disk; `nil` is a missing file, before and after.
    ///
    /// Follows a link. A damaged file counts as missing, and is renamed to `NAME.damaged`, or `NAME.damaged-2` and so on.
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
            // The link to a damaged file makes way, not the file.
            let target = damage == nil ? Folder.resolved(path) : path
            try Folder.writeFile(target, bytes, permissions: 0o600, isDurable: true) { () throws(FileError) in
                if let damage { try setAside(path, damage) }
            }
        } catch {
            throw Failure(.unavailable, "\(path): \(error.reason)")
        }
    }

    func contains(_ file: StateFile) -> Bool { (try? Folder.working.status(of: folder.path(of: file.name))) != nil }

    /// Creates the folder for the user alone (0700), and locks it until it is closed.
    ///
    /// Refuses a folder of another user, whose links could lead root to any file.
    private func lock() throws(FileError) -> Folder {
        try Folder.create(folder.path, permissions: 0o700)
        for followsLinks in [false, true] {
            let owner = try Folder.working.status(of: folder.path, followingLinks: followsLinks).owner
            guard [geteuid(), 0].contains(owner) else { throw FileError("openat", cause: .foreign) }
        }
        let opened = try Folder(opening: folder.path)
        let end = ContinuousClock.now + timeout
        while opened.descriptor.lock() == .isHeldElsewhere {
            guard ContinuousClock.now < end else { throw FileError("flock", cause: .locked) }
            poll(nil, 0, Self.pause)
        }
        return opened
    }

    /// Neither an object nor damage: the file is missing.
    private func contents(of file: StateFile) throws(FileError) -> (object: JSONValue?, damage: String?) {
        let bytes: [UInt8]
        do throws(FileError) {
            guard let found = try folder.bytes(of: file.name, limit: file.byteLimit) else { return (nil, nil) }
            bytes = found
        } catch {
            guard Self.lasting.contains(error.cause) else { throw error }
            return (nil, error.reason)
        }
        // The parser would replace the wrong bytes.
        guard String(validating: bytes, as: UTF8.self) != nil else { return (nil, "not UTF-8") }
        do throws(JSONError) {
            let object = try JSONValue(parsing: bytes)
            guard case .object = object else { return (nil, "not a JSON object") }
            guard let name = file.list, let list = object[name] else { return (object, nil) }
            guard case .array = list else { return (nil, "no \(name) in a form that this version reads") }
            return (object, nil)
        } catch {
            return (nil, "\(error) at byte \(error.offset)")
        }
    }

    private func setAside(_ path: String, _ reason: String) throws(FileError) {
        var suffix = ".damaged"
        var number = 1
        while try !Folder.working.renameIfAbsent(path, to: path + suffix) {
            number += 1
            suffix = ".damaged-\(number)"
        }
        report("kept the damaged file as \(path)\(suffix): \(reason)")
    }
}
