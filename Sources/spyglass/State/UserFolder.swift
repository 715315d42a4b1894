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
    func read(_ name: String) throws(Failure) -> [UInt8]? {
        do { return try bytes(of: name, limit: Self.byteLimit) } catch {
            throw Failure(.unavailable, "\(path(of: name)): \(error.reason)")
        }
    }

    func bytes(of name: String, limit: Int) throws(FileError) -> [UInt8]? {
        do { return try Folder.working.read(path(of: name), limit: limit) } catch {
            guard [ENOENT, ENOTDIR].contains(error.code) else { throw error }
            return nil
        }
    }
}
