import SpyglassCaching
import SpyglassFetching
import SpyglassTestSupport

extension ScriptedTransport {
    /// Returns this body for every request, fresh for ever.
    convenience init(
        gate: AsyncGate? = nil, ignoresCancellation: Bool = false, body: [UInt8],
        lifetime: FetchResponse.Lifetime? = .forEver
    ) {
        self.init(gate: gate, ignoresCancellation: ignoresCancellation) { request, _ in
            FetchResponse(address: request.address, status: 200, body: body, lifetime: lifetime)
        }
    }
}

extension FetchResponse.Lifetime {
    static let forEver = FetchResponse.Lifetime(freshUntil: WallTime(milliseconds: .max), allowsStale: true)
}

extension FetchResponse {
    init(
        address: WebAddress, status: Int, body: [UInt8], origin: Origin = .network, freshness: Freshness = .fresh,
        lifetime: Lifetime?
    ) {
        self.init(address: address, status: status, body: body, origin: origin, freshness: freshness)
        self.lifetime = lifetime
    }
}
