// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "spyglass-fetch-benchmark",
    dependencies: [.package(name: "spyglass", path: "../..")],
    targets: [
        .executableTarget(
            name: "fetch-all",
            dependencies: ["FetchTasks", .product(name: "SpyglassFetching", package: "spyglass")],
            path: "Sources/fetch"),
        // The rival that comes with Swift.
        .executableTarget(name: "session-all", dependencies: ["FetchTasks"], path: "Sources/session"),
        // The floor, in C.
        .executableTarget(name: "bare-all", path: "Sources/bare", linkerSettings: [.linkedLibrary("curl")]),
        .target(name: "FetchTasks", path: "Sources/tasks"),
    ],
    swiftLanguageModes: [.v6]
)
