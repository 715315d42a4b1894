// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target uses the Swift 6 language mode and the upcoming features.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]

/// Targets that loop over few pixels and bytes: `make test` compiles them without optimisation, in a quarter of the time.
let unoptimisedInTests: Set = ["Batch", "Bench", "Browser", "Catalog", "Fetching", "Folders", "Pipeline", "spyglass"]

let unoptimised = settings + [.unsafeFlags(["-Onone"])]

func settings(of target: String) -> [SwiftSetting] {
    Context.environment["SPYGLASS_TEST_BUILD"] != nil && unoptimisedInTests.contains(target) ? unoptimised : settings
}

/// A library target: its prefix makes it unique in a package graph, its folder has the short name.
func library(
    _ name: String, imports dependencies: [Target.Dependency] = [], embeds files: [String] = []
) -> Target {
    .target(
        name: "Spyglass\(name)", dependencies: dependencies, path: "Sources/\(name)",
        resources: files.map { .embedInCode($0) }, swiftSettings: settings(of: name))
}

/// A C module: what Swift cannot do (`longjmp`, variadic calls, run-time loading), without policy.
func cModule(_ name: String, links libraries: [String] = [], uses dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: "Spyglass\(name)", dependencies: dependencies,
        path: "Sources/\(name)",
        cSettings: [.define("_GNU_SOURCE")],
        linkerSettings: libraries.map { .linkedLibrary($0) })
}

/// Tests are compiled without optimisation, to build them sooner; what they test is optimised.
func tests(
    _ name: String, of target: String, imports dependencies: [Target.Dependency] = [], besides files: [String] = []
) -> Target {
    .testTarget(
        name: "Spyglass\(name)Tests",
        dependencies: [.target(name: target), "SpyglassTestSupport"]
            + (target == "SpyglassThreads" ? [] : ["SpyglassThreads"]) + dependencies,
        path: "Tests/\(name)", exclude: files, swiftSettings: unoptimised)
}

let package = Package(
    name: "spyglass",
    products: [
        .executable(name: "spyglass", targets: ["spyglass"]),
        // Everything below with one import.
        .library(name: "SpyglassKit", targets: ["SpyglassKit"]),
        .library(name: "SpyglassFiles", targets: ["SpyglassFiles"]),
        .library(name: "SpyglassThreads", targets: ["SpyglassThreads"]),
        .library(name: "SpyglassPixels", targets: ["SpyglassPixels"]),
        .library(name: "SpyglassCodecs", targets: ["SpyglassCodecs"]),
        .library(name: "SpyglassTerminalUI", targets: ["SpyglassTerminalUI"]),
        .library(name: "SpyglassCaching", targets: ["SpyglassCaching"]),
        .library(name: "SpyglassFetching", targets: ["SpyglassFetching"]),
        .library(name: "SpyglassPipeline", targets: ["SpyglassPipeline"]),
        .library(name: "SpyglassCatalog", targets: ["SpyglassCatalog"]),
    ],
    traits: [
        .trait(name: "Foundation", description: "Images from Data and URL.")
    ],
    targets: [
        // From top to bottom: a target imports only what is below it.
        .executableTarget(
            name: "spyglass",
            dependencies: [
                "SpyglassBench", "SpyglassBrowser", "SpyglassBatch", "SpyglassFolders", "SpyglassCatalog",
                "SpyglassPipeline", "SpyglassFetching", "SpyglassCaching", "SpyglassCodecs", "SpyglassPixels",
                "SpyglassTerminalUI", "SpyglassJSON", "SpyglassSandbox", "SpyglassFiles", "SpyglassThreads",
            ],
            path: "Sources/spyglass", swiftSettings: settings(of: "spyglass")),
        library(
            "Bench",
            imports: [
                "SpyglassBrowser", "SpyglassBatch", "SpyglassCatalog", "SpyglassPipeline", "SpyglassTerminalUI",
                "SpyglassFetching", "SpyglassCaching", "SpyglassCodecs", "SpyglassPixels", "SpyglassJSON",
                "SpyglassFiles", "SpyglassThreads", "SpyglassCBench",
            ]),
        library(
            "Browser",
            imports: [
                "SpyglassBatch", "SpyglassTerminalUI", "SpyglassPipeline", "SpyglassCatalog", "SpyglassFetching",
                "SpyglassCodecs", "SpyglassPixels", "SpyglassJSON", "SpyglassFiles", "SpyglassThreads",
                "SpyglassCTerminal",
            ], embeds: ["App/Theme/dark.json", "App/Theme/light.json", "App/Theme/neutral.json"]),
        library(
            "Batch",
            imports: [
                "SpyglassCatalog", "SpyglassFetching", "SpyglassCaching", "SpyglassCodecs", "SpyglassPixels",
                "SpyglassJSON", "SpyglassSandbox", "SpyglassFiles", "SpyglassThreads",
            ]),
        library(
            "Folders",
            imports: [
                "SpyglassCatalog", "SpyglassCodecs", "SpyglassPixels", "SpyglassFiles", "SpyglassThreads",
            ]),
        library(
            "Kit",
            imports: [
                "SpyglassCatalog", "SpyglassPipeline", "SpyglassTerminalUI", "SpyglassFetching", "SpyglassCaching",
                "SpyglassCodecs", "SpyglassPixels", "SpyglassFiles", "SpyglassThreads",
            ]),
        library("Catalog", imports: ["SpyglassFetching", "SpyglassJSON", "SpyglassFiles", "SpyglassCZlib"]),
        library(
            "Pipeline",
            imports: [
                "SpyglassFetching", "SpyglassCaching", "SpyglassCodecs", "SpyglassPixels", "SpyglassFiles",
                "SpyglassThreads",
            ]),
        library("TerminalUI", imports: ["SpyglassPixels", "SpyglassFiles", "SpyglassThreads", "SpyglassCTerminal"]),
        library(
            "Fetching",
            imports: ["SpyglassCaching", "SpyglassJSON", "SpyglassFiles", "SpyglassThreads", "SpyglassCCurl"]),
        library("Caching", imports: ["SpyglassFiles", "SpyglassThreads", "SpyglassCHash"]),
        library(
            "Codecs",
            imports: [
                "SpyglassPixels", "SpyglassSandbox", "SpyglassFiles", "SpyglassThreads", "SpyglassCJPEG",
                "SpyglassCPNG", "SpyglassCLCMS", "SpyglassCWebP", "SpyglassCTIFF", "SpyglassCHEIF", "SpyglassCAVIF",
                "SpyglassCZlib", "SpyglassCJXL",
            ]),
        library("Pixels"),
        library("JSON"),
        library("Sandbox", imports: ["SpyglassThreads", "SpyglassFiles", "SpyglassCSandbox"]),
        library("Threads", imports: ["SpyglassFiles"]),
        library("Files"),
        cModule("CJPEG", links: ["jpeg"]),
        cModule("CPNG", links: ["png16", "z"]),
        cModule("CZlib", links: ["z"]),
        cModule("CHash"),
        cModule("CLibrary"),
        cModule("CLCMS", uses: ["SpyglassCLibrary"]),
        cModule("CWebP", uses: ["SpyglassCLibrary"]),
        cModule("CTIFF", uses: ["SpyglassCLibrary"]),
        cModule("CHEIF", uses: ["SpyglassCLibrary"]),
        cModule("CAVIF", uses: ["SpyglassCLibrary"]),
        cModule("CJXL", uses: ["SpyglassCLibrary"]),
        cModule("CSandbox"),
        cModule("CCurl", uses: ["SpyglassCLibrary"]),
        cModule("CTerminal"),
        cModule(
            "CBench", links: ["jpeg", "png16"],
            uses: ["SpyglassCLibrary", "SpyglassCWebP", "SpyglassCTIFF", "SpyglassCHEIF", "SpyglassCAVIF"]),

        // What tests share: a manual clock, transports, a loopback server, the paths of fixtures. They start the executables below, but
        // do not depend on them: their modules would wait for the linker, and a build of the tests builds everything.
        .target(
            name: "SpyglassTestSupport", dependencies: ["SpyglassCaching", "SpyglassFetching", "SpyglassThreads"],
            path: "Tests/Support", swiftSettings: unoptimised),
        .executableTarget(
            name: "fixture-server", dependencies: ["SpyglassTestSupport"], path: "Tests/FixtureServer",
            swiftSettings: unoptimised),
        .executableTarget(
            name: "cache-worker", dependencies: ["SpyglassCaching", "SpyglassThreads"], path: "Tests/CacheWorker",
            swiftSettings: unoptimised),
        .executableTarget(
            name: "terminal-worker", dependencies: ["SpyglassPixels", "SpyglassTerminalUI", "SpyglassThreads"],
            path: "Tests/TerminalWorker", swiftSettings: unoptimised),
        .executableTarget(
            name: "decode-worker",
            dependencies: ["SpyglassCodecs", "SpyglassSandbox", "SpyglassFiles", "SpyglassCSandbox"],
            path: "Tests/DecodeWorker", swiftSettings: unoptimised),
        tests("Pixels", of: "SpyglassPixels"),
        tests(
            "Codecs", of: "SpyglassCodecs",
            imports: ["SpyglassPixels", "SpyglassSandbox", "SpyglassFiles"]),
        tests("TerminalUI", of: "SpyglassTerminalUI", imports: ["SpyglassPixels"]),
        tests("JSON", of: "SpyglassJSON"),
        tests("Threads", of: "SpyglassThreads"),
        tests("Files", of: "SpyglassFiles"),
        tests("Caching", of: "SpyglassCaching", imports: ["SpyglassFiles"]),
        tests("Fetching", of: "SpyglassFetching", imports: ["SpyglassCaching", "SpyglassFiles"]),
        tests(
            "Pipeline", of: "SpyglassPipeline",
            imports: ["SpyglassFetching", "SpyglassCaching", "SpyglassCodecs", "SpyglassPixels", "SpyglassFiles"]),
        tests("Kit", of: "SpyglassKit"),
        tests("Catalog", of: "SpyglassCatalog", imports: ["SpyglassFetching", "SpyglassJSON"]),
        tests("Folders", of: "SpyglassFolders", imports: ["SpyglassCatalog", "SpyglassCodecs", "SpyglassFiles"]),
        tests(
            "Browser", of: "SpyglassBrowser",
            imports: [
                "SpyglassTerminalUI", "SpyglassPipeline", "SpyglassCatalog", "SpyglassFetching", "SpyglassCodecs",
                "SpyglassPixels", "SpyglassFiles", "SpyglassJSON",
            ], besides: ["Frames"]),
        tests(
            "Batch", of: "SpyglassBatch",
            imports: [
                "SpyglassFiles",
                "SpyglassCatalog", "SpyglassFetching", "SpyglassCaching", "SpyglassCodecs", "SpyglassPixels",
                "SpyglassJSON",
            ]),
        tests(
            "Bench", of: "SpyglassBench",
            imports: [
                "SpyglassBrowser", "SpyglassCatalog", "SpyglassTerminalUI", "SpyglassFetching", "SpyglassCaching",
                "SpyglassCodecs", "SpyglassPixels", "SpyglassJSON", "SpyglassFiles",
            ]),
        tests(
            "Command", of: "spyglass",
            imports: [
                "SpyglassFiles", "SpyglassFolders",
                "SpyglassBench", "SpyglassBrowser", "SpyglassBatch", "SpyglassCatalog", "SpyglassPipeline",
                "SpyglassFetching", "SpyglassCaching", "SpyglassCodecs", "SpyglassPixels", "SpyglassTerminalUI",
                "SpyglassJSON", "SpyglassSandbox",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// Tests/Fuzz/run builds the targets for libFuzzer, with sanitizers in every module; a test replays the kept corpus.
let fuzzed: [Target.Dependency] = [
    "SpyglassBatch", "SpyglassCatalog", "SpyglassFetching", "SpyglassCaching", "SpyglassCodecs", "SpyglassPixels",
    "SpyglassTerminalUI", "SpyglassThreads",
]
if Context.environment["SPYGLASS_FUZZ"] == nil {
    package.targets.append(
        .testTarget(
            name: "SpyglassFuzzTests", dependencies: fuzzed + ["SpyglassTestSupport"], path: "Tests/Fuzz",
            exclude: ["CFuzzer", "Corpus", "Driver", "make-corpus", "run"], swiftSettings: settings))
} else {
    package.products.append(.executable(name: "fuzz", targets: ["fuzz"]))
    package.targets += [
        .target(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
        .executableTarget(
            name: "fuzz", dependencies: fuzzed + ["CFuzzer"], path: "Tests/Fuzz",
            exclude: ["CFuzzer", "Corpus", "Replay", "Structured", "make-corpus", "run"], swiftSettings: settings),
    ]
}
