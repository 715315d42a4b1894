internal import SpyglassCatalog
internal import SpyglassFetching

extension Settings {
    /// What to say when an archive lacks a search: the command line must change, since trying again later cannot help.
    func missing(
        _ query: PhotoQuery, at start: PhotoStart, from archive: ArchiveTransport?, _ error: FetchError
    ) async -> Failure {
        let (reason, held) = await absence(query, at: start, from: archive, error)
        return .usage(held.isEmpty ? reason : "\(reason). It holds: \(ArchiveTransport.named(held)).")
    }

    /// That an archive lacks a search, and the searches that it holds instead.
    func absence(
        _ query: PhotoQuery, at start: PhotoStart, from archive: ArchiveTransport?, _ error: FetchError
    ) async -> (reason: String, held: [String]) {
        let held = await searches(in: archive)
        guard !held.isEmpty else {
            return ("\(error.description) (what was recorded with --endpoint is replayed with it)", [])
        }
        let search = query.text.isEmpty ? "this search" : "'\(query.text)'"
        let wanted =
            switch start {
            case .page(let number) where number > 1: "page \(number) of \(search)"
            case .position(let position) where position > 0: "result \(position + 1) of \(search)"
            default: held.contains(query.text) ? "\(search) with these options" : search
            }
        return ("This archive has nothing for \(wanted)", held)
    }

    /// The words that were searched for when an archive was recorded; none when it cannot be read.
    func searches(in archive: ArchiveTransport?) async -> [String] {
        (try? await archive?.recordedSearches(at: base.search)) ?? []
    }
}

extension ArchiveTransport {
    /// The words of an archive's searches: `'apollo', 'moon' and others`.
    static func named(_ searches: [String]) -> String {
        searches.isEmpty ? "no search" : searches.map { "'\($0)'" }.firstFew(8)
    }
}
