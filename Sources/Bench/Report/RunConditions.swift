internal import SpyglassBatch
internal import SpyglassCaching
package import SpyglassFetching
internal import SpyglassJSON

/// How a run was taken: what decides, beside the machine, whether its figures can be held against those of another.
package struct RunConditions: Hashable, Sendable {
    /// `quick` or `usual`.
    package let effort: String
    /// `debug` or `release`.
    package let build: String
    /// What was decoded and resized, in a few words that are the same for the same bytes; `nil` when nothing was.
    package let pictures: String?
    /// What was fetched, the same; `nil` when nothing was.
    package let addresses: String?

    /// Raised whenever the samples, or the work of a figure that keeps its name, become other ones: their figures cannot be compared.
    private static let samplesVersion = 1

    /// - Parameters:
    ///   - isQuick: whether the effort is that of a first look.
    ///   - isDebug: whether the program was built without optimisation.
    ///   - hasImages: whether pictures are measured.
    ///   - files: pictures of the user's own, in any order; `nil` for samples. All their bytes are hashed (XXH64).
    ///   - scale: the sides of samples as a share of their usual ones.
    ///   - addresses: what is fetched, in any order; `nil` when nothing is.
    ///   - connections: how many are fetched at once.
    package init(
        isQuick: Bool, isDebug: Bool, hasImages: Bool = true, files: [SampleFile]?, scale: Double,
        addresses: [WebAddress]? = nil, connections: Int = 0
    ) {
        effort = isQuick ? "quick" : "usual"
        build = isDebug ? "debug" : "release"
        pictures =
            if !hasImages { nil } else if let files {
                "\(Self.count(files.count, "file")), hash \(Self.hash(files.map(\.bytes)))"
            } else {
                "samples \(Self.samplesVersion) at scale \(BenchReport.number(scale))"
            }
        self.addresses = addresses.map { addresses in
            let hash = Self.hash(addresses.map { Array("\($0)".utf8) })
            return "\(Self.count(addresses.count, "address", "addresses")), \(connections) at once, hash \(hash)"
        }
    }

    /// Reads the member `run` of a saved run; `nil` when it is not all there.
    init?(_ value: JSONValue) {
        guard let effort = value["effort"]?.text, let build = value["build"]?.text else { return nil }
        self.effort = effort
        self.build = build
        pictures = value["pictures"]?.text
        addresses = value["addresses"]?.text
    }

    /// The member `run` of the JSON.
    var json: String {
        var members = [("effort", JSONText.string(effort)), ("build", JSONText.string(build))]
        if let pictures { members.append(("pictures", JSONText.string(pictures))) }
        if let addresses { members.append(("addresses", JSONText.string(addresses))) }
        return JSONText.object(members)
    }

    private static func count(_ count: Int, _ one: String, _ many: String? = nil) -> String {
        "\(count) \(count == 1 ? one : many ?? "\(one)s")"
    }

    /// One hash of many contents, whatever their order, in hexadecimal.
    private static func hash(_ contents: [[UInt8]]) -> String {
        let hashes = contents.map { SourceHash.of($0) }.sorted()
        let sum = SourceHash.of(hashes.flatMap { hash in (0..<8).map { UInt8(truncatingIfNeeded: hash >> ($0 * 8)) } })
        return Hex.text(sum)
    }
}
