public import SpyglassThreads

/// Saves what stands at an address in a file, however large it is: never over another file, and whole or not at all.
///
///     let download = FileDownload(transport: transport)
///     let path = try await download.run(address, to: "Pictures/moon.tif") { written, total in show(written, total) }
///
/// The body goes from the network to the disk without gathering in memory: about 1 MiB waits for a slow disk, and then the
/// transfer waits too. It is not put into the disk cache. Where a transport goes on with a transfer that broke off, so does the
/// file; where it begins anew, so does the file. An archive or a cache gives what it holds in one piece.
///
/// Bytes go into a hidden file in the same folder (`.spyglass-….tmp`, mode 0644 without the umask), which gets its name when
/// the disk has all bytes (`fsync`). It is removed when the download fails or its task is cancelled; after a killed process
/// the next download into the folder removes it. Files are used on the given threads only.
public struct FileDownload: Sendable {
    private let transport: any Transport
    private let time: ElapsedClock
    private let threads: ThreadPool
    private let calls: FileDownloadTarget.Calls

    /// Downloads through a transport.
    ///
    /// - Parameters:
    ///   - transport: where bytes come from.
    ///   - clock: what the pace of progress is measured on.
    ///   - threads: where files are written; downloads at the same time take turns where there is one.
    public init(
        transport: any Transport, clock: any Clock<Duration> = ContinuousClock(),
        threads: ThreadPool = ThreadPool(count: 1)
    ) {
        self.init(transport: transport, clock: clock, threads: threads, calls: FileDownloadTarget.Calls())
    }

    init(
        transport: any Transport, clock: any Clock<Duration> = ContinuousClock(),
        threads: ThreadPool = ThreadPool(count: 1), calls: FileDownloadTarget.Calls
    ) {
        self.transport = transport
        time = ElapsedClock(clock)
        self.threads = threads
        self.calls = calls
    }

    /// Statuses with which some servers say that they do not answer `HEAD`, or not with these permissions: the body may be there
    /// all the same (RFC 9110 sections 15.5.1, 15.5.4, 15.5.6 and 15.6.2).
    private static let refusalsOfHead = [400, 403, 405, 501]

    /// How many bytes a download would bring, where the server says so; only the head is asked for.
    ///
    /// - Throws: `FetchError` where there is nothing at the address or no answer came; `CancellationError`.
    public func size(of address: WebAddress, trust: AddressTrust = .user) async throws -> Int? {
        var request = request(for: address, trust)
        request.delivery = .headersOnly
        let response = try await transport.fetch(request)
        guard !Self.refusalsOfHead.contains(response.status) else { return nil }
        try Self.check(response, to: address)
        return response.headers.isContentEncoded ? nil : response.headers.contentLength
    }

    /// Saves what stands at an address, and says under which path.
    ///
    /// Where there is something of that name, whatever it is, `-1`, `-2` and so on are put before the extension.
    ///
    /// - Parameters:
    ///   - address: what to save.
    ///   - trust: who named the address.
    ///   - path: where; the folder must be there, and links on the way to it are followed.
    ///   - progress: told how many bytes are in the file, and of how many if that is known: at the start, some 20 times a second,
    ///     and at the end. Called by one thread at a time, which it must not keep. A transfer that begins anew counts from 0 again.
    /// - Returns: `path`, or that with a number.
    /// - Throws: `FetchError` of kind `unavailable` when the file cannot be written or there is no room for it, and what the
    ///   transport throws; `CancellationError`.
    @discardableResult
    public func run(
        _ address: WebAddress, trust: AddressTrust = .user, to path: String,
        progress: @escaping @Sendable (_ written: Int, _ total: Int?) -> Void = { _, _ in }
    ) async throws -> String {
        let target = try FileDownloadTarget(path: path, calls)
        do {
            try await threads.run { _ in try target.open() }
            let sink = FileDownloadSink(target, threads, time, progress)
            do {
                try await fetch(address, trust, into: sink)
            } catch {
                await sink.stop()
                throw sink.failure ?? error
            }
            try Task.checkCancellation()
            return try await threads.run { _ in try target.publish() }
        } catch {
            // Not a child: it is done when the task is cancelled, too.
            await Task { try? await threads.run { _ in target.discard() } }.value
            throw error
        }
    }

    private func fetch(_ address: WebAddress, _ trust: AddressTrust, into sink: FileDownloadSink) async throws {
        var request = request(for: address, trust)
        request.delivery = .streamed
        request.bodyLimit = .max
        request.control = sink.makeControl()
        let response = try await transport.fetch(request)
        try Self.check(response, to: address)
        if response.streamedByteCount == 0 { sink.receive(whole: response.body) }
        let written = try await sink.finish()
        guard written == response.bodyLength else {
            throw FetchError(
                .unreachable, "\(address.shown): of \(response.bodyLength) bytes \(written) have reached the file")
        }
    }

    private func request(for address: WebAddress, _ trust: AddressTrust) -> FetchRequest {
        // Else the length on the wire is not the file's, and a transfer that breaks off cannot be gone on with.
        FetchRequest(
            address, headers: HTTPHeaders([HTTPHeaders.Field(name: "Accept-Encoding", value: "identity")]), trust: trust
        )
    }

    /// What there is must be the whole of it (RFC 9110 sections 15.3.1 and 15.3.4).
    private static func check(_ response: FetchResponse, to address: WebAddress) throws(FetchError) {
        guard response.status == 200 || response.status == 203 else {
            throw FetchError(.unreachable, "\(address.shown): the server answers \(response.status)")
        }
    }
}
