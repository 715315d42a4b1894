internal import SpyglassThreads

/// Passes fetches on to another transport and saves every answer in an archive for `ArchiveTransport`.
///
///     let transport = RecordingTransport(CurlTransport(), folder: "archive")
///
/// A new or empty folder becomes an archive, an archive grows; a folder that holds anything else is refused, and so is one
/// that another process records into. The body is written first, under another name, then the line in the index: a
/// recording that is killed leaves a usable archive. Keys, tokens, cookies and what else is secret are not saved.
///
/// A body that is to be handed on is gathered, to be saved; one above 64 MiB is handed on and not saved. An answer whose body is
/// omitted is not saved.
///
/// A fetch throws `FetchError` of kind `unavailable` when its answer cannot be saved. Errors of the other transport are
/// passed on and leave nothing.
public final class RecordingTransport: Transport {
    private let transport: any Transport
    private let recorder: ArchiveRecorder
    private let work = ThreadPool(count: 1)

    /// Records what `transport` answers in `folder`, which is not touched before the first fetch.
    public init(_ transport: any Transport, folder: String) {
        self.transport = transport
        recorder = ArchiveRecorder(path: folder)
    }

    /// Fetches through the other transport and returns once the answer is saved.
    public func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        try await work.run { _ in try self.recorder.open() }
        guard let response = try await recordable(request) else { return try await transport.fetch(request) }
        try await work.run { _ in try self.recorder.record(response) }
        return response
    }

    /// An answer that can be saved; `nil` where there is none to save.
    private func recordable(_ request: FetchRequest) async throws -> FetchResponse? {
        guard request.delivery != .headersOnly else { return nil }
        guard request.delivery == .streamed else { return try await transport.fetch(request) }
        var gathering = request
        gathering.delivery = .buffered
        gathering.bodyLimit = min(request.bodyLimit, FetchRequest.defaultBodyLimit)
        // Else the listener would hear of bytes that the answer brings as well.
        gathering.control = request.control.map { FetchControl(inPlaceOf: $0) { _ in false } }
        do {
            return try await transport.fetch(gathering)
        } catch let error as FetchError where error.exceededLimit == .body && gathering.bodyLimit < request.bodyLimit {
            return nil
        }
    }
}
