public import SpyglassCaching

/// On what terms a private cache may keep an answer and use it again (RFC 9111 sections 3 and 4.2).
///
/// The freshness lifetime is `max-age`, else `Expires` less `Date`, else a tenth of the time since `Last-Modified`, a
/// day at most. From it goes the age that the answer had when it came, in the conservative form of section 4.2.3. What
/// cannot be read counts as old. An answer that was reached through redirects is no fresher than each of them: a
/// permanent one is good for ever unless it says otherwise, any other for as long as it says.
struct CachePolicy: Hashable, Sendable {
    /// Whether it may be kept at all.
    var isStorable: Bool
    /// When it came; before that it cannot have been kept, unless a clock was turned back.
    var receivedAt: WallTime
    /// Until when it may be used without asking.
    var freshUntil: WallTime
    /// Whether it must never be used without asking, whatever its age.
    var requiresRevalidation: Bool
    /// Whether it may be used once it is old and the server cannot be asked.
    var allowsStale: Bool

    /// The share of the time since `Last-Modified` for which an answer without a date of its own is fresh (RFC 9111
    /// section 4.2.2).
    static let heuristicShare: Int64 = 10
    /// And the longest such time, in seconds: beyond a day RFC 7234 wanted a warning.
    static let heuristicLimit: Int64 = 86_400

    /// The terms of an answer that was asked for at `requestedAt` and came at `receivedAt`.
    init(
        status: Int, headers: HTTPHeaders, redirects: [FetchResponse.Redirect], requestedAt: WallTime,
        receivedAt: WallTime
    ) {
        let control = CacheControl(headers)
        let hops = redirects.map { (hop: $0, control: CacheControl($0.headers)) }
        let controls = [control] + hops.map(\.control)
        self.receivedAt = receivedAt
        isStorable = status == 200 && !controls.contains(where: \.noStore)
        requiresRevalidation = controls.contains(where: \.noCache) || Self.variesByEverything(headers)
        allowsStale = !requiresRevalidation && !controls.contains(where: \.mustRevalidate)
        var left = Self.freshnessLeft(headers, control, requestedAt, receivedAt, heuristic: status == 200) ?? 0
        for (hop, control) in hops {
            let unsaid: Int64 = hop.status == 301 || hop.status == 308 ? DeltaSeconds.largest : 0
            left = min(
                left, Self.freshnessLeft(hop.headers, control, requestedAt, receivedAt, heuristic: false) ?? unsaid)
        }
        freshUntil = receivedAt.advanced(by: .seconds(left))
    }

    /// Whether the answer may be used at a moment without asking; an answer from the future may not.
    func isFresh(at now: WallTime) -> Bool { !requiresRevalidation && receivedAt <= now && now < freshUntil }

    /// What of it the user of an answer is told.
    var lifetime: FetchResponse.Lifetime? {
        guard isStorable else { return nil }
        return FetchResponse.Lifetime(
            freshUntil: requiresRevalidation ? receivedAt : freshUntil, allowsStale: allowsStale)
    }

    private static func variesByEverything(_ headers: HTTPHeaders) -> Bool {
        VaryFields.names(in: headers).contains("*")
    }

    /// How many seconds of freshness were left when the answer came, less than none if it was old; `nil` when it says
    /// nothing.
    private static func freshnessLeft(
        _ headers: HTTPHeaders, _ control: CacheControl, _ requestedAt: WallTime, _ receivedAt: WallTime,
        heuristic: Bool
    ) -> Int64? {
        let date = date("Date", in: headers, now: receivedAt)
        guard let lifetime = lifetime(headers, control, date: date ?? receivedAt, receivedAt, heuristic: heuristic)
        else {
            return nil
        }
        let apparentAge = date.map { max(0, seconds(from: $0, to: receivedAt)) } ?? 0
        let delay = max(0, seconds(from: requestedAt, to: receivedAt))
        // Of several the first counts, and one that is no number is ignored (RFC 9111 section 5.1).
        let ageValue = headers.values(of: "Age").first.flatMap(DeltaSeconds.parse) ?? 0
        return lifetime - max(apparentAge, ageValue + delay)
    }

    private static func lifetime(
        _ headers: HTTPHeaders, _ control: CacheControl, date: WallTime, _ receivedAt: WallTime, heuristic: Bool
    ) -> Int64? {
        if let maxAge = control.maxAge { return maxAge }
        if headers["Expires"] != nil {
            // "0" and whatever is no date have passed (RFC 9111 section 5.3).
            return Self.date("Expires", in: headers, now: receivedAt).map { seconds(from: date, to: $0) } ?? 0
        }
        guard heuristic, let modified = Self.date("Last-Modified", in: headers, now: receivedAt) else { return nil }
        return min(max(0, seconds(from: modified, to: date)) / heuristicShare, heuristicLimit)
    }

    /// The date of a field that stands once.
    private static func date(_ name: String, in headers: HTTPHeaders, now: WallTime) -> WallTime? {
        let values = headers.values(of: name)
        guard values.count == 1, let text = values.first else { return nil }
        return HTTPDate.parse(text, now: now)
    }

    /// Whole seconds, with bounds that leave room for sums.
    private static func seconds(from start: WallTime, to end: WallTime) -> Int64 {
        let limit = 10 * DeltaSeconds.largest
        return min(max(start.duration(to: end).components.seconds, -limit), limit)
    }
}

/// The fields of a request that decided which answer was given (`Vary`, RFC 9111 section 4.1), with their values.
struct VaryFields: Hashable, Sendable {
    /// By lower-case name; `nil` where the request had no such field.
    var values: [String: String?]

    /// The fields of `request` that its answer names.
    ///
    /// `Accept-Encoding` and `User-Agent` are not among them: every request of a transport has the same.
    init(of request: FetchRequest, namedIn headers: HTTPHeaders) {
        values = [:]
        for name in Self.names(in: headers) where name != "*" && name != "accept-encoding" && name != "user-agent" {
            values.updateValue(Self.value(name, in: request), forKey: name)
        }
    }

    /// Fields read from somewhere.
    init(values: [String: String?]) { self.values = values }

    /// Whether another request would have been given the same answer.
    func fit(_ request: FetchRequest) -> Bool { values.allSatisfy { Self.value($0.key, in: request) == $0.value } }

    /// The names behind `Vary`, in lower case.
    static func names(in headers: HTTPHeaders) -> [String] {
        headers.values(of: "Vary").flatMap { $0.lowercased().split { ", \t".contains($0) } }.map(String.init)
    }

    private static func value(_ name: String, in request: FetchRequest) -> String? {
        if name == "accept" { return request.accept }
        let values = request.headers.values(of: name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

extension FetchResponse {
    /// How long a private cache may use the answer, by its status and header fields alone (RFC 9111 section 4.2).
    ///
    /// For those who keep what came without a `CachingTransport`, which sets `lifetime`.
    ///
    /// - Parameter receivedAt: when it came.
    /// - Returns: `nil` when it must not be kept.
    public func lifetime(receivedAt: WallTime) -> Lifetime? {
        CachePolicy(
            status: status, headers: headers, redirects: redirects, requestedAt: receivedAt, receivedAt: receivedAt
        ).lifetime
    }
}
