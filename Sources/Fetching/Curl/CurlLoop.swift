internal import SpyglassCCurl

/// The loop on the transport's own thread: it alone touches libcurl's handles.
///
/// A fetch waits in our line until there is room for it, so libcurl never queues: priorities and cancellation stay ours.
/// Every slot carries one transfer. How fetches end is in `CurlLoop+Ending.swift`.
final class CurlLoop {
    let engine: CurlEngine
    let settings: CurlSettings
    let curl: CurlLibrary
    private let multi: OpaquePointer
    private let watch: CurlPoller
    var fetches: [ObjectIdentifier: CurlFetch] = [:]
    var queue = FetchQueue<CurlFetch, CurlHost>()
    var hosts: CurlHosts
    private var idleSlots: [CurlEasyHandle] = []
    private(set) var busySlots: [OpaquePointer: CurlEasyHandle] = [:]
    /// Answers that are ready to be handed out, once the network has something to do again.
    private var answers: [(CheckedContinuation<FetchResponse, any Error>, Result<FetchResponse, any Error>)] = []
    /// How many answers are held back at most while sockets are ready.
    private static let answersAtOnce = 16
    private var alarm: (due: Duration, task: Task<Void, Never>)?

    init(_ curl: CurlLibrary, _ engine: CurlEngine) throws(FetchError) {
        watch = try CurlPoller()
        guard let multi = sg_multi_create(curl.functions) else {
            throw FetchError(.unavailable, "libcurl could not make a handle (curl_multi_init)")
        }
        self.curl = curl
        self.engine = engine
        self.multi = multi
        settings = engine.settings
        hosts = CurlHosts(maximum: min(settings.connectionsPerHost, settings.connections))
        // Our line lets no more through; this keeps libcurl to it where a connection dies and is replaced.
        _ = sg_multi_set_long(curl.functions, multi, CURLMOPT_MAX_HOST_CONNECTIONS, settings.connectionsPerHost)
        _ = sg_multi_set_long(curl.functions, multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, settings.connections)
        _ = sg_multi_set_long(curl.functions, multi, CURLMOPT_MAXCONNECTS, settings.connections)
        _ = sg_multi_set_long(curl.functions, multi, CURLMOPT_MAX_CONCURRENT_STREAMS, settings.streamsPerHost)
        let code = sg_multi_set_watch(
            curl.functions, multi, changeSocket, changeTimer, Unmanaged.passUnretained(watch).toOpaque())
        guard code == CURLM_OK else { throw gaveUp(code) }
        engine.setBell(watch.bell)
    }

    deinit {
        engine.setBell(nil)
        for easy in busySlots.keys { _ = sg_multi_remove(curl.functions, multi, easy) }
        busySlots = [:]
        idleSlots = []
        sg_multi_destroy(curl.functions, multi)
    }

    /// Runs until it is told to end, and says why it ended; every fetch has had its answer then.
    func run() -> FetchError {
        defer { alarm?.task.cancel() }
        while true {
            for command in engine.takeCommands() {
                switch command {
                case .start(let start): add(start)
                case .cancel(let ticket): cancel(ticket)
                case .move(let ticket, let priority): move(ticket, to: priority)
                case .unpause(let ticket): unpause(ticket)
                case .checkTime: timePassed()
                case .shutDown: return end(with: CurlEngine.shutDownError)
                }
            }
            startWaiting()
            var code = CURLM_OK
            if watch.takeTimer() { code = sg_multi_act(curl.functions, multi, Int32(SG_SOCKET_TIMEOUT), 0) }
            let hasFinished = code == CURLM_OK && finishDone()
            if !hasFinished {
                let act = { [curl, multi] (socket: Int32, what: Int32) in
                    let result = sg_multi_act(curl.functions, multi, socket, what)
                    if code == CURLM_OK { code = result }
                }
                // Waking callers costs more than a look at the sockets: it is done when these have nothing, or for many at once.
                if answers.count >= Self.answersAtOnce { handOut() }
                if answers.isEmpty || !watch.wait(mayRest: false, act) {
                    handOut()
                    _ = watch.wait(mayRest: code == CURLM_OK && engine.mayFallAsleep(), act)
                }
                finishDone()
            }
            guard code == CURLM_OK else { return end(with: gaveUp(code)) }
        }
    }

    private func add(_ start: CurlCommand.Start) {
        guard !start.ticket.isCancelled else {
            return answers.append((start.continuation, .failure(CancellationError())))
        }
        let fetch = CurlFetch(start, rule: PrivateNetworkPolicy(trust: start.request.trust, proxies: settings.proxies))
        fetches[ObjectIdentifier(start.ticket)] = fetch
        enqueue(fetch)
    }

    func enqueue(_ fetch: CurlFetch) {
        guard fetch.rule.allows(fetch.address) else { return fail(fetch, with: privateNetworkError(fetch)) }
        let host = hosts.enter(fetch.address.authority)
        fetch.host = host
        if fetch.isImpatient, let reason = host.silence(at: settings.time.now()) {
            return fail(fetch, with: FetchError(.unreachable, "\(fetch.address.shown): \(reason)"))
        }
        if let handle = fetch.queueHandle {
            queue.reinsert(fetch, at: handle, host: host, priority: fetch.request.priority)
        } else {
            fetch.queueHandle = queue.insert(fetch, host: host, priority: fetch.request.priority)
        }
    }

    private func move(_ ticket: FetchTicket, to priority: FetchPriority) {
        guard let handle = fetches[ObjectIdentifier(ticket)]?.queueHandle else { return }
        queue.move(handle, to: priority)
    }

    /// The body of a transfer is held no more.
    private func unpause(_ ticket: FetchTicket) {
        guard let fetch = fetches[ObjectIdentifier(ticket)], let slot = fetch.slot, slot.isPaused else { return }
        let code = slot.unpause(at: settings.time.now())
        // libcurl has dropped what it kept for the receiver, and would go on behind it.
        if code != CURLE_OK { finish(fetch, on: slot, code) }
    }

    /// Gives free connections to those who wait.
    private func startWaiting() {
        while queue.count > 0, busySlots.count < settings.connections {
            let now = settings.time.now()
            guard let fetch = queue.next(hasCapacity: { $0.transfers < $0.allowance.room(at: now) }) else { return }
            do {
                let slot = try idleSlots.popLast() ?? CurlEasyHandle(curl, settings)
                busySlots[slot.easy] = slot
                fetch.slot = slot
                fetch.host?.transfers += 1
                try slot.begin(fetch, at: now)
                let code = sg_multi_add(curl.functions, multi, slot.easy)
                guard code == CURLM_OK else { throw gaveUp(code) }
                wake(at: now + settings.stallTimeout(of: fetch.request))
                settings.onEvent?(.requestSent(fetch.address))
            } catch {
                // Whoever waits for the same room hears of it again.
                if let slot = fetch.slot { _ = release(slot) } else { fetch.host.map { queue.unparkOne(at: $0) } }
                fail(fetch, with: error)
            }
        }
    }

    /// Takes a transfer from libcurl, frees its connection and hands out what it buffered.
    func release(_ slot: CurlEasyHandle) -> CurlEasyHandle.Body {
        _ = sg_multi_remove(curl.functions, multi, slot.easy)
        busySlots[slot.easy] = nil
        idleSlots.append(slot)
        if let fetch = slot.fetch, let host = fetch.host {
            host.transfers -= 1
            queue.unparkOne(at: host)
            leaveHost(fetch)
        }
        return slot.end()
    }

    /// The fetch needs nothing of its host any more.
    func leaveHost(_ fetch: CurlFetch) {
        guard let host = fetch.host else { return }
        hosts.leave(host)
        fetch.host = nil
    }

    @discardableResult
    private func finishDone() -> Bool {
        var hasFinished = false
        var code = CURLE_OK
        while let easy = sg_multi_next_done(curl.functions, multi, &code) {
            guard let slot = busySlots[easy], let fetch = slot.fetch else { continue }
            finish(fetch, on: slot, code)
            hasFinished = true
        }
        return hasFinished
    }

    /// The fetch is over; its answer waits until the loop has nothing more urgent to do.
    func settle(_ fetch: CurlFetch, _ result: Result<FetchResponse, any Error>) {
        leaveHost(fetch)
        fetches[ObjectIdentifier(fetch.ticket)] = nil
        answers.append((fetch.continuation, result))
    }

    private func handOut() {
        guard !answers.isEmpty else { return }
        for (continuation, result) in answers { continuation.resume(with: result) }
        answers.removeAll(keepingCapacity: true)
    }

    private func end(with reason: FetchError) -> FetchError {
        for slot in Array(busySlots.values) { _ = release(slot) }
        for fetch in Array(fetches.values) { fail(fetch, with: reason) }
        handOut()
        return reason
    }

    private func gaveUp(_ code: CURLMcode) -> FetchError {
        FetchError(.unavailable, "libcurl gave up: \(String(cString: sg_multi_error(curl.functions, code)))")
    }
}

// MARK: - Time

extension CurlLoop {
    /// Has the loop look at the time at that moment, if not before.
    func wake(at due: Duration) {
        if let alarm, alarm.due <= due { return }
        alarm?.task.cancel()
        let task = Task { [engine, time = settings.time] in
            do { try await time.sleep(due) } catch { return }
            engine.post(.checkTime)
        }
        alarm = (due, task)
    }

    private func timePassed() {
        let now = settings.time.now()
        // An alarm that was replaced may still have rung.
        if let alarm, alarm.due <= now { self.alarm = nil }
        for slot in Array(busySlots.values) {
            guard let fetch = slot.fetch else { continue }
            slot.keepWaiting(at: now)
            let stallEnd = slot.lastProgress + settings.stallTimeout(of: fetch.request)
            if let end = fetch.lingersUntil, end <= now {
                abandon(fetch)
            } else if stallEnd <= now {
                endStalled(fetch, on: slot)
            } else {
                wake(at: min(stallEnd, fetch.lingersUntil ?? stallEnd))
            }
        }
        for host in hosts.paused {
            if host.allowance.endPause(at: now) {
                queue.unparkAll(at: host)
            } else if let end = host.allowance.pausedUntil {
                wake(at: end)
            }
        }
    }
}
