// swift-tools-version: 6.2
import PackageDescription

/// Programs that use the library, each in its own folder.
func program(_ name: String, in folder: String, imports others: [Target.Dependency] = []) -> Target {
    .executableTarget(
        name: name, dependencies: [.product(name: "SpyglassKit", package: "spyglass")] + others,
        path: folder, sources: ["main.swift"])
}

let package = Package(
    name: "library-sample",
    dependencies: [
        // The name is stated, so that the folder of a clone may have any.
        .package(name: "spyglass", path: "../..")
    ],
    targets: [
        program("thumbnail", in: "thumbnail"),
        program("terminal", in: "terminal"),
        program("formats", in: "formats"),
        program("server", in: "server", imports: [.product(name: "SpyglassThreads", package: "spyglass")]),
    ],
    swiftLanguageModes: [.v6]
)
