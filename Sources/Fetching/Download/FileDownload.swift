internal import SpyglassFiles
public import SpyglassThreads

/// Downloads a file of any size, completely or not at all, without replacing a file.
///
///     let download = FileDownload(transport: transport)
///     let path = try await download.run(address, to: "Pictures/moon.tif") { written, total in show(written, total) }
///
/// About 1 MiB of the body is in memory; above that the transfer waits for the disk. The disk cache is not used. An interrupted
/// transfer resumes in the file if the transport resumes it, else it starts over. Archives and caches deliver it whole.
///
/// Bytes go into a hidden file of the same folder (`.spyglass-….tmp`, mode 0644, less the umask), renamed once they are on the
/// disk (`fsync`). It is removed after a failure or cancellation. The next download into the folder sweeps files of killed processes.
public struct FileDownload: Sendable {
    private let transport: any Transport
    private let time: ElapsedClock
    private let threads: ThreadPool
    var calls = FileDownloadTarget.Calls()

    /// Downloads through a transport.
    ///
    /// - Parameters:
    ///   - transport: fetches the body.
    ///   - clock: measures the interval between progress reports.
    ///   - threads: where files are written.
    public init(
        transport: any Transport, clock: any Clock<Duration> = ContinuousClock(),
        threads: ThreadPool = ThreadPool(count: 1)
    ) {
        self.transport = transport
        time = ElapsedClock(clock)
        self.threads = threads
    }

    /// From servers that do not support or allow `HEAD` (RFC 9110 sections 15.5.1, 15.5.4, 15.5.6 and 15.6.2).
    private static let refusalsOfHead = [400, 403, 405, 501]

    /// The size of a download in bytes, if the server gives it; requests only the head.
    ///
    /// - Throws: `FetchError` if the file or its response is missing; `CancellationError`.
    public func size(of address: WebAddress, trust: NetworkReach = .any) async throws -> Int? {
        var request = request(for: address, trust)
        request.delivery = .headersOnly
        let response = try await transport.fetch(request)
        guard !Self.refusalsOfHead.contains(response.status) else { return nil }
        try Self.check(response, to: address)
        return response.headers.isContentEncoded ? nil : response.headers.contentLength
    }

    /// Downloads an address into a file and returns its path.
    ///
    /// If the name is taken, `-1`, `-2` and so on are added before the extension.
    ///
    /// - Parameters:
    ///   - address: the address.
    ///   - trust: who named the address.
    ///   - path: the file; its folder must exist, and links on the way are followed.
    ///   - progress: called with the bytes written, and the total if known: at the start, about 20 times a second, and at the end.
    ///     Calls do not overlap and must not block. A transfer that starts over counts from 0.
    /// - Returns: `path`, possibly with a number.
    /// - Throws: `FetchError` of kind `unavailable` when the file cannot be written; the errors of the transport;
    ///   `CancellationError`.
    @discardableResult
    public func run(
        _ address: WebAddress, trust: NetworkReach = .any, to path: String,
        progress: @escaping @Sendable (_ written: Int, _ total: Int?) -> Void = { _, _ in }
    ) async throws -> String {
        try await write(path) { target in
            let sink = FileDownloadSink(target, threads, time, progress)
            do {
                try await fetch(address, trust, into: sink)
            } catch {
                await sink.stop()
                throw sink.failure ?? error
            }
        }
    }

    /// Copies a file of this machine in the same way.
    @discardableResult
    package func copy(
        _ file: [UInt8], to path: String,
        progress: @escaping @Sendable (_ written: Int, _ total: Int?) -> Void = { _, _ in }
    ) async throws -> String {
        try await write(path) { target in
            try await threads.run { _ in
                let shown = file.shown.withoutControls
                let source = try Self.reading(shown) { () throws(FileError) in try Folder.working.openRegular(file) }
                let total = try Self.reading(shown) { () throws(FileError) in try source.status.byteCount }
                try target.begin(expecting: total)
                var (written, nextReport) = (0, time.now())
                while true {
                    try Cancellation.check()
                    let bytes = try Self.reading(shown) { () throws(FileError) in
                        try source.bytes(FileDownloadSink.maxPending, at: written)
                    }
                    guard !bytes.isEmpty else { return progress(written, total) }
                    try target.write(bytes)
                    written += bytes.count
                    guard time.now() >= nextReport else { continue }
                    progress(written, total)
                    nextReport = time.now() + FileDownloadSink.progressInterval
                }
            }
        }
    }

    private static func reading<Value: ~Copyable>(
        _ shown: String, _ body: () throws(FileError) -> Value
    ) throws(FetchError) -> Value {
        do { return try body() } catch { throw FetchError(.unreachable, "cannot read \(shown): \(error.reason)") }
    }

    private func write(_ path: String, _ body: (FileDownloadTarget) async throws -> Void) async throws -> String {
        let target = try FileDownloadTarget(path: path, calls)
        do {
            try await threads.run { _ in try target.open() }
            try await body(target)
            try Task.checkCancellation()
            return try await threads.run { _ in try target.publish() }
        } catch {
            // Not a child of this task, so that it also runs after cancellation.
            await Task { try? await threads.run { _ in target.discard() } }.value
            throw error
        }
    }

    private func fetch(_ address: WebAddress, _ trust: NetworkReach, into sink: FileDownloadSink) async throws {
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
                .unreachable, "\(address.shown): only \(written) of \(response.bodyLength) bytes are in the file")
        }
    }

    private func request(for address: WebAddress, _ trust: NetworkReach) -> FetchRequest {
        // An encoded length is not the file's, and an encoded body cannot be resumed.
        var request = FetchRequest(
            address, headers: HeaderFields([HeaderFields.Field(name: "Accept-Encoding", value: "identity")]),
            trust: trust
        )
        request.usesMinRate = true
        return request
    }

    /// Only complete bodies (RFC 9110 sections 15.3.1 and 15.3.4).
    private static func check(_ response: FetchResponse, to address: WebAddress) throws(FetchError) {
        guard response.status == 200 || response.status == 203 else {
            throw FetchError(.unreachable, "\(address.shown): HTTP status \(response.status)")
        }
    }
}
