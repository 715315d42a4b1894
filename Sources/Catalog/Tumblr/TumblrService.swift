internal import SpyglassFetching
internal import SpyglassJSON

/// Tumblr (API version 2): the posts of a blog, or the posts of all blogs with a tag.
///
/// `/tagged` has only the legacy format; blogs are read in the newer (`npf=true`).
struct TumblrService: PhotoService {
    private static let pageSize = 20
    private static let keyName = "api_key"
    private static let tag = PhotoFilter(
        "tag", placeholder: "WORD", help: "a tag, of all blogs or of the given one", examples: ["lighthouse"])

    let declaration = SourceDeclaration(
        name: "tumblr", title: "Tumblr", summary: "pictures and GIFs of a blog, or with a tag",
        operands: "BLOG, or tag:WORD", example: "nasa", filters: [Self.tag],
        endpoint: WebAddress(constant: "https://api.tumblr.com/v2/"), requestsPerMinute: 300,
        key: SourceKey(
            variable: "SPYGLASS_TUMBLR_KEY", place: .parameter(Self.keyName),
            help: "the consumer key of an application, from tumblr.com/oauth/apps", isRequired: true),
        license: "pictures belong to the people who posted them; ask before reusing one")

    func request(for page: PageRequest) throws(CatalogError) -> ServiceRequest {
        try request(page.query, at: page.cursor)
    }

    private func request(_ query: PhotoQuery, at cursor: PageCursor?) throws(CatalogError) -> ServiceRequest {
        let tag = query[Self.tag.name].first
        var path = "tagged"
        var parameters = [(name: "limit", value: "\(Self.pageSize)")]
        if !query.text.isEmpty {
            path = "blog/\(try Self.blog(query.text))/posts"
            parameters.append(("npf", "true"))
        } else if tag == nil {
            throw CatalogError(.invalidQuery, "tumblr: nothing to search for; give a blog, or tag:WORD", at: .text)
        }
        if let tag { parameters.append(("tag", tag)) }
        guard let cursor else { return ServiceRequest(path: path, parameters: parameters) }
        guard let next = cursor.parameters else { throw .foreignCursor(of: declaration.name) }
        let names = Set(next.map(\.name))
        return ServiceRequest(path: path, parameters: parameters.filter { !names.contains($0.name) } + next)
    }

    /// The name or host name of a blog, also from its address.
    private static func blog(_ text: String) throws(CatalogError) -> String {
        var rest = text[...]
        for start in ["https://", "http://", "www.tumblr.com/", "@"] where rest.lowercased().hasPrefix(start) {
            rest = rest.dropFirst(start.count)
        }
        let name = rest.prefix { $0 != "/" }
        let isName = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "-_.:".utf8.contains(byte)
        }
        guard isName, name.utf8.count <= 253, name.contains(where: { $0 != "." }) else {
            throw CatalogError(
                .invalidQuery,
                "tumblr: '\(PlainText.oneLine(text, limit: 80))' is not a blog; give its name, or tag:WORD",
                at: .text)
        }
        return String(name)
    }

    func search(at address: WebAddress) -> String? {
        let parts = address.path.split(separator: "/")
        let tag = address.queryItems.first { $0.name == Self.tag.name }.map { "tag:\($0.value)" }
        if parts.last == "tagged" { return tag }
        guard parts.last == "posts", parts.dropLast(2).last == "blog" else { return nil }
        return [String(parts[parts.count - 2]), tag].compactMap(\.self).joined(separator: " ")
    }

    /// Follows pages without a picture, which would look like the end.
    func request(after answers: [ServiceAnswer], for page: PageRequest) throws(CatalogError) -> ServiceRequest? {
        guard let last = answers.last, let posts = posts(of: last),
            posts.allSatisfy({ TumblrPost($0, in: last.address).pictures.isEmpty }),
            let cursor = cursor(after: answers, for: page)
        else { return nil }
        return try request(page.query, at: cursor)
    }

    /// `{"meta": …, "response": {"posts": […], "total_posts": …, "_links": …}}`; of tags, `response` is the list.
    func page(of answers: [ServiceAnswer], for page: PageRequest) throws(CatalogError) -> PhotoPage {
        var photos: [Photo] = []
        for answer in answers {
            guard let posts = posts(of: answer) else {
                throw .invalid(from: answer.address.host, "no list of posts", at: .endpoint)
            }
            photos += posts.compactMap { TumblrPost($0, in: answer.address).photo(of: declaration.name) }
        }
        // Text posts count, too.
        let total = answers.last?.json["response"]?.positive("total_posts").map { PhotoPage.Total.estimate($0) }
        return PhotoPage(photos: photos, next: cursor(after: answers, for: page), total: total)
    }

    private func posts(of answer: ServiceAnswer) -> [JSONValue]? {
        let response = answer.json["response"]
        if case .array(let posts)? = response { return posts }
        if case .array(let posts)? = response?["posts"] { return posts }
        return nil
    }

    private func cursor(after answers: [ServiceAnswer], for page: PageRequest) -> PageCursor? {
        var cursor = page.cursor
        for answer in answers {
            let isTagged = page.query.text.isEmpty
            let next = isTagged ? self.cursor(afterTagged: answer) : self.cursor(after: answer, at: cursor)
            guard let next, next != cursor else { return nil }
            cursor = next
        }
        return cursor
    }

    /// The time of the last post, as the documentation of `/tagged` asks for.
    private func cursor(afterTagged answer: ServiceAnswer) -> PageCursor? {
        let times = (posts(of: answer) ?? []).reversed().lazy.compactMap {
            $0.positive("featured_timestamp") ?? $0.positive("timestamp")
        }
        return times.first.map { PageCursor(parameters: [("before", "\($0)")]) }
    }

    /// Reads the link to the next page; its token is opaque.
    ///
    /// Responses before 2019 have none, but count from an offset.
    private func cursor(after answer: ServiceAnswer, at cursor: PageCursor?) -> PageCursor? {
        let response = answer.json["response"]
        if let links = response?["_links"] {
            guard let link = links["next"]?["href"]?.text, let address = try? answer.address.resolving(link)
            else { return nil }
            let followed = address.queryItems.filter { $0.name != Self.keyName }
            return followed.isEmpty ? nil : PageCursor(parameters: followed)
        }
        let count = posts(of: answer)?.count ?? 0
        let old = cursor.flatMap(\.parameters) ?? [("offset", "0")]
        guard count > 0, old.count == 1, old[0].name == "offset", let offset = old[0].value.decimal,
            let total = response?.positive("total_posts"), offset < total - count
        else { return nil }
        return PageCursor(parameters: [("offset", "\(offset + count)")])
    }

    /// `{"meta": {"status": 404, "msg": "Not Found"}, "response": [], "errors": […]}`, also with status 200.
    func failure(in answer: ServiceAnswer, for page: PageRequest) -> ServiceFailure? {
        let meta = answer.json["meta"]
        let statuses = [answer.status, meta?["status"]?.integer ?? 200]
        guard !statuses.allSatisfy((200...299).contains) else { return nil }
        let error = answer.json["errors"]?.elements.first
        var words: [String] = []
        for case let reason? in [
            meta?.line("msg"), error?.line("detail") ?? error?.line("title"), Self.limit(in: answer.headers),
        ] where !words.contains(reason) { words.append(reason) }
        return ServiceFailure(reason: words.isEmpty ? nil : words.joined(separator: ": "))
    }

    /// The limit that is used up, by header fields such as `X-Ratelimit-Perhour-Remaining`.
    private static func limit(in headers: HeaderFields) -> String? {
        for (name, period) in [("perhour", "an hour"), ("perday", "a day")] {
            func number(_ end: String) -> Int? { headers["x-ratelimit-\(name)-\(end)"]?.trimmed.decimal }
            guard number("remaining") == 0, let limit = number("limit"), let reset = number("reset") else { continue }
            return "all \(limit) requests \(period) used, reset in \(reset) s"
        }
        return nil
    }
}

extension PageCursor {
    /// Only its query is used.
    private static let tumblr = WebAddress(constant: "https://tumblr/")

    fileprivate init(parameters: [(name: String, value: String)]) {
        self.init(token: Self.tumblr.appending(query: parameters.map { ($0, $1) }).text)
    }

    fileprivate var parameters: [(name: String, value: String)]? {
        token.hasPrefix("\(Self.tumblr.text)?") ? WebAddress(token)?.queryItems : nil
    }
}
