internal import SpyglassFetching

/// Has every fetch ask the server, however fresh the caches' answer is.
struct RevalidatingTransport: Transport {
    let base: any Transport

    func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        var request = request
        request.revalidates = true
        return try await base.fetch(request)
    }
}
