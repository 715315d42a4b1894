public import SpyglassThreads

/// Replays an archive of a `RecordingTransport` or a script; never uses the network.
///
///     let transport = ArchiveTransport(folder: "Samples/archive")
///     let response = try await transport.fetch(FetchRequest(address))
///
/// An archive is a folder with `index.jsonl`, one object a line (`{"url", "status", "headers", "body": "relative/path"}`), and
/// content-decoded bodies. The last line of an address counts; each hop of a redirect has its own line. Addresses match by
/// `WebAddress.archiveKey`: scheme, order of the query and secrets do not matter.
///
/// Bodies must be regular files inside the folder, without links. The first fetch reads the index: 100,000 lines take 0.5 s and
/// some megabytes besides the file's bytes; a million addresses is the limit. One thread of its own reads files.
///
/// Throws `FetchError`: `notRecorded` for an unknown address, `unavailable` for a missing folder or body and for a broken line.
public final class ArchiveTransport: Transport {
    private let folder: String
    private let redirects: RedirectPolicy
    private let memory: WorkMemory?
    private let work = ThreadPool(count: 1)
    private let opened = Mutex<Archive?>(nil)

    private struct Archive: Sendable {
        let folder: ArchiveFolder
        let index: ArchiveIndex
    }

    /// A transport for the archive in `folder`, opened with the first fetch; a fetch follows at most `redirectLimit` redirects,
    /// and reserves a body of more than 1 MiB in `memory` until its response is released.
    public init(folder: String, redirectLimit: Int = 5, memory: WorkMemory? = nil) {
        self.folder = folder
        self.memory = memory
        redirects = RedirectPolicy(limit: redirectLimit)
    }

    /// Returns the recorded response, following redirects like `CurlTransport`.
    public func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        try await request.countingMemory { request in
            var (response, body) = try await BodyMemory.read(in: memory, for: request, on: work, .init(priority: 0)) {
                try self.answer(request, $0)
            }
            body.end(isComplete: true)
            response.memory = body
            return response
        }
    }

    /// Returns the search terms of recorded searches, each once, in order.
    ///
    /// - Parameters:
    ///   - address: the address of searches; host and path are compared.
    ///   - parameter: the query item with the terms.
    /// - Returns: the terms as plain text.
    /// - Throws: `FetchError` when the archive cannot be read.
    package func recordedSearches(at address: WebAddress, parameter: String = "q") async throws -> [String] {
        try await recordedSearches { recorded in
            guard recorded.host == address.host, recorded.path == address.path else { return nil }
            return recorded.queryItems.first { $0.name == parameter }?.value
        }
    }

    /// Returns the results of `read` for the recorded addresses, each once, in order.
    package func recordedSearches(_ read: @escaping @Sendable (WebAddress) -> String?) async throws -> [String] {
        try await work.run { _ in
            var seen: Set<String> = []
            return try self.archive().index.addresses { read($0) != nil }.compactMap(read)
                .filter { seen.insert($0).inserted }
        }
    }

    private func answer(_ request: FetchRequest, _ mayRead: (Int) -> Bool) throws(FetchError) -> FetchResponse {
        let archive = try archive()
        var address = request.address
        var hops: [FetchResponse.Redirect] = []
        while true {
            guard let (entry, location) = try archive.index.entry(for: address) else {
                throw notRecorded(address, archive)
            }
            let headers = HTTPHeaders(
                entry.headers.map { HTTPHeaders.Field(name: $0.name, value: $0.value.withoutControls) })
            let next = try redirects.next(after: address, status: entry.status, headers: headers, hops: hops)
            guard let next else {
                let head = FetchResponse(
                    address: address, status: entry.status, headers: headers, redirects: hops, origin: .archive)
                return try answer(head, to: request, with: entry, location, in: archive.folder, mayRead)
            }
            hops.append(FetchResponse.Redirect(address: address, status: entry.status, headers: headers))
            address = next
        }
    }

    private func answer(
        _ head: FetchResponse, to request: FetchRequest, with entry: ArchiveEntry, _ location: String,
        in folder: ArchiveFolder, _ mayRead: (Int) -> Bool
    ) throws(FetchError) -> FetchResponse {
        var response = head
        do {
            if request.delivery == .headersOnly {
                guard let name = entry.body else { return response.withoutBody(length: 0) }
                return response.withoutBody(length: try folder.size(of: name))
            }
            // A streamed body is in memory too: the same limit.
            let maxLimit = request.delivery == .streamed ? FetchRequest.defaultBodyLimit : Int.max
            let limit = min(request.bodyLimit, maxLimit)
            if let name = entry.body { response.body = try folder.read(name, limit: limit, mayRead: mayRead) }
            return response
        } catch {
            throw FetchError(error.kind, "\(error.description) (\(location))", exceededLimit: error.exceededLimit)
        }
    }

    /// Throws `unavailable` if the folder is not an archive; blocks.
    package func check() throws(FetchError) { _ = try openFolder() }

    private func openFolder() throws(FetchError) -> ArchiveFolder {
        let folder = try ArchiveFolder(opening: folder)
        guard folder.holds(ArchiveIndex.fileName) else {
            throw FetchError(
                .unavailable, "\(folder.path.withoutControls): not an archive: no \(ArchiveIndex.fileName)")
        }
        return folder
    }

    /// Opened with the first call; retried after an error.
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
            case 1: "holds one response, of \(hosts.joined())"
            case let count: "holds \(count) responses, of \(hosts.firstFew(3))"
            }
        return FetchError(.notRecorded, "the archive has nothing for \(address.shown): it \(holding)")
    }
}
