internal import SpyglassFetching
internal import struct Synchronization.Atomic

/// Revalidates every response with the server, and records when a cache had to serve it anyway.
struct RevalidatingTransport: Transport {
    let base: any Transport
    private let note = Note()

    private final class Note: Sendable {
        let hasFallenBack = Atomic(false)
    }

    init(base: any Transport) { self.base = base }

    /// Whether a cache served a response without revalidation.
    var hasFallenBack: Bool { note.hasFallenBack.load(ordering: .relaxed) }

    func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        var request = request
        request.revalidates = true
        let response = try await base.fetch(request)
        // A fallback within its lifetime is called fresh.
        if response.origin == .cache, response.freshness != .revalidated {
            note.hasFallenBack.store(true, ordering: .relaxed)
        }
        return response
    }
}
