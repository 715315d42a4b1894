internal import SpyglassFetching
internal import struct Synchronization.Atomic

/// Has every fetch ask the server, however fresh the caches' answer is; tells when a cache had to answer all the same.
struct RevalidatingTransport: Transport {
    let base: any Transport
    private let note = Note()

    private final class Note: Sendable {
        let hasFallenBack = Atomic(false)
    }

    init(base: any Transport) { self.base = base }

    /// Whether an answer came out of a cache about which no server was asked, since none could be.
    var hasFallenBack: Bool { note.hasFallenBack.load(ordering: .relaxed) }

    func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        var request = request
        request.revalidates = true
        let response = try await base.fetch(request)
        // Within its lifetime, what could not be asked about is called fresh.
        if response.origin == .cache, response.freshness != .revalidated {
            note.hasFallenBack.store(true, ordering: .relaxed)
        }
        return response
    }
}
