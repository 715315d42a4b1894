internal import SpyglassCCurl
internal import SpyglassThreads

extension CurlLoop {
    /// Cancelled transfers with fewer bytes left may complete: that is faster than the handshake of a new connection.
    static let nearlyDone = 32 << 10
    static let lingerLimit = Duration.seconds(2)

    func finish(_ fetch: CurlFetch, on slot: CurlEasyHandle, _ code: CURLcode) {
        let head = slot.head
        let isComplete = code == CURLE_OK || slot.hasAllThatIsWanted
        let failure = slot.failure ?? (isComplete ? nil : error(code, of: fetch, on: slot))
        report(slot)
        learn(from: slot, of: fetch)
        let unresponsiveHost = failure == nil ? nil : unresponsiveHost(of: fetch, on: slot)
        let body = release(slot)
        if let failure {
            fail(fetch, with: withPartialResponse(failure, body, of: fetch, on: slot))
            unresponsiveHost.map(failImpatient)
            return
        }
        guard let status = head.status, head.isFinal else {
            return fail(
                fetch, with: FetchError(.unreachable, "\(fetch.address.shown): response without an HTTP status"))
        }
        do {
            let next = try settings.redirects.next(
                after: fetch.address, status: status, headers: head.headers, hops: fetch.redirects)
            guard let next else {
                body.memory.end(isComplete: true)
                return resolve(fetch, .success(response(to: fetch, status, head, body)))
            }
            guard fetch.lingersUntil == nil else { return fail(fetch, with: CancellationError()) }
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

    func cancel(_ fetch: CurlFetch) {
        guard fetch.host != nil else { return }
        if let slot = fetch.slot {
            guard fetch.request.finishesWhenNearlyDone, slot.isNearlyDone(within: Self.nearlyDone) else {
                return abort(fetch)
            }
            let end = settings.time.now() + Self.lingerLimit
            fetch.lingersUntil = end
            wake(at: end)
        } else {
            dequeue(fetch)
            fail(fetch, with: CancellationError())
        }
    }

    func abort(_ fetch: CurlFetch) {
        if let slot = fetch.slot {
            report(slot)
            _ = release(slot)
            settings.onEvent?(.cancelled(fetch.address))
        }
        fail(fetch, with: CancellationError())
    }

    func stallError(_ fetch: CurlFetch) -> FetchError {
        let seconds = settings.stallTimeout(of: fetch.request).components.seconds
        return FetchError(.timedOut, "\(fetch.address.shown): no progress for \(seconds) s", exceededLimit: .stall)
    }

    func endTimedOut(_ fetch: CurlFetch, on slot: CurlEasyHandle, with error: FetchError) {
        guard !slot.hasAllThatIsWanted else { return finish(fetch, on: slot, CURLE_OK) }
        report(slot)
        let unresponsiveHost = unresponsiveHost(of: fetch, on: slot)
        let body = release(slot)
        fail(fetch, with: withPartialResponse(error, body, of: fetch, on: slot))
        unresponsiveHost.map(failImpatient)
    }

    /// Returns the host of a failed transfer, if other fetches need not wait for it either.
    private func unresponsiveHost(of fetch: CurlFetch, on slot: CurlEasyHandle) -> CurlHost? {
        guard let host = fetch.host, !slot.head.isFinal, host.failed(since: slot.begun, at: settings.time.now())
        else { return nil }
        return host
    }

    private func failImpatient(of host: CurlHost) {
        guard let reason = host.reasonToFail(at: settings.time.now()) else { return }
        for fetch in host.queue.elements where fetch.isImpatient {
            dequeue(fetch)
            fail(fetch, with: FetchError(.unreachable, "\(fetch.address.shown): \(reason)"))
        }
    }

    func fail(_ fetch: CurlFetch, with error: any Error) { resolve(fetch, .failure(error)) }

    private func report(_ slot: CurlEasyHandle) {
        guard let onEvent = settings.onEvent, let fetch = slot.fetch, slot.head.isFinal,
            let status = slot.head.status
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
            let status = head.status, (200...299).contains(status)
        else { return error }
        guard body.memory.end(isComplete: false) else { return error }
        var error = error
        error.partialResponse = response(to: fetch, status, head, body)
        error.bodyTime = slot.timeLimit.elapsed(at: settings.time.now())
        return error
    }

    func privateNetworkError(_ fetch: CurlFetch) -> FetchError {
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
        error.isConnectionLost = Self.breaks.contains { $0 == code }
        return error
    }

    /// Failures of established connections (libcurl-errors(3)).
    private static let breaks = [
        CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM,
    ]
}
