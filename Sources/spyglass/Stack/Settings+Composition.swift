internal import SpyglassCatalog
internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassTerminalUI

extension Settings {
    /// The terminal, with what the options say of its colours; the screen's size too, if `isScreen`.
    func terminal(of system: SystemServices, cellsAreScreen: Bool = false) -> TerminalCapabilities {
        system.terminal(
            color.map { .init($0, evidence: "--color \($0.rawValue)") },
            cellsAreScreen ? cells.map { .init($0, evidence: "--cells \($0)") } : nil)
    }
}

extension Settings {
    /// The source that is searched.
    ///
    /// `onWait` is told how long the source is going to wait before it asks again.
    func source(
        over transport: any Transport, _ system: SystemServices, onWait: (@Sendable (Duration) -> Void)? = nil
    ) -> any PhotoSource {
        switch source {
        case .demo: return DemoSource()
        case .nasa:
            return NASASource(transport: transport, endpoint: base, clock: system.clock, onWait: onWait)
        }
    }
}

extension WebAddress {
    /// Where a source of NASA's API at this base answers searches.
    var search: WebAddress { NASASource.searchAddress(at: self) }
}

extension ImageDecoder {
    /// A decoder within the limits of the options.
    init(_ settings: Settings) {
        var limits = ImageLimits()
        limits.pixels = settings.maxPixels
        limits.side = settings.maxSide
        limits.scans = settings.maxScans
        limits.bodyBytes = settings.maxBytes
        self.init(limits: limits)
    }
}
