// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is built in the Swift 6 language mode with the features of the next one switched on.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]

/// A library target: unique in a user's whole package graph, in a folder that keeps the short name.
func library(_ name: String, imports dependencies: [Target.Dependency] = []) -> Target {
    .target(name: "Spyglass\(name)", dependencies: dependencies, path: "Sources/\(name)", swiftSettings: settings)
}

/// A C door: what Swift cannot do itself (`longjmp`, variadic calls, run-time loading), and no policy.
func door(_ name: String, links libraries: [String] = []) -> Target {
    .target(
        name: "Spyglass\(name)", path: "Sources/\(name)",
        cSettings: [.define("_GNU_SOURCE")],
        linkerSettings: libraries.map { .linkedLibrary($0) })
}

func tests(_ name: String, of target: String, imports dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "Spyglass\(name)Tests",
        dependencies: [.target(name: target), "SpyglassTestSupport", "SpyglassLocks"] + dependencies,
        path: "Tests/\(name)", swiftSettings: settings)
}

let package = Package(
    name: "spyglass",
    products: [
        .executable(name: "spyglass", targets: ["spyglass"]),
        .library(name: "SpyglassPixels", targets: ["SpyglassPixels"]),
        .library(name: "SpyglassCodecs", targets: ["SpyglassCodecs"]),
        .library(name: "SpyglassTerminalUI", targets: ["SpyglassTerminalUI"]),
        .library(name: "SpyglassFetching", targets: ["SpyglassFetching"]),
        .library(name: "SpyglassCatalog", targets: ["SpyglassCatalog"]),
    ],
    targets: [
        // From the top of the house to the bottom: a target imports only what stands below it.
        .executableTarget(
            name: "spyglass",
            dependencies: [
                "SpyglassCatalog", "SpyglassFetching", "SpyglassCodecs", "SpyglassPixels", "SpyglassTerminalUI",
                "SpyglassJSON", "SpyglassLocks",
            ],
            path: "Sources/spyglass", swiftSettings: settings),
        library("Catalog", imports: ["SpyglassFetching", "SpyglassJSON"]),
        library("TerminalUI", imports: ["SpyglassPixels", "SpyglassCTerminal"]),
        library("Fetching", imports: ["SpyglassJSON", "SpyglassLocks", "SpyglassCCurl"]),
        library("Codecs", imports: ["SpyglassPixels", "SpyglassCJPEG", "SpyglassCPNG"]),
        library("Pixels"),
        library("JSON"),
        library("Locks"),
        door("CJPEG", links: ["jpeg"]),
        door("CPNG", links: ["png16"]),
        door("CCurl"),
        door("CTerminal"),

        // What tests share: a clock that tests move, a loopback server, where fixtures and shared data are.
        .target(
            name: "SpyglassTestSupport", dependencies: ["SpyglassFetching", "SpyglassLocks"], path: "Tests/Support",
            swiftSettings: settings),
        .executableTarget(
            name: "fixture-server", dependencies: ["SpyglassTestSupport"], path: "Tests/FixtureServer",
            swiftSettings: settings),
        tests("Pixels", of: "SpyglassPixels"),
        tests("Codecs", of: "SpyglassCodecs", imports: ["SpyglassPixels"]),
        tests("TerminalUI", of: "SpyglassTerminalUI", imports: ["SpyglassPixels"]),
        tests("JSON", of: "SpyglassJSON"),
        tests("Fetching", of: "SpyglassFetching"),
        tests("Catalog", of: "SpyglassCatalog", imports: ["SpyglassFetching", "SpyglassJSON"]),
        tests(
            "Command", of: "spyglass",
            imports: [
                "SpyglassCatalog", "SpyglassFetching", "SpyglassCodecs", "SpyglassPixels", "SpyglassTerminalUI",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
