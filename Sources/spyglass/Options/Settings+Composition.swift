import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassTerminalUI

extension Settings {
    /// The terminal, with what the options say of its colours; the screen's size too, if `isScreen`.
    func terminal(of world: World, cellsAreScreen: Bool = false) -> TerminalCapabilities {
        world.terminal(
            color.map { .init($0, evidence: "--color \($0.rawValue)") },
            cellsAreScreen ? cells.map { .init($0, evidence: "--cells \($0)") } : nil)
    }
}

extension Settings {
    /// The source that is searched.
    func source(over transport: any Transport, _ world: World) -> any PhotoSource {
        switch source {
        case .demo: return DemoSource()
        case .nasa:
            return NASASource(
                transport: transport, endpoint: endpoint ?? NASASource.defaultEndpoint, clock: world.clock)
        }
    }

    /// Where bytes come from: the demo's painter, an archive, or the network, recorded if that is wanted.
    func transport(of world: World, counting statistics: Statistics?) -> any Transport {
        let base = uncountedTransport(of: world)
        guard let statistics else { return base }
        return CountingTransport(base: base, statistics: statistics)
    }

    private func uncountedTransport(of world: World) -> any Transport {
        if source == .demo { return DemoTransport() }
        if let archive { return ArchiveTransport(folder: archive) }
        let network = world.network(self)
        return record.map { RecordingTransport(network, folder: $0) } ?? network
    }
}

extension WebAddress {
    /// Where a source of NASA's API at this base answers searches.
    var search: WebAddress {
        WebAddress("\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")\(path)\(path.hasSuffix("/") ? "" : "/")search")
            ?? self
    }
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
