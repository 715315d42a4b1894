internal import SpyglassThreads

/// Replays an archive that `RecordingTransport`, or a script, has made; never touches the network.
///
///     let transport = ArchiveTransport(folder: "Samples/archive")
///     let response = try await transport.fetch(FetchRequest(address))
///
/// An archive is a folder with `index.jsonl`, one object a line (`{"url", "status", "headers", "body": "relative/path"}`), and
/// the bodies as ordinary files, content-decoded. The last line for an address wins; each hop of a redirect has its own
/// line. Addresses match by `WebAddress.archiveKey`: http or https, the order of the query and secrets do not matter.
///
/// A body must be an ordinary file inside the folder, reached without links. The index is read once, with the first fetch: a
/// hundred thousand lines take about half a second and, beside the file's own bytes, some megabytes; a million addresses is
/// the limit. Files are read one after another on a Dispatch queue, never on the cooperative pool.
///
/// What goes wrong is a `FetchError`: `notRecorded` for an address that is not there, `unavailable` for a missing folder or
/// body and for a broken line, which is named.
public final class ArchiveTransport: Transport {
    private let folder: String
    private let redirects: RedirectPolicy
    private let work = ThreadPool(count: 1)
    private let opened = Mutex<Archive?>(nil)

    private struct Archive: Sendable {
        let folder: ArchiveFolder
        let index: ArchiveIndex
    }

    /// A transport for the archive in `folder`, which is not touched before the first fetch.
    ///
    /// `redirectLimit` is how many recorded redirects of one fetch are followed.
    public init(folder: String, redirectLimit: Int = 5) {
        self.folder = folder
        redirects = RedirectPolicy(limit: redirectLimit)
    }

    /// Answers from the archive, following recorded redirects by the same rules as `CurlTransport`.
    public func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        try await work.run { _ in try self.answer(request) }
    }

    /// The words that were searched for in recorded searches, each once, in the order they were recorded.
    ///
    /// - Parameters:
    ///   - address: Where searches go; its host and path are compared, its query is not.
    ///   - parameter: The query item that holds the words.
    /// - Returns: The words as plain text: what "It holds: 'apollo', 'moon'" needs.
    /// - Throws: `FetchError` when the archive cannot be read.
    public func recordedSearches(at address: WebAddress, parameter: String = "q") async throws -> [String] {
        try await work.run { _ in
            var seen: Set<String> = []
            return try self.archive().index
                .addresses { $0.host == address.host && $0.path == address.path }
                .compactMap { $0.queryItems.first { $0.name == parameter }?.value }
                .filter { seen.insert($0).inserted }
        }
    }

    private func answer(_ request: FetchRequest) throws(FetchError) -> FetchResponse {
        let archive = try archive()
        var address = request.address
        var hops: [FetchResponse.Redirect] = []
        while true {
            guard let (entry, place) = try archive.index.entry(for: address) else {
                throw notRecorded(address, archive)
            }
            let headers = HTTPHeaders(
                entry.headers.map { HTTPHeaders.Field(name: $0.name, value: $0.value.withoutControls) })
            let next = try redirects.next(
                after: address, status: entry.status, headers: headers, hops: hops)
            guard let next else {
                let head = FetchResponse(
                    address: address, status: entry.status, headers: headers, redirects: hops, origin: .archive)
                return try answer(head, to: request, with: entry, place, in: archive.folder)
            }
            hops.append(FetchResponse.Redirect(address: address, status: entry.status, headers: headers))
            address = next
        }
    }

    private func answer(
        _ head: FetchResponse, to request: FetchRequest, with entry: ArchiveEntry, _ place: String,
        in folder: ArchiveFolder
    ) throws(FetchError) -> FetchResponse {
        var response = head
        do {
            if request.delivery == .headersOnly {
                guard let name = entry.body else { return response.withoutBody(length: 0) }
                return response.withoutBody(length: try folder.size(of: name))
            }
            // A body that is to be handed on is in memory all the same: not more of it than of any other.
            let most = request.delivery == .streamed ? FetchRequest.defaultBodyLimit : Int.max
            let limit = min(request.bodyLimit, most)
            if let name = entry.body { response.body = try folder.read(name, limit: limit) }
            return response
        } catch {
            throw FetchError(error.kind, "\(error.description) (\(place))", exceededLimit: error.exceededLimit)
        }
    }

    /// Makes sure that the folder is an archive, without reading it: a few system calls.
    ///
    /// - Throws: `FetchError` of kind `unavailable` when it is none. Blocks on the disk.
    package func check() throws(FetchError) { _ = try openFolder() }

    private func openFolder() throws(FetchError) -> ArchiveFolder {
        let folder = try ArchiveFolder(opening: folder)
        guard folder.holds(ArchiveIndex.fileName) else {
            throw FetchError(
                .unavailable, "\(folder.path.withoutControls): not an archive: no \(ArchiveIndex.fileName)")
        }
        return folder
    }

    /// The archive, opened with the first call; one that cannot be opened is tried again.
    private func archive() throws(FetchError) -> Archive {
        if let archive = opened.withLock({ $0 }) { return archive }
        let folder = try openFolder()
        let bytes = try folder.read(ArchiveIndex.fileName, limit: ArchiveIndex.byteLimit)
        let index = try ArchiveIndex(bytes, name: folder.shown(ArchiveIndex.fileName))
        let archive = Archive(folder: folder, index: index)
        opened.withLock { $0 = archive }
        return archive
    }

    private func notRecorded(_ address: WebAddress, _ archive: Archive) -> FetchError {
        let hosts = archive.index.hosts
        let holding =
            switch archive.index.count {
            case 0: "is empty"
            case 1: "holds one answer, of \(hosts.joined())"
            case let count: "holds \(count) answers, of \(hosts.firstFew(3))"
            }
        return FetchError(.notRecorded, "the archive has nothing for \(address.shown): it \(holding)")
    }
}
