package import SpyglassFetching
internal import SpyglassPipeline
package import SpyglassTerminalUI
internal import SpyglassThreads

/// Delivers events of the terminal, the network and the program to the browser; thread-safe, no call blocks.
package final class BrowserInbox: Sendable {
    let queue = EventQueue()
    private let transfers = Mutex(0)
    private let isStale = Mutex(false)

    package init() {}
    package func receive(_ event: TerminalSession.Event) { queue.add(.terminal(event)) }

    package func receive(_ event: FetchEvent) {
        switch event {
        case .cacheHit(_, .stale): setStale(true)
        case .received, .revalidated: setStale(false)
        default: break
        }
    }

    package func notify(_ line: String) { queue.add(.event(.notice(.problem(line)))) }

    /// Removes and returns the problems reported after the last frame, such as failures to store state, without repeats.
    package func takeProblems() -> [String] {
        queue.takeAll().reduce(into: []) { lines, item in
            if case .event(.notice(.problem(let line))) = item, !lines.contains(line) { lines.append(line) }
        }
    }

    /// Shows a delay before a request, until its page comes.
    package func notifyOfWait(_ line: String) { queue.add(.event(.notice(.waiting(line)))) }

    package func counting(_ transport: any Transport) -> any Transport {
        CountedTransport(base: transport) { [self] change in
            transfers.withLock { count in
                let before = count
                count += change
                // Under the lock, so that events keep their order. The spinner reads the counts in between.
                if before == 0 || count == 0 { queue.add(.event(.transfers(count))) }
            }
        }
    }

    var transferCount: Int { transfers.withLock { $0 } }

    private func setStale(_ value: Bool) {
        isStale.withLock { isStale in
            guard isStale != value else { return }
            isStale = value
            queue.add(.event(.stale(value)))
        }
    }
}

private struct CountedTransport: Transport {
    let base: any Transport
    let change: @Sendable (Int) -> Void

    func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        change(1)
        defer { change(-1) }
        return try await base.fetch(request)
    }
}

/// Queues events for the browser's loop, from any thread; one reader at a time.
final class EventQueue: Sendable {
    enum Item: Sendable {
        case terminal(TerminalSession.Event)
        case event(BrowserEvent)
        case picture(PictureKey, Picture, load: Int, isLast: Bool)
        case frame(PictureKey, CellImage, player: Int)
        case progress(PictureKey, ImageTask.Progress, load: Int)
        case saving(SaveEvent, work: Int)
        /// The listed folder was changed, or these folders in it.
        case folderChanged(inner: Set<[UInt8]> = [])
        case timer(TimerKind)
    }

    private let state = Mutex((items: [Item](), reader: CheckedContinuation<Void, Never>?.none))

    func add(_ item: Item) {
        let reader = state.withLock { state in
            state.items.append(item)
            let reader = state.reader
            state.reader = nil
            return reader
        }
        reader?.resume()
    }

    /// Waits for at least one item; returns all, oldest first.
    func next() async -> [Item] {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                guard state.items.isEmpty else { return true }
                state.reader = continuation
                return false
            }
            if isThere { continuation.resume() }
        }
        return takeAll()
    }

    func takeAll() -> [Item] {
        state.withLock { state in
            defer { state.items = [] }
            return state.items
        }
    }
}
