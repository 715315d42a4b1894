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
    /// Photos of one page.
    static let maxPhotosPerPage = 10_000

    private let service: any PhotoService
    private let declaration: SourceDeclaration
    private let endpoint: WebAddress
    private var transport: any Transport
    private let key: String?
    private let window: RequestWindow?
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

    func renditions(of photo: Photo) async throws -> Photo { photo }

    func page(of query: PhotoQuery, at cursor: PageCursor?) async throws -> PhotoPage {
        let request = PageRequest(try query.checked(by: filters, of: name), at: cursor)
        var answers: [ServiceAnswer] = []
        var trust = AddressTrust.publicService
        var next: ServiceRequest? = try service.request(for: request)
        while let part = next, answers.count < Self.maxRequestsPerPage {
            let response = try await response(to: part)
            let (answer, isEnd) = try answer(of: response, for: request)
            if isEnd { break }
            trust = .named(in: response)
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

    /// The content of a response, and whether it only says that there are no more results.
    private func answer(
        of response: FetchResponse, for page: PageRequest
    ) throws(CatalogError) -> (ServiceAnswer, isEnd: Bool) {
        let isSuccess = (200...299).contains(response.status)
        let json: JSONValue
        do { json = try response.json(limit: isSuccess ? Self.bodyLimit : 1 << 16) } catch {
            throw isSuccess ? error : failure(nil, response)
        }
        let answer = ServiceAnswer(
            json: json, status: response.status, headers: response.headers, address: response.address)
        let found = service.failure(in: answer, for: page)
        guard isSuccess, found == nil else {
            if let found, found.isEndOfResults { return (answer, true) }
            throw failure(found, response)
        }
        return (answer, false)
    }

    private func response(to request: ServiceRequest) async throws -> FetchResponse {
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
        let fetch = FetchRequest(
            address, accept: "application/json", headers: headers, bodyLimit: Self.bodyLimit)
        let turn = try await window?.turn(onWait: onWait)
        do {
            let response = try await transport.fetch(fetch)
            if let turn, response.origin != .network { window?.giveBack(turn) }
            return response
        } catch let error as FetchError where error.exceededLimit == .body {
            throw CatalogError.tooLarge(from: address.host, limit: Self.bodyLimit)
        }
    }

    private func failure(_ failure: ServiceFailure?, _ response: FetchResponse) -> CatalogError {
        let host = response.address.host
        let reason = failure?.reason.flatMap { CatalogError.reason(withoutKey($0)) }
        let why = reason.map { ": \($0)" } ?? ""
        if let subject = failure?.subject {
            return CatalogError(.invalidQuery, "\(host): search refused (\(response.status))\(why)", at: subject)
        }
        switch response.status {
        case 200...299: return CatalogError(.unavailable, "\(host): search refused\(why); try again later")
        case 401, 403:
            guard reason != nil || declaration.key != nil else { break }
            let remedy = declaration.key.map { "check the key in \($0.variable)" } ?? "try again later"
            return CatalogError(.unavailable, "\(host): request refused (\(response.status))\(why); \(remedy)")
        case 429:
            guard let declared = declaration.key, key == declared.publicKey, let limits = declared.publicKeyLimits
            else { break }
            return CatalogError(
                .unavailable, "\(host): too many requests (429)\(why); \(limits); set \(declared.variable)")
        default: break
        }
        return CatalogError(response, reason: reason)
    }

    private func withoutKey(_ text: String) -> String {
        guard let key, !key.isEmpty else { return text }
        var result = ""
        var rest = text[...]
        while let range = rest.byteRange(of: key) {
            result += "\(rest[..<range.lowerBound])***"
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}
