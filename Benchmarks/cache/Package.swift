// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because it links Foundation, which nothing that is shipped does.
let package = Package(
    name: "cache",
    dependencies: [.package(name: "spyglass", path: "../..")],
    targets: [
        .executableTarget(
            name: "compare-cache", dependencies: [.product(name: "SpyglassCaching", package: "spyglass")],
            path: "Sources")
    ],
    swiftLanguageModes: [.v6]
)
