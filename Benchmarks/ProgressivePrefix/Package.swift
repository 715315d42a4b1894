// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that who uses the libraries never sees it. Benchmarks/progressive-prefix builds and runs it.
let package = Package(
    name: "progressive-prefix",
    dependencies: [.package(name: "spyglass", path: "../..")],
    targets: [
        .executableTarget(
            name: "progressive-prefix",
            dependencies: [
                .product(name: "SpyglassCodecs", package: "spyglass"),
                .product(name: "SpyglassPixels", package: "spyglass"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
