internal import SpyglassCCurl

/// The loop on the transport's own thread: it alone touches libcurl's handles.
///
/// A fetch waits in our line until a connection is free for it, so libcurl never queues: priorities and cancellation stay
/// ours. Every slot carries one transfer.
final class CurlLoop {
    private let engine: CurlEngine
    private let settings: CurlSettings
    private let curl: CurlLibrary
    private let multi: OpaquePointer
    private var fetches: [ObjectIdentifier: CurlFetch] = [:]
    private var line = WaitingLine<CurlFetch>()
    private var idleSlots: [CurlSlot] = []
    private var busySlots: [OpaquePointer: CurlSlot] = [:]
    private var transfersPerHost: [String: Int] = [:]
    private var watch: Task<Void, Never>?

    /// How long the loop sleeps at most, in milliseconds; commands and sockets wake it.
    private static let longestSleep: Int32 = 60_000

    init(_ curl: CurlLibrary, _ engine: CurlEngine) throws(FetchError) {
        guard let multi = sg_multi_create(curl.functions) else {
            throw FetchError(.unavailable, "libcurl could not make a handle (curl_multi_init)")
        }
        self.curl = curl
        self.engine = engine
        self.multi = multi
        settings = engine.settings
        // Our line lets no more through; this keeps libcurl to it where a connection dies and is replaced.
        _ = sg_multi_set_long(curl.functions, multi, CURLMOPT_MAX_HOST_CONNECTIONS, settings.connectionsPerHost)
        _ = sg_multi_set_long(curl.functions, multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, settings.connections)
        _ = sg_multi_set_long(curl.functions, multi, CURLMOPT_MAXCONNECTS, settings.connections)
        engine.setAlarm(CurlAlarm(curl: curl, multi: multi))
    }

    deinit {
        engine.setAlarm(nil)
        for easy in busySlots.keys { _ = sg_multi_remove(curl.functions, multi, easy) }
        busySlots = [:]
        idleSlots = []
        sg_multi_destroy(curl.functions, multi)
    }

    /// Runs until it is told to end, and says why it ended; every fetch has had its answer then.
    func run() -> FetchError {
        defer { watch?.cancel() }
        while true {
            for command in engine.takeCommands() {
                switch command {
                case .start(let start): add(start)
                case .cancel(let ticket): cancel(ticket)
                case .move(let ticket, let priority): move(ticket, to: priority)
                case .checkProgress: endStalled()
                case .shutDown: return end(with: CurlEngine.shutDownError)
                }
            }
            startWaiting()
            var code = sg_multi_perform(curl.functions, multi)
            if code == CURLM_OK, !finishDone() {
                watchProgress()
                code = sg_multi_poll(curl.functions, multi, Self.longestSleep)
            }
            guard code == CURLM_OK else {
                let words = String(cString: sg_multi_error(curl.functions, code))
                return end(with: FetchError(.unavailable, "libcurl gave up: \(words)"))
            }
        }
    }

    private func add(_ start: CurlCommand.Start) {
        guard !start.ticket.isCancelled else { return start.continuation.resume(throwing: CancellationError()) }
        let fetch = CurlFetch(start, rule: NetworkRule(trust: start.request.trust, proxies: settings.proxies))
        fetches[ObjectIdentifier(start.ticket)] = fetch
        enqueue(fetch)
    }

    private func enqueue(_ fetch: CurlFetch) {
        guard fetch.rule.allows(fetch.address) else { return fail(fetch, with: privateNetworkError(fetch)) }
        let (host, priority) = (fetch.address.authority, fetch.request.priority)
        if let place = fetch.place {
            line.putBack(fetch, at: place, host: host, priority: priority)
        } else {
            fetch.place = line.add(fetch, host: host, priority: priority)
        }
    }

    private func move(_ ticket: FetchTicket, to priority: FetchPriority) {
        guard let place = fetches[ObjectIdentifier(ticket)]?.place else { return }
        line.move(place, to: priority)
    }

    private func cancel(_ ticket: FetchTicket) {
        guard let fetch = fetches[ObjectIdentifier(ticket)] else { return }
        if let slot = fetch.slot {
            report(slot)
            _ = release(slot)
            settings.onEvent?(.cancelled(fetch.address))
        } else if let place = fetch.place {
            line.remove(place)
        }
        fail(fetch, with: CancellationError())
    }

    /// Gives free connections to those who wait.
    private func startWaiting() {
        while busySlots.count < settings.connections {
            let next = line.next { transfersPerHost[$0, default: 0] < settings.connectionsPerHost }
            guard let fetch = next else { return }
            do {
                let slot = try idleSlots.popLast() ?? CurlSlot(curl, settings)
                busySlots[slot.easy] = slot
                fetch.slot = slot
                transfersPerHost[fetch.address.authority, default: 0] += 1
                try slot.begin(fetch)
                let code = sg_multi_add(curl.functions, multi, slot.easy)
                guard code == CURLM_OK else {
                    throw FetchError(.unavailable, "libcurl: \(String(cString: sg_multi_error(curl.functions, code)))")
                }
                settings.onEvent?(.requestSent(fetch.address))
            } catch {
                if let slot = fetch.slot { _ = release(slot) }
                fail(fetch, with: error)
            }
        }
    }

    /// Tells the observer of the answer that came, whole or not.
    private func report(_ slot: CurlSlot) {
        guard let onEvent = settings.onEvent, slot.head.isFinal, let status = slot.head.status,
            let fetch = slot.fetch
        else { return }
        onEvent(.received(fetch.address, status: status, bytes: slot.body.count))
    }

    /// Takes a transfer from libcurl, frees its connection and hands out what it gathered.
    private func release(_ slot: CurlSlot) -> [UInt8] {
        _ = sg_multi_remove(curl.functions, multi, slot.easy)
        busySlots[slot.easy] = nil
        idleSlots.append(slot)
        if let host = slot.fetch?.address.authority, let transfers = transfersPerHost[host] {
            transfersPerHost[host] = transfers > 1 ? transfers - 1 : nil
            line.roomCame(at: host)
        }
        return slot.end()
    }

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

    private func finish(_ fetch: CurlFetch, on slot: CurlSlot, _ code: CURLcode) {
        let head = slot.head
        let isWhole = code == CURLE_OK || slot.hasAllThatIsWanted
        let failure = slot.failure ?? (isWhole ? nil : error(code, of: fetch, on: slot))
        report(slot)
        let body = release(slot)
        if let failure { return fail(fetch, with: withPart(failure, body, head, of: fetch)) }
        guard let status = head.status, head.isFinal else {
            return fail(fetch, with: FetchError(.unreachable, "\(fetch.address.shown): the answer has no HTTP status"))
        }
        do {
            let next = try settings.redirects.next(
                after: fetch.address, status: status, headers: head.headers, followed: fetch.redirects.count)
            guard let next else {
                fetches[ObjectIdentifier(fetch.ticket)] = nil
                return fetch.continuation.resume(returning: response(to: fetch, status, head, body))
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

    private func response(to fetch: CurlFetch, _ status: Int, _ head: HeaderParser, _ body: [UInt8]) -> FetchResponse {
        FetchResponse(
            address: fetch.address, status: status, headers: head.headers, body: body, redirects: fetch.redirects,
            cameFromPrivateNetwork: fetch.rule.startedInPrivateNetwork)
    }

    /// The error, with what had come of the answer when the network gave up.
    private func withPart(
        _ error: FetchError, _ body: [UInt8], _ head: HeaderParser, of fetch: CurlFetch
    ) -> FetchError {
        guard error.kind == .unreachable || error.kind == .timedOut, !body.isEmpty, head.isFinal,
            let status = head.status, (200...299).contains(status)
        else { return error }
        var error = error
        error.part = response(to: fetch, status, head, body)
        return error
    }

    private func fail(_ fetch: CurlFetch, with error: any Error) {
        fetches[ObjectIdentifier(fetch.ticket)] = nil
        fetch.continuation.resume(throwing: error)
    }

    private func end(with reason: FetchError) -> FetchError {
        for slot in Array(busySlots.values) { _ = release(slot) }
        for fetch in Array(fetches.values) { fail(fetch, with: reason) }
        return reason
    }
}

// MARK: - Progress

extension CurlLoop {
    /// Sets one alarm for the transfer that would be the first to have stood still for too long.
    private func watchProgress() {
        guard watch == nil, let oldest = busySlots.values.map(\.lastProgress).min() else { return }
        let due = oldest + settings.stallLimit
        watch = Task { [engine, time = settings.time] in
            do { try await time.sleep(due) } catch { return }
            engine.post(.checkProgress)
        }
    }

    private func endStalled() {
        watch = nil
        let now = settings.time.now()
        for slot in Array(busySlots.values) where now - slot.lastProgress >= settings.stallLimit {
            guard let fetch = slot.fetch else { continue }
            guard !slot.hasAllThatIsWanted else {
                finish(fetch, on: slot, CURLE_OK)
                continue
            }
            let head = slot.head
            report(slot)
            let body = release(slot)
            let seconds = settings.stallLimit.components.seconds
            let error = FetchError(
                .timedOut, "\(fetch.address.shown): no progress for \(seconds) s", exceeded: .stall)
            fail(fetch, with: withPart(error, body, head, of: fetch))
        }
    }
}

// MARK: - Errors

extension CurlLoop {
    private func privateNetworkError(_ fetch: CurlFetch) -> FetchError {
        let named = fetch.redirects.isEmpty ? "a service on the Internet named it" : "a redirect leads to it"
        return FetchError(
            .refused, "\(fetch.address.shown) stands in a private network and is not fetched, since \(named)")
    }

    private func error(_ code: CURLcode, of fetch: CurlFetch, on slot: CurlSlot) -> FetchError {
        if slot.metPrivateNetwork, code == CURLE_COULDNT_CONNECT || code == CURLE_ABORTED_BY_CALLBACK {
            return privateNetworkError(fetch)
        }
        let kind: FetchError.Kind =
            switch code {
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_PEER_FAILED_VERIFICATION: .refused
            case CURLE_OUT_OF_MEMORY, CURLE_SSL_CACERT_BADFILE, CURLE_FAILED_INIT: .unavailable
            default: .unreachable
            }
        return FetchError(kind, "\(fetch.address.shown): \(slot.words(for: code))")
    }
}
