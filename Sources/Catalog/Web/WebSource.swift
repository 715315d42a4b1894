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
    /// Retries of a request while the service is busy.
    static let maxRetries = 2
    /// The default and the maximum of `Retry-After` while it is, in seconds.
    static let retryDelay = 5
    static let maxRetryDelay = 60
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
        guard photo.lacksFiles, let request = service.request(forFilesOf: photo) else { return photo }
        var whole = photo
        do {
            if let (answer, _) = try await answer(to: request, for: PageRequest(PhotoQuery())) {
                whole = service.photo(photo, withFilesIn: answer)
            }
        } catch let error as FetchError where Self.absence.contains(error.kind) {}
        whole.lacksFiles = false
        return whole
    }

    func page(of query: PhotoQuery, at cursor: PageCursor?) async throws -> PhotoPage {
        do {
            return try await read(query, at: cursor)
        } catch let error as CatalogError where error.subject == .endpoint {
            // The remedy that a program adds is for NASA's endpoint.
            throw CatalogError(error.kind, error.description)
        }
    }

    private func read(_ query: PhotoQuery, at cursor: PageCursor?) async throws -> PhotoPage {
        let request = PageRequest(try query.checked(by: filters, of: name), at: cursor)
        var answers: [ServiceAnswer] = []
        var trust = AddressTrust.publicService
        var next: ServiceRequest? = try service.request(for: request)
        while let part = next, answers.count < Self.maxRequestsPerPage {
            guard let (answer, named) = try await answer(to: part, for: request) else { break }
            trust = named
            answers.append(answer)
            next = try service.request(after: answers, for: request)
        }
        guard !answers.isEmpty else { return PhotoPage(photos: []) }
        var page = try service.page(of: answers, for: request)
        var seen: Set<String> = []
        page.photos = page.photos.prefix(Self.maxPhotosPerPage).filter { seen.insert($0.id).inserted }
        for index in page.photos.indices { page.photos[index].trust = trust }
        return page
    }

    /// The answer to a request and the trust of its addresses; `nil` if there are no more results.
    private func answer(
        to part: ServiceRequest, for request: PageRequest
    ) async throws -> (ServiceAnswer, AddressTrust)? {
        var response = try await response(to: part)
        var content = try content(of: response, for: request)
        for _ in 0..<Self.maxRetries {
            guard content.failure?.isBusy == true, let delay = Self.retryDelay(after: response) else { break }
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
        let isSuccess = (200...299).contains(response.status)
        let json: JSONValue
        do { json = try response.json(limit: isSuccess ? Self.bodyLimit : 1 << 16) } catch {
            throw isSuccess ? error : failure(ServiceFailure(reason: response.pageReason), response)
        }
        let answer = ServiceAnswer(
            json: json, status: response.status, headers: response.headers, address: response.address.withoutSecrets)
        let found = service.failure(in: answer, for: page)
        return (answer, found ?? (isSuccess ? nil : ServiceFailure(reason: json.reason)))
    }

    /// How long a busy service asks to wait; `nil` if that is too long, or nothing changes by waiting.
    private static func retryDelay(after response: FetchResponse) -> Duration? {
        // Transports retry other statuses.
        guard (200...299).contains(response.status), response.origin != .archive else { return nil }
        let seconds = response.headers["retry-after"]?.trimmed.decimal ?? retryDelay
        return seconds <= maxRetryDelay ? .seconds(max(1, seconds)) : nil
    }

    private func response(to request: ServiceRequest, revalidates: Bool = false) async throws -> FetchResponse {
        var address = endpoint.appending(path: request.path, query: "")?.appending(query: request.parameters)
        var headers = HTTPHeaders(request.headers.map { HTTPHeaders.Field(name: $0.name, value: $0.value) })
        switch (key, declaration.key?.place) {
        case (let key?, .parameter(let name)): address = address?.appending(query: [(name, key)])
        case (let key?, .header(let name)): headers.append(name, key)
        default: break
        }
        guard let address, address.text.utf8.count <= WebAddress.lengthLimit else {
            throw CatalogError(.invalidQuery, "the search is too long for a URL; use fewer words and filters")
        }
        var fetch = FetchRequest(
            address, accept: "application/json", headers: headers, bodyLimit: Self.bodyLimit)
        fetch.revalidates = revalidates
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

    private func failure(_ failure: ServiceFailure?, _ response: FetchResponse) -> CatalogError {
        let host = response.address.host
        let reason = failure?.reason.flatMap(CatalogError.reason)
        let why = reason.map { ": \($0)" } ?? ""
        if let subject = failure?.subject {
            return CatalogError(.invalidQuery, "\(host): search refused (\(response.status))\(why)", at: subject)
        }
        switch response.status {
        case 200...299:
            let remedy = failure?.isBusy == true ? "; try again later" : ""
            return CatalogError(.unavailable, "\(host): search refused\(why)\(remedy)")
        case 401, 403:
            guard reason != nil || declaration.key != nil else { break }
            // Without a key, nothing but the request can be to blame for a 401.
            let remedy =
                declaration.key.map { "; check the key in \($0.variable)" }
                ?? (response.status == 403 ? "; try again later" : "")
            return CatalogError(.unavailable, "\(host): request refused (\(response.status))\(why)\(remedy)")
        case 429:
            guard let declared = declaration.key, key == declared.publicKey, let limits = declared.publicKeyLimits
            else { break }
            return CatalogError(
                .unavailable, "\(host): too many requests (429)\(why); \(limits); set \(declared.variable)")
        default: break
        }
        return CatalogError(response, reason: reason)
    }
}
