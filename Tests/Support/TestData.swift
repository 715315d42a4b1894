import Glibc

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

    /// Whether a file or folder exists.
    public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
