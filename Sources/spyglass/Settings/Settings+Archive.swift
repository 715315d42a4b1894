internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassTerminalUI

extension Settings {
    /// The failure when an archive lacks a search; only another command line helps.
    func missing(
        _ query: PhotoQuery, at start: PhotoStart, from archive: ArchiveTransport?, _ error: FetchError
    ) async -> Failure {
        .usage(await absence(query, at: start, from: archive, error).line)
    }

    /// Why an archive lacks a search, and the searches that it holds.
    func absence(
        _ query: PhotoQuery, at start: PhotoStart, from archive: ArchiveTransport?, _ error: FetchError
    ) async -> Absence {
        let held = await searches(in: archive)
        guard !held.isEmpty else {
            return Absence(reason: "\(error.description) (replay with the --endpoint of the recording)", held: [])
        }
        let search = query.text.isEmpty ? "this search" : "'\(query.text)'"
        let missing =
            switch start {
            case .position(let position) where position > 0: "result \(position + 1) of \(search)"
            default: held.contains(query.text) ? "\(search) with these options" : search
            }
        return Absence(reason: "this archive has nothing for \(missing)", held: held)
    }

    struct Absence: Sendable {
        let reason: String
        /// The searches that the archive holds; none if it is of another endpoint.
        let held: [String]

        var line: String { held.isEmpty ? reason : "\(reason); it holds: \(ArchiveTransport.named(held))" }
    }

    /// The words of the searches in an archive; empty if it cannot be read.
    func searches(in archive: ArchiveTransport?) async -> [String] {
        guard let archive else { return [] }
        return (try? await recordedSearches(of: source, in: archive)) ?? []
    }

    func recordedSearches(of source: SourceDeclaration, in archive: ArchiveTransport) async throws -> [String] {
        // A demo has none: its archives are NASA's.
        let source = source.usesNetwork ? source : .nasa
        guard let endpoint = endpoint(of: source)?.value else { return [] }
        return try await archive.recordedSearches { SourceRegistry.search(at: $0, in: source, endpoint: endpoint) }
    }
}

extension ArchiveTransport {
    /// A list of searches for messages: `'apollo', 'moon' and others`.
    static func named(_ searches: [String]) -> String {
        searches.isEmpty ? "no searches" : searches.map { "'\($0)'" }.firstFew(8)
    }
}
