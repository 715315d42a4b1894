public import SpyglassFetching

/// All sources that find photos by a search.
///
///     let openverse = SourceRegistry.named("openverse")
///     let source = SourceRegistry.source(openverse, transport: CurlTransport())
public enum SourceRegistry {
    private static let services: [any PhotoService] = [TumblrService(), OpenverseService()]

    /// The declarations, in the order of help; the first is the default.
    public static let all = [NASASource.declaration, DemoSource.declaration] + services.map(\.declaration)

    /// The declaration with this name; `nil` if there is none.
    public static func named(_ name: String) -> SourceDeclaration? { all.first { $0.name == name } }

    /// The source of a declaration of `all`.
    ///
    /// - Parameters:
    ///   - declaration: Names the source.
    ///   - transport: Fetches responses; also revalidates, retries and replays archives, if wanted.
    ///   - endpoint: The base of the API, for mirrors and tests; `nil`: the service's own.
    ///   - key: The user's key. Sent last in the address or in a header field, and in no message.
    ///   - clock: Measures waits.
    ///   - onWait: Receives the length of a wait when it begins.
    public static func source(
        _ declaration: SourceDeclaration, transport: any Transport, endpoint: WebAddress? = nil, key: String? = nil,
        clock: any Clock<Duration> = ContinuousClock(), onWait: (@Sendable (Duration) -> Void)? = nil
    ) -> any PhotoSource {
        if let service = services.first(where: { $0.declaration.name == declaration.name }) {
            return WebSource(
                service, transport: transport, endpoint: endpoint, key: key, clock: clock, onWait: onWait)
        }
        guard declaration.usesNetwork else { return DemoSource() }
        return NASASource(
            transport: transport, endpoint: endpoint ?? NASASource.defaultEndpoint, clock: clock, onWait: onWait)
    }
}
