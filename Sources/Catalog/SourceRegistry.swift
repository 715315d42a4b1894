public import SpyglassFetching

/// All sources that find photos by a search.
///
///     let openverse = SourceRegistry.source("openverse", over: CurlTransport())
public enum SourceRegistry {
    private static let services: [any PhotoService] = [
        TumblrService(), OpenverseService(), WikimediaService(), APODService(), BingService(),
    ]

    /// The declarations, in the order of help; the first is the default.
    package static let all = [NASASource.declaration, DemoSource.declaration] + services.map(\.declaration)

    /// The declaration with this name; `nil` if there is none.
    package static func named(_ name: String) -> SourceDeclaration? { all.first { $0.name == name } }

    /// The words of a search that a recorded address requests; `nil` for other addresses.
    package static func search(at address: WebAddress, in source: SourceDeclaration, endpoint: WebAddress) -> String? {
        let service = services.first { $0.declaration.name == source.name } ?? NASAService()
        return address.host == endpoint.host ? service.search(at: address) : nil
    }

    /// The names of all sources, the default first.
    public static var names: [String] { all.map(\.name) }

    /// Makes a source over a transport; `nil` for a name that `names` lacks.
    ///
    /// The user's `key` is sent last in the address or in a header field, and appears in no message.
    public static func source(_ name: String, over transport: any Transport, key: String? = nil) -> (any PhotoSource)? {
        named(name).map { factory(of: $0, key: key)(transport) }
    }

    /// Makes sources of a declaration of `all` over transports, which share its limit of requests.
    ///
    /// `endpoint` is the base of a mirror's API, or of a test's. `onWait` receives the length of a wait when it begins.
    package static func factory(
        of declaration: SourceDeclaration, endpoint: WebAddress? = nil, key: String? = nil,
        clock: any Clock<Duration> = ContinuousClock(), onWait: (@Sendable (Duration) -> Void)? = nil
    ) -> @Sendable (any Transport) -> any PhotoSource {
        if let service = services.first(where: { $0.declaration.name == declaration.name }) {
            let source = WebSource(
                service, transport: NoTransport(), endpoint: endpoint, key: key, clock: clock, onWait: onWait)
            return { source.over($0) }
        }
        guard declaration.usesNetwork else { return { _ in DemoSource() } }
        return {
            NASASource(
                transport: $0, endpoint: endpoint ?? NASASource.defaultEndpoint, clock: clock, onWait: onWait)
        }
    }
}
