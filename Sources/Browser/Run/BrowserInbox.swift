package import SpyglassFetching
package import SpyglassTerminalUI
internal import SpyglassThreads

/// Brings the browser what happens elsewhere: in the terminal, on the network, in the rest of the program.
///
///     let feed = BrowserInbox()
///     let session = TerminalSession { feed.receive($0) }
///     let end = await Browser(feed, services, setup).run(on: session)
///
/// Thread-safe; no call waits.
package final class BrowserInbox: Sendable {
    let queue = EventQueue()
    private let transfers = Mutex(0)
    private let isStale = Mutex(false)

    package init() {}

    /// The terminal has something to say.
    package func receive(_ event: TerminalSession.Event) { queue.add(.terminal(event)) }

    /// Something on the network: whether what is shown is out of date follows from it.
    package func receive(_ event: FetchEvent) {
        switch event {
        case .cacheHit(_, .stale): setStale(true)
        case .received, .revalidated: setStale(false)
        default: break
        }
    }

    /// One line for the user, of a part of the program that would have written it to standard error.
    package func notify(_ line: String) { queue.add(.event(.notice(.problem(line)))) }

    /// A transport whose fetches are counted as transfers under way.
    package func counting(_ transport: any Transport) -> any Transport {
        CountedTransport(base: transport) { [self] change in
            transfers.withLock { count in
                let before = count
                count += change
                // Under the lock, or an older count could come last. In between it is told with the spinner's pictures.
                if before == 0 || count == 0 { queue.add(.event(.transfers(count))) }
            }
        }
    }

    /// How many transfers are under way.
    var transferCount: Int { transfers.withLock { $0 } }

    private func setStale(_ value: Bool) {
        isStale.withLock { isStale in
            guard isStale != value else { return }
            isStale = value
            queue.add(.event(.stale(value)))
        }
    }
}

/// Tells when a fetch begins and when it is over, however it ends.
private struct CountedTransport: Transport {
    let base: any Transport
    let change: @Sendable (Int) -> Void

    func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        change(1)
        defer { change(-1) }
        return try await base.fetch(request)
    }
}
