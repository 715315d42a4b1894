/// A path below the output folder.
package struct OutputName: Hashable, Sendable {
    /// At least one; none is empty, `.` or `..`, or contains a slash.
    package let components: [String]
    package var path: String { components.joined(separator: "/") }
    var folders: ArraySlice<String> { components.dropLast() }
    var file: String { components.last ?? "_" }
}
