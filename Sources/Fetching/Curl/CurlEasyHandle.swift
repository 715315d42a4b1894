internal import SpyglassCCurl
internal import SpyglassThreads

/// A libcurl easy handle, reused for one transfer at a time; used on the loop's thread only, also by the callbacks.
final class CurlEasyHandle {
    let easy: OpaquePointer
    private(set) var fetch: CurlFetch?
    private(set) var head = HeaderParser()
    private var body = Body()
    /// The length of the body, unless it is encoded.
    private var announcedLength: Int?
    /// Set by the callback that ended the transfer.
    private(set) var failure: FetchError?
    private(set) var lastProgress = Duration.zero
    var timeLimit = BodyTimeLimit()
    /// Bytes of body since the last progress.
    private var moved = 0
    private(set) var begun = Duration.zero
    private(set) var headReceived = Duration.zero
    private var isSent = false
    private(set) var metPrivateNetwork = false
    /// Whether the body is wanted; `false` until the head is complete.
    private var carriesBody = false
    /// Whether libcurl holds back bytes of a paused body.
    private(set) var isPaused = false
    /// Receives the body; `nil` once it has returned `false`.
    private var listener: (@Sendable (FetchControl.BodyEvent) -> Bool)?
    private var skipped = 0
    private let curl: CurlLibrary
    private let engine: CurlEngine
    private let settings: CurlSettings
    private let errorText: UnsafeMutablePointer<CChar>
    private let connectFilter: UnsafeMutablePointer<sg_connect_filter>
    /// libcurl keeps pointers to both lists.
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var knownHosts: UnsafeMutablePointer<curl_slist>?
    private var canCheckReusedConnections = false

    struct Body {
        fileprivate(set) var buffered: [UInt8] = []
        fileprivate(set) var streamedByteCount = 0
        fileprivate(set) var memory = BodyMemory()
        fileprivate var capacity = 0

        var count: Int { buffered.count + streamedByteCount }
        var isEmpty: Bool { count == 0 }
    }

    enum Reception {
        case accepted
        /// libcurl delivers them again after the pause.
        case paused
        case refused
    }

    var received: Int { body.count }

    /// The receive buffer of libcurl: larger ones need an `mmap` per transfer.
    private static let receiveBufferSize = 64 << 10
    /// Unneeded bytes read to reuse the connection; beyond that a new one is cheaper.
    private static let skipLimit = 64 << 10
    /// Less body within the timeout is not progress.
    private static let minProgress = 1 << 10
    private static let minCapacity = 64 << 10

    init(_ curl: CurlLibrary, _ engine: CurlEngine) throws(FetchError) {
        guard let easy = sg_easy_create(curl.functions) else {
            throw FetchError(.unavailable, "cannot create a libcurl handle (curl_easy_init)")
        }
        self.easy = easy
        self.curl = curl
        self.engine = engine
        settings = engine.settings
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        connectFilter = .allocate(capacity: 1)
        let context = Unmanaged.passUnretained(self).toOpaque()
        connectFilter.initialize(to: sg_connect_filter(may_connect: checkConnection, context: context))
        try setUp(context)
    }

    deinit {
        sg_easy_destroy(curl.functions, easy)
        sg_list_free(curl.functions, headerList)
        sg_list_free(curl.functions, knownHosts)
        errorText.deallocate()
        connectFilter.deallocate()
    }

    private func setUp(_ context: UnsafeMutableRawPointer) throws(FetchError) {
        let library = curl.functions
        try require(sg_easy_set_pointer(library, easy, CURLOPT_PRIVATE, context))
        let tls = Int(CURL_SSLVERSION_TLSv1_2)
        for (option, value) in [
            (CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP | CURLPROTO_HTTPS)), (CURLOPT_SSLVERSION, tls),
            (CURLOPT_PROXY_SSLVERSION, tls), (CURLOPT_NOSIGNAL, 1), (CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
            // Sends the path of `WebAddress.text` unchanged.
            (CURLOPT_PATH_AS_IS, 1),
        ] { try require(sg_easy_set_long(library, easy, option, value)) }
        let texts: [(CURLoption, String?)] = [
            (CURLOPT_USERAGENT, settings.userAgent.withoutControls),
            // All encodings of this libcurl.
            (CURLOPT_ACCEPT_ENCODING, ""), (CURLOPT_PROXY, settings.proxies.isEmpty ? "" : nil),
            (CURLOPT_CAINFO, settings.authorities.file), (CURLOPT_CAPATH, settings.authorities.folder),
        ]
        for (option, text) in texts where text != nil { try require(sg_easy_set_pointer(library, easy, option, text)) }
        try require(sg_easy_set_connect_filter(library, easy, connectFilter))
        // Otherwise removing a transfer blocks the loop during its name lookup, as it does before 7.87.
        _ = sg_easy_set_long(library, easy, SG_OPT_QUICK_EXIT, 1)
        try require(sg_easy_set_pointer(library, easy, CURLOPT_ERRORBUFFER, errorText))
        try require(sg_easy_set_receive(library, easy, CURLOPT_HEADERFUNCTION, receiveHeader))
        try require(sg_easy_set_pointer(library, easy, CURLOPT_HEADERDATA, context))
        try require(sg_easy_set_receive(library, easy, CURLOPT_WRITEFUNCTION, receiveBody))
        try require(sg_easy_set_pointer(library, easy, CURLOPT_WRITEDATA, context))
        _ = sg_easy_set_long(library, easy, CURLOPT_BUFFERSIZE, Self.receiveBufferSize)
        // Longer than any stall timeout, which the loop checks: the default of 300 s may be shorter.
        _ = sg_easy_set_long(library, easy, CURLOPT_CONNECTTIMEOUT, 86_400)
        for host in settings.knownHosts {
            knownHosts = sg_list_append(library, knownHosts, host) ?? knownHosts
            try require(sg_easy_set_pointer(library, easy, CURLOPT_RESOLVE, knownHosts))
        }
        // Missing in libcurl before 7.80.
        canCheckReusedConnections =
            sg_easy_set_before_request(library, easy, checkRequest) == CURLE_OK
            && sg_easy_set_pointer(library, easy, SG_OPT_PREREQDATA, context) == CURLE_OK
    }

    func begin(_ fetch: CurlFetch, at now: Duration) throws(FetchError) {
        self.fetch = fetch
        listener = fetch.request.control?.onBody
        head = HeaderParser()
        carriesBody = false
        announcedLength = nil
        failure = nil
        metPrivateNetwork = false
        isPaused = false
        skipped = 0
        errorText[0] = 0
        progressed(at: now)
        timeLimit = BodyTimeLimit(fetch.request, settings)
        begun = now
        isSent = false
        try require(sg_easy_set_pointer(curl.functions, easy, CURLOPT_URL, fetch.address.text))
        let newList = try list(of: fields(of: fetch))
        let oldList = headerList
        headerList = newList
        defer { sg_list_free(curl.functions, oldList) }
        try require(sg_easy_set_pointer(curl.functions, easy, CURLOPT_HTTPHEADER, newList))
        // Each option resets the other.
        let method = fetch.request.delivery == .headersOnly ? CURLOPT_NOBODY : CURLOPT_HTTPGET
        try require(sg_easy_set_long(curl.functions, easy, method, 1))
        // Only https negotiates HTTP/2; waiting for a plain connection would cost a round trip.
        _ = sg_easy_set_long(curl.functions, easy, CURLOPT_PIPEWAIT, fetch.address.scheme == "https" ? 1 : 0)
        let mayReuse = canCheckReusedConnections || fetch.rule.mayEnterPrivateNetworks
        try require(sg_easy_set_long(curl.functions, easy, CURLOPT_FRESH_CONNECT, mayReuse ? 0 : 1))
    }

    private func fields(of fetch: CurlFetch) -> [HeaderFields.Field] {
        let request = fetch.request
        var fields = request.headers.fields
        if request.headers["Accept"] == nil { fields.insert(.init(name: "Accept", value: request.accept), at: 0) }
        // A service replaces the default one, not the user's.
        if settings.userAgent != SpyglassVersion.userAgent { fields.removeAll { $0.isNamed("User-Agent") } }
        // A key is for the server that it was meant for, not for where that redirects.
        if !fetch.redirects.isEmpty, fetch.address.authority != request.address.authority {
            fields.removeAll { Secrets.isSecret($0.name.utf8) }
        }
        return fields
    }

    private func list(of fields: [HeaderFields.Field]) throws(FetchError) -> UnsafeMutablePointer<curl_slist>? {
        var list: UnsafeMutablePointer<curl_slist>?
        for field in fields where HeaderFields.Field.isName(field.name.utf8) {
            // libcurl needs a semicolon for an empty field; a colon would remove the field.
            let value = field.value.withoutControls
            let line = value.utf8.allSatisfy { $0 == 0x20 } ? "\(field.name);" : "\(field.name): \(value)"
            guard let longer = sg_list_append(curl.functions, list, line) else {
                sg_list_free(curl.functions, list)
                throw FetchError(.unavailable, "libcurl is out of memory")
            }
            list = longer
        }
        return list
    }

    func end() -> Body {
        defer { body = Body() }
        listener = nil
        fetch?.slot = nil
        fetch = nil
        return body
    }

    func unpause(at now: Duration) -> CURLcode {
        isPaused = false
        timeLimit.unpause(at: now)
        progressed(at: now)
        return sg_easy_unpause(curl.functions, easy)
    }

    /// A paused transfer does not time out.
    func keepWaiting(at now: Duration) { if isPaused { progressed(at: now) } }

    var reusedConnection: Bool { sg_easy_reused_connection(curl.functions, easy) }

    func message(for code: CURLcode) -> String {
        let text = String(nulTerminated: Array(UnsafeBufferPointer(start: errorText, count: Int(CURL_ERROR_SIZE))))
        return text.isEmpty
            ? String(cString: sg_easy_error(curl.functions, code)) : WebAddress.redacting(text.withoutControls)
    }

    private func require(_ code: CURLcode) throws(FetchError) {
        guard code == CURLE_OK else {
            throw FetchError(
                .unavailable, "cannot set up libcurl: \(String(cString: sg_easy_error(curl.functions, code)))")
        }
    }

    // MARK: What the callbacks call

    private func progressed(at now: Duration) {
        lastProgress = now
        moved = 0
    }

    func take(header line: UnsafeBufferPointer<UInt8>) -> Bool {
        defer { settings.onProgress?(body.count) }
        let wasFinal = head.isFinal
        let fits = head.read(line: line)
        // Most lines.
        if fits, head.codingCount <= 1, wasFinal || !head.isFinal { return true }
        guard let fetch else { return false }
        guard fits else {
            failure = headerTooLong(fetch)
            return false
        }
        // Nested, 12 KB keep libcurl busy for minutes without a byte of body, and this thread with it.
        guard head.codingCount <= 1 else {
            failure = FetchError(.disallowed, "\(fetch.address.shown): more than one content coding")
            return false
        }
        carriesBody = wantsBody(of: fetch)
        headReceived = settings.time.now()
        progressed(at: headReceived)
        guard carriesBody else { return true }
        announcedLength = head.headers.decodedLength
        if let length = announcedLength, length > fetch.request.bodyLimit {
            failure = .bodyTooLarge(fetch.address, limit: fetch.request.bodyLimit)
            return false
        }
        if listener != nil, let status = head.status { tell(.started(status: status, headers: head.headers)) }
        return true
    }

    private func tell(_ part: FetchControl.BodyEvent) {
        guard let listener, !listener(part) else { return }
        self.listener = nil
    }

    func take(body bytes: UnsafeBufferPointer<UInt8>) -> Reception {
        guard let fetch else { return .refused }
        guard carriesBody else {
            // Unwanted bytes are not progress.
            skipped += bytes.count
            return skipped <= Self.skipLimit ? .accepted : .refused
        }
        guard fetch.request.control?.isPaused != true else {
            isPaused = true
            timeLimit.pause(at: settings.time.now())
            return .paused
        }
        defer { settings.onProgress?(body.count) }
        guard bytes.count <= fetch.request.bodyLimit - body.count else {
            failure = .bodyTooLarge(fetch.address, limit: fetch.request.bodyLimit)
            return .refused
        }
        if fetch.request.delivery == .buffered, body.count + bytes.count > body.capacity {
            let reception = makeRoom(for: body.count + bytes.count, of: fetch)
            guard case .accepted = reception else { return reception }
        }
        moved += bytes.count
        if !timeLimit.isRunning || moved >= Self.minProgress {
            let now = settings.time.now()
            if !timeLimit.isRunning { timeLimit.begin(at: now) }
            if moved >= Self.minProgress { progressed(at: now) }
        }
        if listener != nil { tell(.bytes(Array(bytes))) }
        if fetch.request.delivery == .streamed {
            body.streamedByteCount += bytes.count
            guard listener != nil else {
                failure = FetchError(.unavailable, "\(fetch.address.shown): the receiver stopped reading the body")
                return .refused
            }
        } else {
            body.buffered.append(contentsOf: bytes)
        }
        return .accepted
    }

    /// Grows the body to twice its capacity, within what its server announced; the capacity counts, not an announced length.
    private func makeRoom(for count: Int, of fetch: CurlFetch) -> Reception {
        let length = announcedLength.flatMap { $0 < count ? nil : $0 }
        let most = length ?? fetch.request.bodyLimit
        let first = length == nil ? Self.minCapacity : WorkMemory.minBytes
        var capacity = max(count, min(max(2 * body.capacity, first), most))
        if capacity > WorkMemory.minBytes, let memory = settings.memory {
            if body.memory.shares.isEmpty {
                body.memory.shares = [
                    memory.body { [weak engine, weak fetch] in if let fetch { engine?.post(.unpause(fetch)) } }
                ]
            }
            // Listeners queue another copy.
            let copies = listener == nil ? 1 : 2
            capacity = max(count, min(capacity, memory.limit / copies))
            do throws(WorkMemory.Refusal) {
                if let length, length > memory.limit / copies {
                    throw .exceedsLimit(needed: copies * length, limit: memory.limit)
                }
                guard try body.memory.shares[0].grow(to: copies * capacity, expected: copies * most) else {
                    timeLimit.pause(at: settings.time.now())
                    isPaused = true
                    return .paused
                }
            } catch {
                failure = FetchError(error, fetch.address)
                return .refused
            }
        }
        body.buffered.reserveCapacity(capacity)
        body.capacity = capacity
        return .accepted
    }

    /// Whether the result is complete, however the transfer ends.
    var hasAllThatIsWanted: Bool { head.isFinal && !carriesBody }

    /// Not for redirects, `HEAD`, 204 and 304; streamed only if successful.
    private func wantsBody(of fetch: CurlFetch) -> Bool {
        let delivery = fetch.request.delivery
        guard let status = head.status, status != 204, status != 304,
            delivery == .buffered || delivery == .streamed && (200...299).contains(status)
        else { return false }
        return !(RedirectPolicy.statuses.contains(status) && head.headers["Location"] != nil)
    }

    var isReadingHeader: Bool { isSent && !head.isFinal }

    func headerTooLong(_ fetch: CurlFetch) -> FetchError {
        FetchError(.tooLarge, "\(fetch.address.shown): the header exceeds the limit of \(HeaderParser.byteLimit) bytes")
    }

    func mayConnect(to socketAddress: UnsafeRawBufferPointer) -> Bool {
        guard let fetch else { return false }
        let remote = IPAddress.read(socketAddress: socketAddress)
        let allowed = fetch.rule.allowsConnection(
            to: remote?.0, port: remote.map { Int($0.port) } ?? 0, for: fetch.address)
        if !allowed { metPrivateNetwork = true }
        return allowed
    }

    func mayAsk(_ remoteIP: String, port: Int) -> Bool {
        guard let fetch else { return false }
        isSent = true
        progressed(at: settings.time.now())
        settings.onProgress?(body.count)
        let remote = IPAddress(literal: remoteIP)
        guard fetch.rule.allowsConnection(to: remote, port: port, for: fetch.address) else {
            metPrivateNetwork = true
            return false
        }
        fetch.rule.connected(to: remote, for: fetch.address)
        return true
    }
}
