internal import SpyglassCCurl
internal import SpyglassThreads

/// The event loop, whose thread alone uses libcurl; fetches wait in their hosts' queues, so that priorities take effect.
final class CurlLoop {
    let engine: CurlEngine
    let settings: CurlSettings
    let curl: CurlLibrary
    private let multi: OpaquePointer
    private let poller: CurlPoller
    /// By authority: hosts with fetches, and those whose pause or failure is remembered.
    private var hosts: [String: CurlHost] = [:]
    private var fetchCount = 0
    /// All handles; those without a fetch are also in `idleSlots`.
    private var slots: [CurlEasyHandle] = []
    private var idleSlots: [CurlEasyHandle] = []
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
                case .start(let fetch): start(fetch)
                case .cancel(let fetch): cancel(fetch)
                case .move(let fetch): fetch.queueHandle.map { fetch.host?.queue.move($0, to: fetch.rank) }
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
            let hasFinished = finishCompleted()
            poller.wait(mayBlock: code == CURLM_OK && !hasFinished && engine.mayFallAsleep()) { socket, what in
                let result = sg_multi_socket_action(curl.functions, multi, socket, what)
                if code == CURLM_OK { code = result }
            }
            finishCompleted()
            guard code == CURLM_OK else { return end(with: multiError(code)) }
        }
    }

    private func start(_ fetch: CurlFetch) {
        guard !fetch.isCancelled else { return fail(fetch, with: CancellationError()) }
        fetchCount += 1
        fetch.number = fetchCount
        enqueue(fetch)
    }

    func enqueue(_ fetch: CurlFetch) {
        let name = fetch.address.authority
        let host =
            hosts[name]
            ?? CurlHost(of: fetch.address, maxTransfers: min(settings.connectionsPerHost, settings.connections))
        guard fetch.rule.allows(isInPrivateNetwork: host.isInPrivateNetwork) else {
            return fail(fetch, with: privateNetworkError(fetch))
        }
        if fetch.isImpatient, let reason = host.reasonToFail(at: settings.time.now()) {
            return fail(fetch, with: FetchError(.unreachable, "\(fetch.address.shown): \(reason)"))
        }
        hosts[name] = host
        fetch.host = host
        fetch.queueHandle = host.queue.insert(fetch, priority: fetch.rank)
    }

    private func unpause(_ fetch: CurlFetch) {
        guard let slot = fetch.slot, slot.isPaused else { return }
        let code = slot.unpause(at: settings.time.now())
        // libcurl has dropped the held bytes and would continue after them.
        if code != CURLE_OK { finish(fetch, on: slot, code) }
    }

    private func startQueued() {
        while slots.count - idleSlots.count < settings.connections {
            let now = settings.time.now()
            // The first fetch by priority, then by arrival, of the hosts that may start a transfer.
            let first = hosts.values.lazy.filter { $0.mayStart(at: now) }.compactMap(\.queue.first)
                .min { ($1.rank, $0.number) < ($0.rank, $1.number) }
            guard let fetch = first, let host = fetch.host else { return }
            do {
                dequeue(fetch)
                let slot = try idleSlots.popLast() ?? newSlot()
                fetch.slot = slot
                host.transfers += 1
                try slot.begin(fetch, at: now)
                let code = sg_multi_add(curl.functions, multi, slot.easy)
                guard code == CURLM_OK else { throw multiError(code) }
                wake(at: now + min(settings.stallTimeout(of: fetch.request), slot.timeLimit.duration))
                settings.onEvent?(.requestSent(fetch.address))
            } catch {
                if let slot = fetch.slot { _ = release(slot) }
                fail(fetch, with: error)
            }
        }
    }

    func dequeue(_ fetch: CurlFetch) { if let handle = fetch.queueHandle.take() { fetch.host?.queue.remove(handle) } }

    private func newSlot() throws(FetchError) -> CurlEasyHandle {
        let slot = try CurlEasyHandle(curl, engine)
        slots.append(slot)
        return slot
    }

    func release(_ slot: CurlEasyHandle) -> CurlEasyHandle.Body {
        _ = sg_multi_remove(curl.functions, multi, slot.easy)
        idleSlots.append(slot)
        slot.fetch?.host?.transfers -= 1
        return slot.end()
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

    /// Ends a fetch that is in no queue and has no handle: resumes its caller.
    func resolve(_ fetch: CurlFetch, _ result: Result<FetchResponse, any Error>) {
        let host = fetch.host.take()
        if let host, host.isUnused(at: settings.time.now()) { hosts[host.name] = nil }
        ThreadSanitizer.synchronize()
        fetch.continuation.take()?.resume(with: result)
    }

    private func end(with reason: FetchError) -> FetchError {
        for slot in slots {
            guard let fetch = slot.fetch else { continue }
            _ = release(slot)
            fail(fetch, with: reason)
        }
        for host in hosts.values {
            while let fetch = host.queue.popFirst() { fail(fetch, with: reason) }
        }
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
        for (name, host) in hosts {
            if host.isUnused(at: now) {
                hosts[name] = nil
            } else if let end = host.pausedUntil, end > now {
                wake(at: end)
            }
        }
    }
}
