// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "library-sample",
    dependencies: [
        // The name, so that a clone may lie in a folder of any name.
        .package(name: "spyglass", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "thumbnail",
            dependencies: [
                .product(name: "SpyglassPipeline", package: "spyglass"),
                .product(name: "SpyglassFetching", package: "spyglass"),
                .product(name: "SpyglassPixels", package: "spyglass"),
                .product(name: "SpyglassTerminalUI", package: "spyglass"),
            ],
            path: ".", sources: ["main.swift"])
    ],
    swiftLanguageModes: [.v6]
)
