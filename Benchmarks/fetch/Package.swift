// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "spyglass-fetch-benchmark",
    dependencies: [.package(name: "spyglass", path: "../..")],
    targets: [
        .executableTarget(
            name: "fetch-all",
            dependencies: [.product(name: "SpyglassFetching", package: "spyglass")], path: "Sources/fetch"),
        // The rival that comes with Swift.
        .executableTarget(name: "session-all", path: "Sources/session"),
    ],
    swiftLanguageModes: [.v6]
)
