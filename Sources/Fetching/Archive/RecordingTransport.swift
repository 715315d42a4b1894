internal import SpyglassThreads

/// Records every response of another transport in an archive for `ArchiveTransport`.
///
///     let transport = RecordingTransport(CurlTransport(), folder: "archive")
///
/// The folder must be new, empty or an archive that no other process records into. A killed recording leaves a usable archive.
/// Secrets such as keys, tokens and cookies are not saved.
/// Responses to addresses with a secret that keys keep, such as a password, are passed on unsaved.
/// Streamed bodies are buffered to be saved; those above 64 MiB are passed on unsaved, as are responses without a body.
///
/// A fetch throws `FetchError` of kind `unavailable` when its response cannot be saved. Errors of the other transport pass.
public final class RecordingTransport: Transport {
    private let transport: any Transport
    private let recorder: ArchiveRecorder
    private let work = ThreadPool(count: 1)

    /// Records the responses of `transport` in `folder`, which is opened with the first fetch.
    public init(_ transport: any Transport, folder: String) {
        self.transport = transport
        recorder = ArchiveRecorder(path: folder)
    }

    /// Fetches and returns once the response is saved.
    public func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        try await work.run { _ in try self.recorder.open() }
        guard let response = try await recordable(request) else { return try await transport.fetch(request) }
        if response.addresses.allSatisfy({ $0.storableText != nil }) {
            try await work.run { _ in try self.recorder.record(response) }
        }
        return response
    }

    private func recordable(_ request: FetchRequest) async throws -> FetchResponse? {
        guard request.delivery != .headersOnly else { return nil }
        guard request.delivery == .streamed else { return try await transport.fetch(request) }
        var gathering = request
        gathering.delivery = .buffered
        gathering.bodyLimit = min(request.bodyLimit, FetchRequest.defaultBodyLimit)
        // Otherwise the listener would get the bytes twice.
        gathering.control = request.control.map { FetchControl(inPlaceOf: $0) { _ in false } }
        do {
            return try await transport.fetch(gathering)
        } catch let error as FetchError where error.exceededLimit == .body && gathering.bodyLimit < request.bodyLimit {
            return nil
        }
    }
}
