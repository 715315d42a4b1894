// swift-tools-version: 6.2
import PackageDescription

// A separate package, invisible to users of the libraries. `make fuzz` builds it with the sanitizers, which must be
// compiled into the libraries, too: they are flags of the build, not of a target.
func target(_ name: String, drives products: String...) -> Target {
    .executableTarget(name: name, dependencies: ["Fuzzing"] + products.map { .product(name: $0, package: "spyglass") })
}

let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "spyglass", path: "../..")],
    targets: [
        .target(name: "CFuzzer"),
        .target(name: "Fuzzing", dependencies: ["CFuzzer"]),
        target("FuzzJPEG", drives: "SpyglassCodecs", "SpyglassPixels"),
        target("FuzzPNG", drives: "SpyglassCodecs", "SpyglassPixels"),
        target("FuzzMetadata", drives: "SpyglassCodecs"),
        target("FuzzProfile", drives: "SpyglassCodecs", "SpyglassPixels"),
        target("FuzzAnswers", drives: "SpyglassCatalog", "SpyglassFetching"),
        target("FuzzCacheEntry", drives: "SpyglassCaching"),
        target("FuzzText", drives: "SpyglassTerminalUI"),
        target("FuzzInput", drives: "SpyglassTerminalUI"),
    ],
    swiftLanguageModes: [.v6]
)
