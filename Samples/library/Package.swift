// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "library-sample",
    dependencies: [
        // The name is stated, so that the folder of a clone may have any.
        .package(name: "spyglass", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "thumbnail", dependencies: [.product(name: "SpyglassKit", package: "spyglass")],
            path: ".", sources: ["main.swift"])
    ],
    swiftLanguageModes: [.v6]
)
