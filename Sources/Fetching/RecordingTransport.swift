internal import SpyglassThreads

/// Passes fetches on to another transport and saves every answer in an archive for `ArchiveTransport`.
///
///     let transport = RecordingTransport(CurlTransport(), folder: "archive")
///
/// A new or empty folder becomes an archive, an archive grows; a folder that holds anything else is refused, and so is one
/// that another process records into. The body is written first, under another name, then the line in the index: a
/// recording that is killed leaves a usable archive. Keys, tokens, cookies and what else is secret are not saved.
///
/// A fetch throws `FetchError` of kind `unavailable` when its answer cannot be saved. Errors of the other transport are
/// passed on and leave nothing.
public final class RecordingTransport: Transport {
    private let transport: any Transport
    private let recorder: ArchiveRecorder
    private let work = WorkerThreads(count: 1)

    /// Records what `transport` answers in `folder`, which is not touched before the first fetch.
    public init(_ transport: any Transport, folder: String) {
        self.transport = transport
        recorder = ArchiveRecorder(path: folder)
    }

    /// Fetches through the other transport and returns once the answer is saved.
    public func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        try await work.run { _ in try self.recorder.open() }
        let response = try await transport.fetch(request)
        try await work.run { _ in try self.recorder.record(response) }
        return response
    }
}
