internal import SpyglassBatch
internal import SpyglassCodecs
internal import SpyglassFetching

extension BatchServices {
    /// Creates the services of a run with the settings' limits and remedies.
    init(_ settings: Settings, _ transport: any Transport, clock: any Clock<Duration>) {
        self.init(
            decoder: settings.decoder, transport: transport, clock: clock, bodyLimit: settings.limits.bodyBytes)
        decodeMessage = { [limits = settings.limits] in $0.message(within: limits) }
        fetchMessage = { $0.message }
    }
}
