internal import SpyglassCCurl
internal import SpyglassThreads

/// The event loop, whose thread alone uses libcurl; fetches wait in `queue`, not in libcurl, so that priorities take effect.
///
/// Checks of exclusive access would take 3 % of a transfer's instructions: what its thread alone uses most goes without.
final class CurlLoop {
    let engine: CurlEngine
    let settings: CurlSettings
    let curl: CurlLibrary
    private let multi: OpaquePointer
    private let poller: CurlPoller
    @exclusivity(unchecked) var fetches = CurlFetches()
    @exclusivity(unchecked) var queue = FetchQueue<CurlFetch, CurlHost>()
    @exclusivity(unchecked) var hosts: CurlHosts
    /// All handles; those without a fetch are also in `idleSlots`.
    @exclusivity(unchecked) private var slots: [CurlEasyHandle] = []
    @exclusivity(unchecked) private var idleSlots: [CurlEasyHandle] = []
    let pool = BodyPool()
    /// Those with a result, to be delivered when no socket is ready.
    @exclusivity(unchecked) private var ended: [CurlFetch] = []
    private static let maxPendingResults = 16
    private var timer: (due: Duration, task: Task<Void, Never>)?

    init(_ curl: CurlLibrary, _ engine: CurlEngine) throws(FetchError) {
        poller = try CurlPoller()
        guard let multi = sg_multi_create(curl.functions) else {
            throw FetchError(.unavailable, "cannot create a libcurl handle (curl_multi_init)")
        }
        self.curl = curl
        self.engine = engine
        self.multi = multi
        settings = engine.settings
        hosts = CurlHosts(maximum: min(settings.connectionsPerHost, settings.connections))
        // Limits libcurl itself, when it replaces a lost connection.
        _ = sg_multi_set_long(curl.functions, multi, CURLMOPT_MAX_HOST_CONNECTIONS, settings.connectionsPerHost)
        _ = sg_multi_set_long(curl.functions, multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, settings.connections)
        _ = sg_multi_set_long(curl.functions, multi, CURLMOPT_MAXCONNECTS, settings.connections)
        _ = sg_multi_set_long(curl.functions, multi, CURLMOPT_MAX_CONCURRENT_STREAMS, settings.streamsPerHost)
        let code = sg_multi_set_callbacks(
            curl.functions, multi, changeSocket, changeTimer, Unmanaged.passUnretained(poller).toOpaque())
        guard code == CURLM_OK else { throw multiError(code) }
        engine.setWakeEvent(poller.wakeEvent)
    }

    deinit {
        engine.setWakeEvent(nil)
        for slot in slots where slot.fetch != nil { _ = sg_multi_remove(curl.functions, multi, slot.easy) }
        (slots, idleSlots) = ([], [])
        sg_multi_destroy(curl.functions, multi)
    }

    /// Runs until shut-down or failure and returns the reason; all fetches have ended then.
    func run() -> FetchError {
        defer { timer?.task.cancel() }
        while true {
            var isShutDown = false
            for command in engine.takeCommands() {
                switch command {
                case .start(let fetch): add(fetch)
                case .cancel(let fetch): cancel(fetch)
                case .move(let fetch, let priority): fetch.queueHandle.map { queue.move($0, to: priority) }
                case .unpause(let fetch): unpause(fetch)
                case .checkTime: checkTime()
                // Fetches that were accepted after it end, too.
                case .shutDown: isShutDown = true
                }
            }
            guard !isShutDown else { return end(with: CurlEngine.shutDownError) }
            startQueued()
            var code = CURLM_OK
            if poller.takeTimer() { code = sg_multi_socket_action(curl.functions, multi, Int32(SG_SOCKET_TIMEOUT), 0) }
            let hasFinished = code == CURLM_OK && finishCompleted()
            if !hasFinished {
                let act = { [curl, multi] (socket: Int32, what: Int32) in
                    let result = sg_multi_socket_action(curl.functions, multi, socket, what)
                    if code == CURLM_OK { code = result }
                }
                // Resuming callers takes longer than polling: it waits for a quiet moment, or for many results.
                if ended.count >= Self.maxPendingResults { deliverResults() }
                if ended.isEmpty || !poller.wait(mayBlock: false, act) {
                    deliverResults()
                    if transfers == 0 { pool.removeAll() }
                    _ = poller.wait(mayBlock: code == CURLM_OK && engine.mayFallAsleep(), act)
                }
                finishCompleted()
            }
            guard code == CURLM_OK else { return end(with: multiError(code)) }
        }
    }

    private func add(_ fetch: CurlFetch) {
        guard !fetch.isCancelled else { return fail(fetch, with: CancellationError()) }
        fetches.insert(fetch)
        enqueue(fetch)
    }

    func enqueue(_ fetch: CurlFetch) {
        let host = hosts.enter(fetch.address)
        fetch.host = host
        guard fetch.rule.allows(isInPrivateNetwork: host.isInPrivateNetwork) else {
            return fail(fetch, with: privateNetworkError(fetch))
        }
        if fetch.isImpatient, let reason = host.silence(at: settings.time.now()) {
            return fail(fetch, with: FetchError(.unreachable, "\(fetch.address.shown): \(reason)"))
        }
        if let handle = fetch.queueHandle {
            queue.reinsert(fetch, at: handle, host: host, priority: fetch.request.priority)
        } else {
            fetch.queueHandle = queue.insert(fetch, host: host, priority: fetch.request.priority)
        }
    }

    private func unpause(_ fetch: CurlFetch) {
        guard let slot = fetch.slot, slot.isPaused else { return }
        let code = slot.unpause(at: settings.time.now())
        // libcurl has dropped the held bytes and would continue after them.
        if code != CURLE_OK { finish(fetch, on: slot, code) }
    }

    private var transfers: Int { slots.count - idleSlots.count }

    private func startQueued() {
        while queue.count > 0, transfers < settings.connections {
            let now = settings.time.now()
            guard let fetch = queue.next(hasCapacity: { $0.transfers < $0.concurrencyLimit.capacity(at: now) }) else {
                return
            }
            do {
                let slot = try idleSlots.popLast() ?? newSlot()
                fetch.slot = slot
                fetch.host?.transfers += 1
                try slot.begin(fetch, at: now)
                let code = sg_multi_add(curl.functions, multi, slot.easy)
                guard code == CURLM_OK else { throw multiError(code) }
                wake(at: now + min(settings.stallTimeout(of: fetch.request), slot.timeLimit.duration))
                settings.onEvent?(.requestSent(fetch.address))
            } catch {
                // The next fetch of the host may use the capacity.
                if let slot = fetch.slot { _ = release(slot) } else { fetch.host.map { queue.unparkOne(at: $0) } }
                fail(fetch, with: error)
            }
        }
    }

    private func newSlot() throws(FetchError) -> CurlEasyHandle {
        let slot = try CurlEasyHandle(curl, engine, pool)
        slots.append(slot)
        return slot
    }

    func release(_ slot: CurlEasyHandle) -> CurlEasyHandle.Body {
        _ = sg_multi_remove(curl.functions, multi, slot.easy)
        idleSlots.append(slot)
        if let fetch = slot.fetch, let host = fetch.host {
            host.transfers -= 1
            queue.unparkOne(at: host)
            leaveHost(fetch)
        }
        return slot.end()
    }

    func leaveHost(_ fetch: CurlFetch) {
        guard let host = fetch.host else { return }
        hosts.leave(host)
        fetch.host = nil
    }

    @discardableResult
    private func finishCompleted() -> Bool {
        var hasFinished = false
        var code = CURLE_OK
        while let context = sg_multi_next_done(curl.functions, multi, &code) {
            let slot = easyHandle(context).takeUnretainedValue()
            guard let fetch = slot.fetch else { continue }
            finish(fetch, on: slot, code)
            hasFinished = true
        }
        return hasFinished
    }

    /// The only end of a fetch: it leaves `fetches`, and its continuation is resumed once.
    func resolve(_ fetch: CurlFetch, _ result: Result<FetchResponse, any Error>) {
        leaveHost(fetch)
        fetches.remove(fetch)
        fetch.result = result
        ended.append(fetch)
    }

    private func deliverResults() {
        guard !ended.isEmpty else { return }
        ThreadSanitizer.synchronize()
        for fetch in ended {
            // Moved to its caller: copies would count references on two threads.
            if let result = fetch.result.take() { fetch.continuation?.resume(with: result) }
        }
        ended.removeAll(keepingCapacity: true)
    }

    private func end(with reason: FetchError) -> FetchError {
        for slot in slots where slot.fetch != nil { _ = release(slot) }
        for fetch in fetches.all { fail(fetch, with: reason) }
        deliverResults()
        return reason
    }

    private func multiError(_ code: CURLMcode) -> FetchError {
        FetchError(.unavailable, "libcurl failed: \(String(cString: sg_multi_error(curl.functions, code)))")
    }

    /// Schedules a time check, at `due` at the latest.
    func wake(at due: Duration) {
        if let timer, timer.due <= due { return }
        timer?.task.cancel()
        let task = Task { [engine, time = settings.time] in
            do { try await time.sleep(due) } catch { return }
            engine.post(.checkTime)
        }
        timer = (due, task)
    }

    private func checkTime() {
        let now = settings.time.now()
        // A replaced timer may still have fired.
        if let timer, timer.due <= now { self.timer = nil }
        for slot in slots {
            guard let fetch = slot.fetch else { continue }
            slot.keepWaiting(at: now)
            let stallEnd = slot.lastProgress + settings.stallTimeout(of: fetch.request)
            if let end = fetch.lingersUntil, end <= now {
                abort(fetch)
            } else if stallEnd <= now {
                endTimedOut(fetch, on: slot, with: stallError(fetch))
            } else if let check = slot.timeLimit.nextCheck(at: now, received: slot.received) {
                wake(at: min(stallEnd, check, fetch.lingersUntil ?? stallEnd))
            } else {
                endTimedOut(fetch, on: slot, with: slot.timeLimit.error(at: fetch.address, settings))
            }
        }
        for host in hosts.paused {
            if host.concurrencyLimit.endPause(at: now) {
                queue.unparkAll(at: host)
            } else if let end = host.concurrencyLimit.pausedUntil {
                wake(at: end)
            }
        }
    }
}
