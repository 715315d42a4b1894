internal import SpyglassBatch
internal import SpyglassCaching
package import SpyglassFetching
internal import SpyglassJSON

/// How a run was measured: decides whether another can be compared.
package struct RunConditions: Hashable, Sendable {
    /// `quick` or `usual`.
    package let effort: String
    package let build: String
    /// A summary of what was decoded and resized, equal for equal bytes; `nil` when nothing was.
    package let images: String?
    /// A summary of what was fetched, likewise.
    package let addresses: String?

    /// Incremented whenever the samples change, or a benchmark's work under the same name.
    private static let samplesVersion = 1

    package init(
        isQuick: Bool, isDebug: Bool, hasImages: Bool = true, files: [SampleFile]?, scale: Double,
        addresses: [WebAddress]? = nil, connections: Int = 0
    ) {
        effort = isQuick ? "quick" : "usual"
        build = isDebug ? "debug" : "release"
        images =
            if !hasImages { nil } else if let files {
                "\(files.count) \(files.count == 1 ? "file" : "files"), hash \(Self.hash(files.map(\.bytes)))"
            } else {
                "samples \(Self.samplesVersion) at scale \(BenchReport.number(scale))"
            }
        self.addresses = addresses.map { addresses in
            let hash = Self.hash(addresses.map { Array("\($0)".utf8) })
            let noun = addresses.count == 1 ? "address" : "addresses"
            return "\(addresses.count) \(noun), \(connections) at once, hash \(hash)"
        }
    }

    /// Reads the member `run` of a saved report; `nil` when it is incomplete.
    init?(_ value: JSONValue) {
        guard let effort = value["effort"]?.text, let build = value["build"]?.text else { return nil }
        self.effort = effort
        self.build = build
        images = value["pictures"]?.text
        addresses = value["addresses"]?.text
    }

    var json: String {
        var members = [("effort", JSONText.string(effort)), ("build", JSONText.string(build))]
        if let images { members.append(("pictures", JSONText.string(images))) }
        if let addresses { members.append(("addresses", JSONText.string(addresses))) }
        return JSONText.object(members)
    }

    /// A hash of contents in any order, in hexadecimal.
    private static func hash(_ contents: [[UInt8]]) -> String {
        let hashes = contents.map { SourceHash.of($0) }.sorted()
        let sum = SourceHash.of(hashes.flatMap { hash in (0..<8).map { UInt8(truncatingIfNeeded: hash >> ($0 * 8)) } })
        return Hex.text(sum)
    }
}
