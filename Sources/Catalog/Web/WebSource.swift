internal import SpyglassFetching
internal import SpyglassJSON

/// A source of photos whose pages are JSON of a service on the web.
///
/// The address of each page is built from the endpoint, the service's request and the key: no response can redirect a search.
struct WebSource: PhotoSource {
    /// The limit of a response body in bytes.
    static let bodyLimit = 16 << 20
    /// Requests for one page.
    static let maxRequestsPerPage = 10
    /// Retries while a service is busy; a refused request is retried once.
    static let maxRetries = 2
    static let maxRetryDelay = Duration.seconds(60)
    /// Photos of one page.
    static let maxPhotosPerPage = 10_000
    /// Why an archive or a cache has no answer.
    private static let absence: Set<FetchError.Kind> = [.notRecorded, .notCached]

    private let service: any PhotoService
    private let declaration: SourceDeclaration
    private let endpoint: WebAddress
    private var transport: any Transport
    private let key: String?
    private let window: RequestWindow?
    private let clock: any Clock<Duration>
    private let onWait: (@Sendable (Duration) -> Void)?

    init(
        _ service: any PhotoService, transport: any Transport, endpoint: WebAddress? = nil, key: String? = nil,
        clock: any Clock<Duration> = ContinuousClock(), onWait: (@Sendable (Duration) -> Void)? = nil
    ) {
        self.service = service
        declaration = service.declaration
        guard let endpoint = endpoint ?? declaration.endpoint else { preconditionFailure("a service has an endpoint") }
        self.endpoint = endpoint
        self.transport = transport
        self.key = key ?? declaration.key?.publicKey
        window = declaration.requestsPerMinute.map { RequestWindow(limit: $0, clock: clock) }
        self.clock = clock
        self.onWait = onWait
    }

    /// The source over another transport, with the same limit of requests.
    func over(_ transport: any Transport) -> WebSource {
        var source = self
        source.transport = transport
        return source
    }

    var name: String { declaration.name }
    var filters: [PhotoFilter] { declaration.filters }
    func cursor(for start: PhotoStart) -> PageCursor? { service.cursor(for: start) }

    /// Adds the files that only a request of its own names; an archive or a cache may lack them.
    func renditions(of photo: Photo) async throws -> Photo {
        var whole = photo
        do {
            if photo.lacksFiles { whole = try await withFiles(photo) }
        } catch let error as FetchError where Self.absence.contains(error.kind) {}
        whole.lacksFiles = false
        return whole
    }

    func withFiles(_ photo: Photo) async throws -> Photo {
        guard let request = service.request(forFilesOf: photo) else { return photo }
        var page = PageRequest()
        page.photoID = photo.id
        guard let (answer, _) = try await answer(to: request, for: page) else { return photo }
        return try service.photo(photo, withFilesIn: answer)
    }

    func page(of query: PhotoQuery, at cursor: PageCursor?) async throws -> PhotoPage {
        do {
            return try await read(query, at: cursor)
        } catch let error as CatalogError where error.subject == .endpoint {
            // The remedy that a program adds is for NASA's endpoint.
            throw CatalogError(error.kind, error.description)
        }
    }

    func read(_ query: PhotoQuery, at cursor: PageCursor?) async throws -> PhotoPage {
        let request = PageRequest(try query.checked(by: filters, of: name), at: cursor)
        var answers: [ServiceAnswer] = []
        var trust = NetworkReach.publicAddresses
        var next: ServiceRequest? = try service.request(for: request)
        while let part = next, answers.count < Self.maxRequestsPerPage {
            guard let (answer, named) = try await answer(to: part, for: request) else { break }
            trust = named
            answers.append(answer)
            next = try service.request(after: answers, for: request)
        }
        guard !answers.isEmpty else { return PhotoPage(photos: [], previous: request.previous) }
        var page = try service.page(of: answers, for: request)
        var seen: Set<String> = []
        page.photos = page.photos.prefix(Self.maxPhotosPerPage).filter { seen.insert($0.id).inserted }
        for index in page.photos.indices { page.photos[index].trust = trust }
        return page
    }

    /// The answer to a request and the trust of its addresses; `nil` if there are no more results.
    private func answer(
        to part: ServiceRequest, for request: PageRequest
    ) async throws -> (ServiceAnswer, NetworkReach)? {
        var response = try await response(to: part)
        var content = try content(of: response, for: request)
        for _ in 0..<(response.isSuccess ? Self.maxRetries : 1) {
            guard let delay = Self.retryDelay(after: response, content.failure) else { break }
            onWait?(delay)
            try await clock.sleep(for: delay)
            response = try await self.response(to: part, revalidates: true)
            content = try self.content(of: response, for: request)
        }
        guard let found = content.failure else { return (content.answer, .named(in: response)) }
        if found.isEndOfResults { return nil }
        throw failure(found, response)
    }

    /// The content of a response, and the error that it means, if any.
    private func content(
        of response: FetchResponse, for page: PageRequest
    ) throws(CatalogError) -> (answer: ServiceAnswer, failure: ServiceFailure?) {
        let json: JSONValue
        do { json = try response.json(limit: response.isSuccess ? Self.bodyLimit : 1 << 16) } catch {
            if response.isSuccess { throw error }
            json = .null
        }
        let answer = ServiceAnswer(
            json: json, status: response.status, headers: response.headers, address: response.address.withoutSecrets)
        let found = service.failure(in: answer, for: page)
        if response.isSuccess { return (answer, found) }
        var failure = found ?? ServiceFailure(reason: json.reason)
        failure.reason = failure.reason ?? response.pageReason
        return (answer, failure)
    }

    /// How long to wait before the same request; `nil` if that is too long, or nothing changes by waiting.
    private static func retryDelay(after response: FetchResponse, _ failure: ServiceFailure?) -> Duration? {
        guard let delay = failure?.retryDelay, response.origin != .archive else { return nil }
        let asked = response.headers["retry-after"]?.trimmed.decimal.map { Duration.seconds(max(1, $0)) } ?? delay
        return asked <= maxRetryDelay ? asked : nil
    }

    private func response(to request: ServiceRequest, revalidates: Bool = false) async throws -> FetchResponse {
        var address = endpoint.appending(path: request.path)?.appending(query: request.parameters)
        var headers = HeaderFields(request.headers.map { HeaderFields.Field(name: $0.name, value: $0.value) })
        var keyParameter: String?
        switch (key, declaration.key?.place) {
        case (let key?, .parameter(let name)):
            address = address?.appending(query: [(name, key)])
            keyParameter = name
        case (let key?, .header(let name)): headers.add(name: name, value: key)
        default: break
        }
        guard let address, address.text.utf8.count <= WebAddress.lengthLimit else {
            throw CatalogError(.invalidQuery, "the search is too long for a URL; use fewer words and filters")
        }
        var fetch = FetchRequest(address, accept: "application/json", headers: headers, bodyLimit: Self.bodyLimit)
        fetch.revalidates = revalidates
        fetch.keyParameter = keyParameter
        if key != declaration.key?.publicKey { fetch.secret = key }
        let turn = try await window?.turn(onWait: onWait)
        do {
            var response = try await transport.fetch(fetch)
            response.hide(fetch.secret)
            if let turn, response.origin != .network { window?.giveBack(turn) }
            return response
        } catch let error as FetchError
            where Self.absence.contains(error.kind) && !request.formerParameters.isEmpty
        {
            var former = request
            former.parameters += former.formerParameters
            former.formerParameters = []
            guard let response = try? await response(to: former) else { throw error }
            return response
        } catch let error as FetchError where error.exceededLimit == .body {
            throw CatalogError.tooLarge(from: address.host, limit: Self.bodyLimit)
        }
    }

    /// The error that a failure and the status of its response mean.
    private func failure(_ failure: ServiceFailure, _ response: FetchResponse) -> CatalogError {
        if let error = failure.error { return error }
        let (host, status) = (response.address.host, response.status)
        let reason = failure.reason.flatMap(CatalogError.reason)
        let why = reason.map { ": \($0)" } ?? ""
        if let subject = failure.subject {
            return CatalogError(.invalidQuery, "\(host): search refused (\(status))\(why)", at: subject)
        }
        func unavailable(_ message: String) -> CatalogError { CatalogError(.unavailable, "\(host): \(message)") }
        // Without a key, a web page is that of a proxy or of the network's edge.
        let isPage = response.body.first { $0 > 0x20 } == UInt8(ascii: "<")
        let isKnown = declaration.key != nil || reason != nil && !isPage
        switch status {
        case 200...299:
            return unavailable("search refused\(why)\(failure.retryDelay != nil ? "; try again later" : "")")
        case 400: return unavailable("search refused (400)\(why); change it or try again later")
        case 401 where isKnown, 403 where isKnown:
            // Without a key, nothing but the request can be to blame for a 401.
            let remedy =
                declaration.key.map { "; check the key in \($0.variable)" }
                ?? (status == 403 ? "; try again later" : "")
            return unavailable("request refused (\(status))\(why)\(remedy)")
        case 403:
            let isEdge = response.headers["x-cache"]?.lowercased().containsBytes(of: "cloudfront") == true
            let refusal = "network refused (403\(isEdge ? " by its edge" : ""))\(why)"
            return unavailable("\(refusal); try again later or from another network")
        case 404:
            return CatalogError(
                .unavailable, "\(host): nothing at \(response.address.path) (404)\(why)", at: .endpoint)
        case 414:
            return CatalogError(.invalidQuery, "\(host): search too long (414); use fewer words and filters")
        case 429:
            let refusal = "too many requests (429)\(why)"
            if let declared = declaration.key, key == declared.publicKey, let limits = declared.publicKeyLimits {
                return unavailable("\(refusal); \(limits); set \(declared.variable)")
            }
            let wait = response.headers["retry-after"]?.trimmed.decimal.map { "in \($0) s" } ?? "later"
            return unavailable("\(refusal); try again \(wait)")
        case 500...599: return unavailable("server error (\(status))\(why); try again later")
        default: return unavailable("unexpected status \(status)\(why); try again later")
        }
    }
}

extension FetchResponse {
    fileprivate var isSuccess: Bool { (200...299).contains(status) }

    /// The body as JSON, of at most `limit` bytes.
    fileprivate func json(limit: Int) throws(CatalogError) -> JSONValue {
        let host = address.host
        guard body.count <= limit else { throw .tooLarge(from: host, limit: limit) }
        switch body.first(where: { $0 > 0x20 }) {
        case nil: throw .invalid(from: host, "empty body (HTTP \(status)); try again later")
        case UInt8(ascii: "<"):
            let title = pageReason.map { " (\($0))" } ?? ""
            throw .invalid(from: host, "a web page instead of JSON\(title); is a proxy or a login page in between?")
        default: break
        }
        do {
            return try JSONValue(parsing: body)
        } catch {
            throw .invalid(from: host, "malformed JSON: \(error) (byte \(error.offset)); try again later")
        }
    }

    /// The title of a web page, else its first text; `nil` if there is none.
    fileprivate var pageReason: String? {
        // A web page shows its text early; 64 KiB are the limit of other reasons, too.
        let bytes = body.prefix(1 << 16)
        // JSON here is malformed, or larger than any reason.
        let isJSON = bytes.first { $0 > UInt8(ascii: " ") }.map { "{[".utf8.contains($0) } ?? false
        guard !isJSON, !bytes.contains(0) else { return nil }
        let page = String(decoding: bytes, as: UTF8.self)
        let title = [("<title", "</title"), ("<TITLE", "</TITLE")].lazy.compactMap { start, end in
            page.byteRange(of: start).flatMap { start in
                page[start.upperBound...].byteRange(of: end).map { page[start.lowerBound..<$0.lowerBound] }
            }
        }.first
        return [title ?? "", page[...]].lazy.compactMap {
            CatalogError.reason(PlainText.line(String($0), limit: 1 << 16))
        }
        .first
    }
}
