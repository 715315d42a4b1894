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
                transport: transport, endpoint: base, clock: world.clock)
        }
    }

    /// The archive that is replayed, if any.
    var replayed: ArchiveTransport? { archive.map { ArchiveTransport(folder: $0) } }

    /// Where bytes come from: the demo's painter, `archive`, or the network, recorded if that is wanted.
    func transport(
        of world: World, replaying archive: ArchiveTransport?, counting statistics: Statistics
    ) -> any Transport {
        CountingTransport(base: uncountedTransport(of: world, archive), statistics: statistics)
    }

    private func uncountedTransport(of world: World, _ archive: ArchiveTransport?) -> any Transport {
        if source == .demo { return DemoTransport() }
        if let archive { return archive }
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
