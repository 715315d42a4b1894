// swift-tools-version: 6.2
import PackageDescription

/// Programs that use the library, each in its own folder.
func program(_ name: String) -> Target {
    .executableTarget(name: name, dependencies: [.product(name: "SpyglassKit", package: "spyglass")], path: name)
}

let package = Package(
    name: "library-sample",
    dependencies: [
        // The name is stated, so that the folder of a clone may have any.
        .package(name: "spyglass", path: "../..")
    ],
    targets: [
        program("thumbnail"), program("terminal"), program("formats"), program("server"), program("uploads"),
    ],
    swiftLanguageModes: [.v6]
)
