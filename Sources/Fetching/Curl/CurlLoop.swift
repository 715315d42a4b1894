internal import SpyglassCCurl
internal import SpyglassThreads

/// The event loop, whose thread alone uses libcurl; fetches wait in a queue of our own, so that priorities take effect.
final class CurlLoop {
    private let engine: CurlEngine
    private let settings: CurlSettings
    private let curl: CurlLibrary
    private let multi: OpaquePointer
    private let poller: CurlPoller
    /// By authority: hosts with fetches, and those whose pause or failure is remembered.
    private var hosts: [String: CurlHost] = [:]
    /// In the order of arrival; ranks change while fetches wait.
    private var queue: [CurlFetch] = []
    private var slots: [CurlEasyHandle] = []
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
        for (option, limit) in [
            (CURLMOPT_MAX_HOST_CONNECTIONS, settings.connectionsPerHost),
            (CURLMOPT_MAX_TOTAL_CONNECTIONS, settings.connections), (CURLMOPT_MAXCONNECTS, settings.connections),
            (CURLMOPT_MAX_CONCURRENT_STREAMS, settings.streamsPerHost),
        ] { _ = sg_multi_set_long(curl.functions, multi, option, limit) }
        let code = sg_multi_set_callbacks(
            curl.functions, multi, changeSocket, changeTimer, Unmanaged.passUnretained(poller).toOpaque())
        guard code == CURLM_OK else { throw multiError(code) }
        engine.setWakeEvent(poller.wakeEvent)
    }

    deinit {
        engine.setWakeEvent(nil)
        for slot in slots where slot.fetch != nil { _ = sg_multi_remove(curl.functions, multi, slot.easy) }
        slots = []
        sg_multi_destroy(curl.functions, multi)
    }

    /// Runs until shut-down or failure and returns the reason; all fetches have ended then.
    func run() -> FetchError {
        defer { timer?.task.cancel() }
        while true {
            var isShutDown = false
            for command in engine.takeCommands() {
                switch command {
                case .start(let fetch) where fetch.isCancelled: fail(fetch, with: CancellationError())
                case .start(let fetch): enqueue(fetch)
                case .cancel(let fetch): cancel(fetch)
                case .unpause(let fetch): unpause(fetch)
                case .checkTime: checkTime()
                // Fetches that were accepted after it end, too.
                case .shutDown: isShutDown = true
                }
            }
            guard !isShutDown else { return end(with: CurlEngine.shutDownError) }
            startQueued()
            var code = CURLM_OK
            poller.wait { socket, what in
                let result = sg_multi_socket_action(curl.functions, multi, socket, what)
                if code == CURLM_OK { code = result }
            }
            finishCompleted()
            guard code == CURLM_OK else { return end(with: multiError(code)) }
        }
    }

    private func end(with reason: FetchError) -> FetchError {
        for slot in slots {
            guard let fetch = slot.fetch else { continue }
            _ = release(slot)
            fail(fetch, with: reason)
        }
        for fetch in queue { fail(fetch, with: reason) }
        queue = []
        return reason
    }

    private func multiError(_ code: CURLMcode) -> FetchError {
        FetchError(.unavailable, "libcurl failed: \(String(cString: sg_multi_error(curl.functions, code)))")
    }

    // MARK: Starting and cancelling

    private func enqueue(_ fetch: CurlFetch) {
        guard fetch.rule.allows(fetch.address) else { return fail(fetch, with: privateNetworkError(fetch)) }
        let name = fetch.address.authority
        let maxTransfers = min(settings.connectionsPerHost, settings.connections)
        let host = hosts[name] ?? CurlHost(name: name, maxTransfers: maxTransfers)
        if fetch.isImpatient, let reason = host.reasonToFail(at: settings.time.now()) {
            return fail(fetch, with: FetchError(.unreachable, "\(fetch.address.shown): \(reason)"))
        }
        hosts[name] = host
        fetch.host = host
        queue.append(fetch)
    }

    private func startQueued() {
        while slots.count < settings.connections || slots.contains(where: { $0.fetch == nil }) {
            let now = settings.time.now()
            // `max` keeps the first of equal elements.
            let next = queue.enumerated().lazy.filter { $1.host?.mayStart(at: now) == true }
                .max { $0.element.rank < $1.element.rank }?.offset
            guard let next else { return }
            let fetch = queue.remove(at: next)
            do {
                let slot = try slots.first { $0.fetch == nil } ?? newSlot()
                fetch.slot = slot
                fetch.host?.transfers += 1
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

    private func newSlot() throws(FetchError) -> CurlEasyHandle {
        let slot = try CurlEasyHandle(curl, engine)
        slots.append(slot)
        return slot
    }

    private func release(_ slot: CurlEasyHandle) -> CurlEasyHandle.Body {
        _ = sg_multi_remove(curl.functions, multi, slot.easy)
        slot.fetch?.host?.transfers -= 1
        return slot.end()
    }

    private func unpause(_ fetch: CurlFetch) {
        guard let slot = fetch.slot, slot.isPaused else { return }
        let code = slot.unpause(at: settings.time.now())
        // libcurl has dropped the held bytes and would continue after them.
        if code != CURLE_OK { finish(fetch, on: slot, code) }
    }

    private func cancel(_ fetch: CurlFetch) {
        guard fetch.host != nil else { return }
        if let slot = fetch.slot {
            report(slot)
            _ = release(slot)
            settings.onEvent?(.cancelled(fetch.address))
        } else {
            queue.removeAll { $0 === fetch }
        }
        fail(fetch, with: CancellationError())
    }

    // MARK: Time

    /// Schedules a time check, at `due` at the latest.
    private func wake(at due: Duration) {
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
            if stallEnd <= now {
                endTimedOut(fetch, on: slot, with: stallError(fetch))
            } else if let check = slot.timeLimit.nextCheck(at: now, received: slot.received) {
                wake(at: min(stallEnd, check))
            } else {
                endTimedOut(fetch, on: slot, with: slot.timeLimit.error(at: fetch.address, settings))
            }
        }
        for host in hosts.values {
            forgetIfUnused(host, at: now)
            if let end = host.pausedUntil, end > now { wake(at: end) }
        }
    }

    private func forgetIfUnused(_ host: CurlHost, at now: Duration) {
        guard host.transfers == 0, host.hasNothingToRemember(at: now), !queue.contains(where: { $0.host === host })
        else { return }
        hosts[host.name] = nil
    }

    private func stallError(_ fetch: CurlFetch) -> FetchError {
        let seconds = settings.stallTimeout(of: fetch.request).components.seconds
        return FetchError(.timedOut, "\(fetch.address.shown): no progress for \(seconds) s", exceededLimit: .stall)
    }

    private func endTimedOut(_ fetch: CurlFetch, on slot: CurlEasyHandle, with error: FetchError) {
        guard !slot.hasAllThatIsWanted else { return finish(fetch, on: slot, CURLE_OK) }
        report(slot)
        end(fetch, on: slot, with: error)
    }

    // MARK: Ending

    private func finishCompleted() {
        var code = CURLE_OK
        while let context = sg_multi_next_done(curl.functions, multi, &code) {
            let slot = easyHandle(context).takeUnretainedValue()
            guard let fetch = slot.fetch else { continue }
            finish(fetch, on: slot, code)
        }
    }

    private func finish(_ fetch: CurlFetch, on slot: CurlEasyHandle, _ code: CURLcode) {
        let head = slot.head
        let isComplete = code == CURLE_OK || slot.hasAllThatIsWanted
        report(slot)
        learn(from: slot, of: fetch)
        if let failure = slot.failure ?? (isComplete ? nil : error(code, of: fetch, on: slot)) {
            return end(fetch, on: slot, with: failure)
        }
        let body = release(slot)
        do {
            guard let status = head.status, head.isFinal else {
                throw FetchError(.unreachable, "\(fetch.address.shown): response without an HTTP status")
            }
            let next = try RedirectPolicy.next(
                after: fetch.address, status: status, headers: head.headers, hops: fetch.redirects)
            guard let next else {
                body.memory.end(isComplete: true)
                return resolve(fetch, .success(response(to: fetch, status, head, body)))
            }
            guard fetch.request.secret == nil || next.authority == fetch.request.address.authority else {
                throw FetchError(
                    .disallowed, "\(fetch.address.shown): redirect blocked: \(next.authority) would get the key")
            }
            fetch.redirects.append(
                FetchResponse.Redirect(address: fetch.address, status: status, headers: head.headers))
            fetch.address = next
            fetch.rule.redirected()
            enqueue(fetch)
        } catch {
            fail(fetch, with: error)
        }
    }

    /// Ends a failed transfer; other fetches need not wait for a host without an answer either.
    private func end(_ fetch: CurlFetch, on slot: CurlEasyHandle, with error: FetchError) {
        let host = fetch.host
        let isUnresponsive =
            !slot.head.isFinal && host?.failed(since: slot.begun, at: settings.time.now()) == true
        let body = release(slot)
        fail(fetch, with: withPartialResponse(error, body, of: fetch, on: slot))
        if isUnresponsive, let host { failImpatient(of: host) }
    }

    private func failImpatient(of host: CurlHost) {
        guard let reason = host.reasonToFail(at: settings.time.now()) else { return }
        let failing = queue.filter { $0.host === host && $0.isImpatient }
        queue.removeAll { $0.host === host && $0.isImpatient }
        for fetch in failing { fail(fetch, with: FetchError(.unreachable, "\(fetch.address.shown): \(reason)")) }
    }

    private func fail(_ fetch: CurlFetch, with error: any Error) { resolve(fetch, .failure(error)) }

    /// Ends a fetch that is neither queued nor running: resumes its caller.
    private func resolve(_ fetch: CurlFetch, _ result: Result<FetchResponse, any Error>) {
        if let host = fetch.host.take() { forgetIfUnused(host, at: settings.time.now()) }
        ThreadSanitizer.synchronize()
        fetch.continuation.take()?.resume(with: result)
    }

    private func report(_ slot: CurlEasyHandle) {
        guard let onEvent = settings.onEvent, let fetch = slot.fetch, slot.head.isFinal, let status = slot.head.status
        else { return }
        onEvent(.received(fetch.address, status: status, bytes: slot.received))
    }

    /// Notes what a response says about its host: its protocol, and whether it needs a pause.
    private func learn(from slot: CurlEasyHandle, of fetch: CurlFetch) {
        guard let host = fetch.host, slot.head.isFinal, let status = slot.head.status else { return }
        host.answered(at: slot.headReceived)
        let maxTransfers = slot.head.isHTTP2 ? settings.streamsPerHost : settings.connectionsPerHost
        host.maxTransfers = min(maxTransfers, settings.connections)
        guard status == 429 || status == 503 else { return }
        let now = settings.time.now()
        let requested = RetryAfter.delay(in: slot.head.headers, now: settings.calendar())
        let pause = min(max(requested ?? CurlHost.shortPause, .zero), CurlHost.maxPause)
        guard host.pause(until: now + pause) else { return }
        wake(at: now + pause)
        failImpatient(of: host)
        settings.onEvent?(.hostPaused(host.name, pause))
    }

    private func response(
        to fetch: CurlFetch, _ status: Int, _ head: HeaderParser, _ body: CurlEasyHandle.Body
    ) -> FetchResponse {
        var response = FetchResponse(
            address: fetch.address, status: status, headers: head.headers, body: body.buffered,
            redirects: fetch.redirects, isFromPrivateNetwork: fetch.rule.startedInPrivateNetwork)
        response.streamedByteCount = body.streamedByteCount
        response.memory = body.memory
        return response
    }

    private func withPartialResponse(
        _ error: FetchError, _ body: CurlEasyHandle.Body, of fetch: CurlFetch, on slot: CurlEasyHandle
    ) -> FetchError {
        let head = slot.head
        guard error.kind == .unreachable || error.kind == .timedOut, !body.isEmpty, head.isFinal,
            let status = head.status, (200...299).contains(status), body.memory.end(isComplete: false)
        else { return error }
        var error = error
        error.partialResponse = response(to: fetch, status, head, body)
        error.bodyTime = slot.timeLimit.elapsed(at: settings.time.now())
        return error
    }

    private func privateNetworkError(_ fetch: CurlFetch) -> FetchError {
        let reason = fetch.redirects.isEmpty ? "only public addresses are allowed here" : "reached by a redirect"
        return FetchError(.disallowed, "\(fetch.address.shown): blocked: private network (\(reason))")
    }

    private func error(_ code: CURLcode, of fetch: CurlFetch, on slot: CurlEasyHandle) -> FetchError {
        if slot.metPrivateNetwork, code == CURLE_COULDNT_CONNECT || code == CURLE_ABORTED_BY_CALLBACK {
            return privateNetworkError(fetch)
        }
        // A line above libcurl's own limit of 100 KiB; `CURLE_TOO_LARGE` since 8.6.
        if code == CURLE_OUT_OF_MEMORY || code.rawValue == 100, slot.isReadingHeader {
            return slot.headerTooLong(fetch)
        }
        let kind: FetchError.Kind =
            switch code {
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_PEER_FAILED_VERIFICATION: .disallowed
            case CURLE_OUT_OF_MEMORY, CURLE_SSL_CACERT_BADFILE, CURLE_FAILED_INIT: .unavailable
            default: .unreachable
            }
        var error = FetchError(kind, "\(fetch.address.shown): \(slot.message(for: code))")
        let isBroken = Self.breaks.contains { $0 == code }
        error.isConnectionLost = isBroken || slot.reusedConnection && Self.strangeReplies.contains { $0 == code }
        return error
    }

    /// Failures of established connections (libcurl-errors(3)).
    private static let breaks = [
        CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM,
    ]

    /// No response of HTTP; on a connection that was used before, perhaps the rest of another one.
    private static let strangeReplies = [CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY]
}
