internal import Glibc
internal import SpyglassFiles

/// The user's folder for settings, state or the disk cache (XDG Base Directory Specification).
struct UserFolder: Hashable, Sendable {
    let path: String
    /// The variable that it comes from.
    let evidence: String

    /// Maximum bytes of a file; a few hundred searches take a hundredth of it.
    static let byteLimit = 256 << 10

    /// Settings: `$XDG_CONFIG_HOME/spyglass`, else `~/.config/spyglass`.
    static func settings(in environment: Environment) -> UserFolder? {
        folder("XDG_CONFIG_HOME", or: ".config", in: environment)
    }

    /// State between runs: `$XDG_STATE_HOME/spyglass`, else `~/.local/state/spyglass`.
    static func state(in environment: Environment) -> UserFolder? {
        folder("XDG_STATE_HOME", or: ".local/state", in: environment)
    }

    /// The disk cache: `$XDG_CACHE_HOME/spyglass`, else `~/.cache/spyglass`.
    static func cache(in environment: Environment) -> UserFolder? {
        folder("XDG_CACHE_HOME", or: ".cache", in: environment)
    }

    /// Relative paths in the environment do not count.
    private static func folder(_ variable: String, or folder: String, in environment: Environment) -> UserFolder? {
        if let base = environment[variable], base.hasPrefix("/") {
            return UserFolder(path: "\(base)/spyglass", evidence: variable)
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return UserFolder(path: "\(home)/\(folder)/spyglass", evidence: "HOME")
    }

    func path(of name: String) -> String { "\(path)/\(name)" }

    /// A file's bytes; `nil` if it is missing.
    func read(_ name: String, limit: Int = byteLimit) throws(Failure) -> [UInt8]? {
        do { return try Folder.working.read(path(of: name), limit: limit) } catch {
            switch error.code {
            case ENOENT, ENOTDIR: return nil
            case FileError.tooLarge:
                throw Failure(.unavailable, "\(path(of: name)): larger than \(Values.grouped(limit)) bytes")
            default: throw Failure(.unavailable, "\(path(of: name)): \(error.reason)")
            }
        }
    }

    /// Replaces a file as a whole: readers see the old contents or the new.
    ///
    /// Creates folders (0700) and the file (0600) for the user alone. Follows links, but writes nothing in a folder of another user,
    /// whose links could lead root to any file.
    func write(_ name: String, _ text: String) throws(Failure) {
        let file = Folder.resolved(path(of: name))
        do throws(FileError) {
            try Folder.create(path, permissions: 0o700)
            for followsLinks in [false, true] {
                let owner = try Folder.working.status(of: path, followingLinks: followsLinks).owner
                guard [geteuid(), 0].contains(owner) else { throw FileError("openat", path, code: FileError.foreign) }
            }
            try Folder.writeFile(file, Array(text.utf8), permissions: 0o600)
        } catch {
            throw Failure(.unavailable, "\(file): \(error.reason)")
        }
    }

    /// Renames a file to `NAME.damaged`; returns `false`, and does nothing, if that name is taken.
    func setAside(_ name: String) throws(Failure) -> Bool {
        do { return try Folder.working.renameIfAbsent(path(of: name), to: path(of: name + ".damaged")) } catch {
            throw Failure(.unavailable, "\(path(of: name)): \(error.reason)")
        }
    }

    func remove(_ name: String) throws(Failure) {
        do { try Folder.working.remove(path(of: name)) } catch {
            guard [ENOENT, ENOTDIR].contains(error.code) else {
                throw Failure(.unavailable, "\(path(of: name)): \(error.reason)")
            }
        }
    }
}
