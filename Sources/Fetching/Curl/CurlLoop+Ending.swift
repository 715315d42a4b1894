internal import SpyglassCCurl

/// How fetches end: with an answer, with an error, by cancellation, or by leading on to another address.
extension CurlLoop {
    /// A cancelled transfer of which less is left than this comes to its end, where that is asked for: the rest takes less
    /// time than the handshake of a new connection.
    static let nearlyDone = 32 << 10
    /// How long it may take for that.
    static let lingerLimit = Duration.seconds(2)

    /// libcurl is done with a transfer.
    func finish(_ fetch: CurlFetch, on slot: CurlEasyHandle, _ code: CURLcode) {
        let head = slot.head
        let isWhole = code == CURLE_OK || slot.hasAllThatIsWanted
        let failure = slot.failure ?? (isWhole ? nil : error(code, of: fetch, on: slot))
        report(slot)
        learn(from: slot, of: fetch)
        let silentHost = failure == nil ? nil : silentHost(of: fetch, on: slot)
        let body = release(slot)
        if let failure {
            fail(fetch, with: withPart(failure, body, head, of: fetch))
            silentHost.map(endWaiting)
            return
        }
        guard let status = head.status, head.isFinal else {
            return fail(fetch, with: FetchError(.unreachable, "\(fetch.address.shown): the answer has no HTTP status"))
        }
        do {
            let next = try settings.redirects.next(
                after: fetch.address, status: status, headers: head.headers, hops: fetch.redirects)
            guard let next else { return settle(fetch, .success(response(to: fetch, status, head, body))) }
            guard fetch.lingersUntil == nil else { return fail(fetch, with: CancellationError()) }
            fetch.redirects.append(
                FetchResponse.Redirect(address: fetch.address, status: status, headers: head.headers))
            fetch.address = next
            fetch.rule.redirected()
            enqueue(fetch)
        } catch {
            fail(fetch, with: error)
        }
    }

    /// The caller's task was cancelled.
    func cancel(_ ticket: FetchTicket) {
        guard let fetch = fetches[ObjectIdentifier(ticket)] else { return }
        if let slot = fetch.slot {
            guard fetch.request.finishesWhenNearlyDone, slot.isNearlyDone(within: Self.nearlyDone) else {
                return abandon(fetch)
            }
            let end = settings.time.now() + Self.lingerLimit
            fetch.lingersUntil = end
            wake(at: end)
        } else {
            if let handle = fetch.queueHandle { queue.remove(handle) }
            fail(fetch, with: CancellationError())
        }
    }

    /// Ends a transfer that nobody wants any more.
    func abandon(_ fetch: CurlFetch) {
        if let slot = fetch.slot {
            report(slot)
            _ = release(slot)
            settings.onEvent?(.cancelled(fetch.address))
        }
        fail(fetch, with: CancellationError())
    }

    /// A transfer has not moved for too long.
    func endStalled(_ fetch: CurlFetch, on slot: CurlEasyHandle) {
        guard !slot.hasAllThatIsWanted else { return finish(fetch, on: slot, CURLE_OK) }
        let head = slot.head
        report(slot)
        let silentHost = silentHost(of: fetch, on: slot)
        let body = release(slot)
        let seconds = settings.stallTimeout(of: fetch.request).components.seconds
        let error = FetchError(.timedOut, "\(fetch.address.shown): no progress for \(seconds) s", exceededLimit: .stall)
        fail(fetch, with: withPart(error, body, head, of: fetch))
        silentHost.map(endWaiting)
    }

    /// The host of a transfer that failed, if nothing is heard of it any more.
    private func silentHost(of fetch: CurlFetch, on slot: CurlEasyHandle) -> CurlHost? {
        guard let host = fetch.host, !slot.head.isFinal,
            host.failed(since: slot.begun, at: settings.time.now())
        else { return nil }
        return host
    }

    /// Ends the fetches that wait for a silent host though there is something older to show.
    private func endWaiting(for host: CurlHost) {
        guard let reason = host.silence(at: settings.time.now()) else { return }
        for fetch in Array(fetches.values) where fetch.host === host && fetch.slot == nil && fetch.isImpatient {
            if let handle = fetch.queueHandle { queue.remove(handle) }
            fail(fetch, with: FetchError(.unreachable, "\(fetch.address.shown): \(reason)"))
        }
    }

    func fail(_ fetch: CurlFetch, with error: any Error) { settle(fetch, .failure(error)) }

    /// Tells the observer of the answer that came, whole or not.
    private func report(_ slot: CurlEasyHandle) {
        guard let onEvent = settings.onEvent, let fetch = slot.fetch, slot.head.isFinal,
            let status = slot.head.status
        else { return }
        onEvent(.received(fetch.address, status: status, bytes: slot.received))
    }

    /// What an answer says about how much its host takes.
    private func learn(from slot: CurlEasyHandle, of fetch: CurlFetch) {
        guard let host = fetch.host, slot.head.isFinal, let status = slot.head.status else { return }
        host.answered(at: slot.headCame)
        let (limit, pause) = (host.allowance.limit, host.allowance.pausedUntil)
        if fetch.address.scheme == "https", slot.head.isHTTP2 != host.speaksHTTP2 {
            host.speaksHTTP2 = slot.head.isHTTP2
            let most = host.speaksHTTP2 ? settings.streamsPerHost : settings.connectionsPerHost
            host.allowance.setMaximum(min(most, settings.connections))
        }
        let wholeLimit = host.allowance.limit
        let isRefusal = status == 429 || status == 503
        let now = settings.time.now()
        host.allowance.take(
            HostConcurrencyLimit.Answer(
                status: status, sent: slot.sent, headCame: slot.headCame, ended: now, bytes: slot.received,
                underWay: host.transfers,
                retryAfter: isRefusal ? RetryAfter.delay(in: slot.head.headers, now: settings.calendar()) : nil))
        if host.allowance.limit > limit { queue.unparkAll(at: host) }
        let newPause = host.allowance.pausedUntil != pause ? host.allowance.pausedUntil : nil
        if let newPause {
            wake(at: newPause)
            endWaiting(for: host)
        }
        guard host.allowance.limit != wholeLimit || newPause != nil else { return }
        settings.onEvent?(
            .concurrencyChanged(
                host: host.name, transfers: host.allowance.limit, pause: newPause.map { $0 - now }))
    }

    private func response(
        to fetch: CurlFetch, _ status: Int, _ head: HeaderParser, _ body: CurlEasyHandle.Body
    ) -> FetchResponse {
        var response = FetchResponse(
            address: fetch.address, status: status, headers: head.headers, body: body.buffered,
            redirects: fetch.redirects, isFromPrivateNetwork: fetch.rule.startedInPrivateNetwork)
        response.streamedByteCount = body.streamedByteCount
        return response
    }

    /// The error, with what had come of the answer when the network gave up.
    private func withPart(
        _ error: FetchError, _ body: CurlEasyHandle.Body, _ head: HeaderParser, of fetch: CurlFetch
    ) -> FetchError {
        guard error.kind == .unreachable || error.kind == .timedOut, !body.isEmpty, head.isFinal,
            let status = head.status, (200...299).contains(status)
        else { return error }
        var error = error
        error.partialResponse = response(to: fetch, status, head, body)
        return error
    }

    func privateNetworkError(_ fetch: CurlFetch) -> FetchError {
        let named = fetch.redirects.isEmpty ? "a service on the Internet named it" : "a redirect leads to it"
        return FetchError(
            .disallowed, "\(fetch.address.shown) stands in a private network and is not fetched, since \(named)")
    }

    private func error(_ code: CURLcode, of fetch: CurlFetch, on slot: CurlEasyHandle) -> FetchError {
        if slot.metPrivateNetwork, code == CURLE_COULDNT_CONNECT || code == CURLE_ABORTED_BY_CALLBACK {
            return privateNetworkError(fetch)
        }
        let kind: FetchError.Kind =
            switch code {
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_PEER_FAILED_VERIFICATION: .disallowed
            case CURLE_OUT_OF_MEMORY, CURLE_SSL_CACERT_BADFILE, CURLE_FAILED_INIT: .unavailable
            default: .unreachable
            }
        var error = FetchError(kind, "\(fetch.address.shown): \(slot.words(for: code))")
        error.isConnectionLost = Self.breaks.contains { $0 == code }
        return error
    }

    /// What libcurl says of a connection that stood and broke off (libcurl-errors(3)).
    private static let breaks = [
        CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM,
    ]
}
