/// Where a result stands below the output folder.
package struct OutputName: Hashable, Sendable {
    /// Folders and the file's name, at least one; none is empty, `.` or `..`, or holds a slash.
    package let components: [String]

    /// The components joined by `/`: relative to the output folder.
    package var path: String { components.joined(separator: "/") }

    /// A name of components that are safe.
    init(components: [String]) { self.components = components }

    /// The folders above the file.
    var folders: ArraySlice<String> { components.dropLast() }
    /// The file's name in its folder.
    var file: String { components.last ?? "_" }
}
