internal import SpyglassCCurl

/// A libcurl easy handle with what its callbacks gather: one transfer at a time, used again and again.
///
/// Lives on the loop's thread; libcurl calls back on that thread only.
final class CurlEasyHandle {
    let easy: OpaquePointer
    private(set) var fetch: CurlFetch?
    private(set) var head = HeaderParser()
    private var body = Body()
    /// Why a callback ended the transfer.
    private(set) var failure: FetchError?
    /// When the transfer last moved by enough, on the settings' clock.
    private(set) var lastProgress = Duration.zero
    /// Bytes of body since then.
    private var moved = 0
    /// When the fetch was taken up, when the request went out, and when the head of its answer was whole.
    private(set) var begun = Duration.zero
    private(set) var sent = Duration.zero
    private(set) var headCame = Duration.zero
    private(set) var metPrivateNetwork = false
    /// Whether what follows the head is wanted; `false` until the head is whole.
    private var carriesBody = false
    /// Whether libcurl keeps what came until the body is held no more.
    private(set) var isPaused = false
    /// Who hears of the body of this answer; nobody any more once it was enough.
    private var listener: (@Sendable (FetchControl.BodyEvent) -> Bool)?
    /// Bytes that came behind a head whose body is not wanted.
    private var skipped = 0
    private let curl: CurlLibrary
    private let settings: CurlSettings
    private let errorText: UnsafeMutablePointer<CChar>
    private let judge: UnsafeMutablePointer<sg_judge>
    private var headerList: UnsafeMutablePointer<curl_slist>?
    /// What stands in that list.
    private var listedFields: [HTTPHeaders.Field] = []
    private var knownHosts: UnsafeMutablePointer<curl_slist>?
    private var canJudgeKeptConnections = false

    /// What came of a body, and where it went.
    struct Body {
        fileprivate(set) var buffered: [UInt8] = []
        fileprivate(set) var streamedByteCount = 0

        var count: Int { buffered.count + streamedByteCount }
        var isEmpty: Bool { count == 0 }
    }

    /// What becomes of bytes that libcurl brings.
    enum Reception {
        case taken
        /// They are to come again once the body is held no more.
        case held
        /// The transfer is to end.
        case refused
    }

    /// How many bytes of body have come.
    var received: Int { body.count }

    /// How many bytes libcurl hands over at once: enough to matter, too few for an `mmap` with every transfer.
    private static let receiveBufferSize = 64 << 10
    /// How much of an unwanted body is read to keep the connection; then a new one is cheaper.
    private static let skipLimit = 64 << 10
    /// How much body within the stall limit is progress: less is a server that keeps a connection busy for nothing.
    private static let minProgress = 1 << 10
    /// What is taken on a server's word before anything came.
    private static let reservationLimit = 1 << 20

    /// A new handle, with all that is the same for every fetch (`curl_easy_init`, `curl_easy_setopt`).
    init(_ curl: CurlLibrary, _ settings: CurlSettings) throws(FetchError) {
        guard let easy = sg_easy_create(curl.functions) else {
            throw FetchError(.unavailable, "libcurl could not make a handle (curl_easy_init)")
        }
        self.easy = easy
        self.curl = curl
        self.settings = settings
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        judge = .allocate(capacity: 1)
        let context = Unmanaged.passUnretained(self).toOpaque()
        judge.initialize(to: sg_judge(may_connect: judgeConnection, context: context))
        try setUp(context)
    }

    deinit {
        sg_easy_destroy(curl.functions, easy)
        sg_list_free(curl.functions, headerList)
        sg_list_free(curl.functions, knownHosts)
        errorText.deallocate()
        judge.deallocate()
    }

    private func setUp(_ context: UnsafeMutableRawPointer) throws(FetchError) {
        let library = curl.functions
        try require(sg_easy_set_long(library, easy, CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP | CURLPROTO_HTTPS)))
        try require(sg_easy_set_judge(library, easy, judge))
        try require(sg_easy_set_long(library, easy, CURLOPT_NOSIGNAL, 1))
        // Else taking a transfer away waits for its name to be looked up, and everything else with it. Before 7.87 it does.
        _ = sg_easy_set_long(library, easy, SG_OPT_QUICK_EXIT, 1)
        try require(sg_easy_set_pointer(library, easy, CURLOPT_ERRORBUFFER, errorText))
        try require(sg_easy_set_receive(library, easy, CURLOPT_HEADERFUNCTION, receiveHeader))
        try require(sg_easy_set_pointer(library, easy, CURLOPT_HEADERDATA, context))
        try require(sg_easy_set_receive(library, easy, CURLOPT_WRITEFUNCTION, receiveBody))
        try require(sg_easy_set_pointer(library, easy, CURLOPT_WRITEDATA, context))
        // What is sent is what `WebAddress.text` says.
        try require(sg_easy_set_long(library, easy, CURLOPT_PATH_AS_IS, 1))
        try require(sg_easy_set_text(library, easy, CURLOPT_USERAGENT, settings.userAgent.withoutControls))
        // Every encoding that this libcurl can undo.
        try require(sg_easy_set_text(library, easy, CURLOPT_ACCEPT_ENCODING, ""))
        try require(sg_easy_set_long(library, easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1))
        _ = sg_easy_set_long(library, easy, CURLOPT_BUFFERSIZE, Self.receiveBufferSize)
        _ = sg_easy_set_long(library, easy, CURLOPT_CONNECTTIMEOUT, settings.backstopSeconds)
        _ = sg_easy_set_long(library, easy, CURLOPT_LOW_SPEED_LIMIT, 1)
        _ = sg_easy_set_long(library, easy, CURLOPT_LOW_SPEED_TIME, settings.backstopSeconds)
        if let file = settings.authorities.file {
            try require(sg_easy_set_text(library, easy, CURLOPT_CAINFO, file))
        }
        if let folder = settings.authorities.folder {
            try require(sg_easy_set_text(library, easy, CURLOPT_CAPATH, folder))
        }
        for host in settings.knownHosts {
            knownHosts = sg_list_append(library, knownHosts, host) ?? knownHosts
            try require(sg_easy_set_list(library, easy, CURLOPT_RESOLVE, knownHosts))
        }
        // libcurl before 7.80 does not know this one.
        canJudgeKeptConnections =
            sg_easy_set_before_request(library, easy, judgeRequest) == CURLE_OK
            && sg_easy_set_pointer(library, easy, SG_OPT_PREREQDATA, context) == CURLE_OK
    }

    /// Takes up a fetch: everything that differs from one to the next.
    func begin(_ fetch: CurlFetch, at now: Duration) throws(FetchError) {
        self.fetch = fetch
        listener = fetch.request.control?.onBody
        head = HeaderParser()
        carriesBody = false
        failure = nil
        metPrivateNetwork = false
        isPaused = false
        skipped = 0
        errorText[0] = 0
        progressed(at: now)
        begun = now
        sent = now
        let library = curl.functions
        try require(sg_easy_set_text(library, easy, CURLOPT_URL, fetch.address.text))
        // The one takes the other back.
        let method = fetch.request.delivery == .headersOnly ? CURLOPT_NOBODY : CURLOPT_HTTPGET
        try require(sg_easy_set_long(library, easy, method, 1))
        try setHeaders(of: fetch.request)
        // Only https can agree on HTTP/2; waiting for a plain connection's answer would cost a round trip.
        _ = sg_easy_set_long(library, easy, CURLOPT_PIPEWAIT, fetch.address.scheme == "https" ? 1 : 0)
        let mayTrustKeptConnections = canJudgeKeptConnections || fetch.rule.mayEnterPrivateNetworks
        try require(sg_easy_set_long(library, easy, CURLOPT_FRESH_CONNECT, mayTrustKeptConnections ? 0 : 1))
    }

    private func setHeaders(of request: FetchRequest) throws(FetchError) {
        let fields = [HTTPHeaders.Field(name: "Accept", value: request.accept)] + request.headers.fields
        guard fields != listedFields else { return }
        let library = curl.functions
        var list: UnsafeMutablePointer<curl_slist>?
        for field in fields where field.hasValidName {
            // A semicolon is how libcurl is told of a field without a value; a colon would take the field away.
            let value = field.value.withoutControls
            let line = value.allSatisfy { $0 == " " } ? "\(field.name);" : "\(field.name): \(value)"
            guard let longer = sg_list_append(library, list, line) else {
                sg_list_free(library, list)
                throw FetchError(.unavailable, "libcurl is out of memory")
            }
            list = longer
        }
        let code = sg_easy_set_list(library, easy, CURLOPT_HTTPHEADER, list)
        guard code == CURLE_OK else {
            sg_list_free(library, list)
            return try require(code)
        }
        sg_list_free(library, headerList)
        headerList = list
        listedFields = fields
    }

    /// Lets go of the fetch and hands out the body.
    func end() -> Body {
        let body = body
        self.body = Body()
        listener = nil
        fetch?.slot = nil
        fetch = nil
        return body
    }

    /// Has libcurl bring what it kept, and go on.
    func unpause(at now: Duration) -> CURLcode {
        isPaused = false
        progressed(at: now)
        return sg_easy_go_on(curl.functions, easy)
    }

    /// A transfer that is held does not stand still by its own fault.
    func keepWaiting(at now: Duration) { if isPaused { progressed(at: now) } }

    /// libcurl's own words for the last failure.
    func words(for code: CURLcode) -> String {
        let text = String(nulTerminated: Array(UnsafeBufferPointer(start: errorText, count: Int(CURL_ERROR_SIZE))))
        return text.isEmpty ? String(cString: sg_easy_error(curl.functions, code)) : text.withoutControls
    }

    private func require(_ code: CURLcode) throws(FetchError) {
        guard code == CURLE_OK else {
            throw FetchError(
                .unavailable, "libcurl cannot be set up: \(String(cString: sg_easy_error(curl.functions, code)))")
        }
    }
}

// MARK: - What libcurl calls, through CurlCallbacks.swift

extension CurlEasyHandle {
    /// The transfer moved by enough to be given the whole stall limit again.
    private func progressed(at now: Duration) {
        lastProgress = now
        moved = 0
    }

    func take(header line: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let fetch else { return false }
        defer { settings.onProgress?(body.count) }
        let wasFinal = head.isFinal
        guard head.read(line: line) else {
            failure = FetchError(
                .tooLarge, "\(fetch.address.shown): more than \(HeaderParser.byteLimit) bytes of header fields")
            return false
        }
        guard head.isFinal, !wasFinal else { return true }
        carriesBody = wantsBody(of: fetch)
        headCame = settings.time.now()
        progressed(at: headCame)
        guard carriesBody else { return true }
        if let length = head.headers.contentLength {
            guard head.headers.isContentEncoded || length <= fetch.request.bodyLimit else {
                failure = tooLarge(fetch)
                return false
            }
            if fetch.request.delivery == .buffered {
                body.buffered.reserveCapacity(min(length, Self.reservationLimit))
            }
        }
        if listener != nil, let status = head.status { tell(.started(status: status, headers: head.headers)) }
        return true
    }

    /// Tells the listener, if anybody still listens.
    private func tell(_ part: FetchControl.BodyEvent) {
        guard let listener, !listener(part) else { return }
        self.listener = nil
    }

    func take(body bytes: UnsafeBufferPointer<UInt8>) -> Reception {
        guard let fetch else { return .refused }
        guard carriesBody else {
            // No progress: a server must not hold a fetch back with what nobody wants.
            skipped += bytes.count
            return skipped <= Self.skipLimit ? .taken : .refused
        }
        guard fetch.request.control?.isPaused != true else {
            isPaused = true
            return .held
        }
        defer { settings.onProgress?(body.count) }
        guard bytes.count <= fetch.request.bodyLimit - body.count else {
            failure = tooLarge(fetch)
            return .refused
        }
        moved += bytes.count
        if moved >= Self.minProgress { progressed(at: settings.time.now()) }
        if listener != nil { tell(.bytes(Array(bytes))) }
        if fetch.request.delivery == .streamed {
            body.streamedByteCount += bytes.count
            guard listener != nil else {
                failure = FetchError(.unavailable, "\(fetch.address.shown): nobody takes the body")
                return .refused
            }
        } else {
            body.buffered.append(contentsOf: bytes)
        }
        return .taken
    }

    /// Whether all that is wanted is here, however the rest of the transfer goes.
    var hasAllThatIsWanted: Bool { head.isFinal && !carriesBody }

    /// Whether less than so many bytes are left of a good answer, on a connection that would have to be closed.
    func isNearlyDone(within limit: Int) -> Bool {
        guard head.isFinal, carriesBody, !head.isHTTP2, (200...299).contains(head.status ?? 0),
            !head.headers.isContentEncoded, let length = head.headers.contentLength
        else { return false }
        return length >= body.count && length - body.count < limit
    }

    /// Whether what follows this head is wanted: a redirect's is not, an error's is nothing to hand on, and two statuses have none.
    private func wantsBody(of fetch: CurlFetch) -> Bool {
        let delivery = fetch.request.delivery
        guard let status = head.status, status != 204, status != 304,
            delivery == .buffered || delivery == .streamed && (200...299).contains(status)
        else { return false }
        return !(RedirectPolicy.statuses.contains(status) && head.headers["Location"] != nil)
    }

    private func tooLarge(_ fetch: CurlFetch) -> FetchError {
        FetchError(
            .tooLarge,
            "\(fetch.address.shown): the answer is larger than the limit of \(fetch.request.bodyLimit) bytes",
            exceededLimit: .body)
    }

    func mayConnect(to socketAddress: UnsafeRawBufferPointer) -> Bool {
        guard let fetch else { return false }
        let remote = IPAddress.read(socketAddress: socketAddress)
        let allowed = fetch.rule.allowsConnection(
            to: remote?.0, port: remote.map { Int($0.port) } ?? 0, for: fetch.address)
        if !allowed { metPrivateNetwork = true }
        return allowed
    }

    func mayAsk(_ remoteIP: @autoclosure () -> String, port: Int) -> Bool {
        guard let fetch else { return false }
        sent = settings.time.now()
        progressed(at: sent)
        settings.onProgress?(body.count)
        guard !fetch.rule.allowsEverything else { return true }
        let remote = IPAddress(literal: remoteIP())
        guard fetch.rule.allowsConnection(to: remote, port: port, for: fetch.address) else {
            metPrivateNetwork = true
            return false
        }
        fetch.rule.connected(to: remote, for: fetch.address)
        return true
    }
}
