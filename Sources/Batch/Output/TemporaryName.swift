internal import Glibc

/// What a result is called before it has its name: `.spyglass-<pid>-<n>.tmp`.
enum TemporaryName {
    static let start = ".spyglass-"
    private static let end = ".tmp"

    static func of(_ number: UInt64) -> String { "\(start)\(getpid())-\(number)\(end)" }

    /// The process that made a file, by its name; `nil` where the name is none of ours.
    static func process(of name: String) -> pid_t? {
        guard name.hasPrefix(start), name.hasSuffix(end), name.utf8.count > start.utf8.count + end.utf8.count else {
            return nil
        }
        let parts = name.dropFirst(start.count).dropLast(end.count).split(
            separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let process = pid_t(parts[0]), process > 0, UInt64(parts[1]) != nil else { return nil }
        return process
    }
}
