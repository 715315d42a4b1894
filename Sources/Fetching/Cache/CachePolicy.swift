package import SpyglassCaching

/// Whether a private cache may store and reuse a response (RFC 9111 sections 3 and 4.2).
struct CachePolicy: Hashable, Sendable {
    var isStorable: Bool
    /// A response from the future is stale: the clock was set back.
    var receivedAt: WallTime
    var freshUntil: WallTime
    var requiresRevalidation: Bool
    var allowsStale: Bool

    /// The freshness heuristic of RFC 9111 section 4.2.2: a tenth of the time since `Last-Modified`.
    static let heuristicShare: Int64 = 10
    /// Seconds; RFC 7234 asked for a warning beyond a day.
    static let heuristicLimit: Int64 = 86_400

    init(
        status: Int, headers: HeaderFields, redirects: [FetchResponse.Redirect], requestedAt: WallTime,
        receivedAt: WallTime
    ) {
        let control = CacheControl(headers)
        let hops = redirects.map { (hop: $0, control: CacheControl($0.headers)) }
        let controls = [control] + hops.map(\.control)
        self.receivedAt = receivedAt
        isStorable = status == 200 && !controls.contains(where: \.noStore)
        requiresRevalidation = controls.contains(where: \.noCache) || VaryFields.names(in: headers).contains("*")
        allowsStale = !requiresRevalidation && !controls.contains(where: \.mustRevalidate)
        var left = Self.freshnessLeft(headers, control, requestedAt, receivedAt, heuristic: status == 200) ?? 0
        for (hop, control) in hops {
            // A permanent redirect without directives does not limit the lifetime.
            let unsaid: Int64 = hop.status == 301 || hop.status == 308 ? DeltaSeconds.largest : 0
            left = min(
                left, Self.freshnessLeft(hop.headers, control, requestedAt, receivedAt, heuristic: false) ?? unsaid)
        }
        freshUntil = receivedAt.advanced(by: .seconds(left))
    }

    func isFresh(at now: WallTime) -> Bool { !requiresRevalidation && receivedAt <= now && now < freshUntil }

    var lifetime: FetchResponse.Lifetime? {
        guard isStorable else { return nil }
        return FetchResponse.Lifetime(
            freshUntil: requiresRevalidation ? receivedAt : freshUntil, allowsStale: allowsStale)
    }

    /// Seconds of freshness on arrival, negative if stale; `nil` without any information.
    private static func freshnessLeft(
        _ headers: HeaderFields, _ control: CacheControl, _ requestedAt: WallTime, _ receivedAt: WallTime,
        heuristic: Bool
    ) -> Int64? {
        let date = date("Date", in: headers, now: receivedAt)
        guard let lifetime = lifetime(headers, control, date: date ?? receivedAt, receivedAt, heuristic: heuristic)
        else { return nil }
        let apparentAge = date.map { max(0, seconds(from: $0, to: receivedAt)) } ?? 0
        let delay = max(0, seconds(from: requestedAt, to: receivedAt))
        // The first of several counts; an invalid one is ignored (RFC 9111 section 5.1).
        let ageValue = headers.values(of: "Age").first.flatMap(DeltaSeconds.parse) ?? 0
        return lifetime - max(apparentAge, ageValue + delay)
    }

    private static func lifetime(
        _ headers: HeaderFields, _ control: CacheControl, date: WallTime, _ receivedAt: WallTime, heuristic: Bool
    ) -> Int64? {
        if let maxAge = control.maxAge { return maxAge }
        if headers["Expires"] != nil {
            // "0" and invalid dates are in the past (RFC 9111 section 5.3).
            return Self.date("Expires", in: headers, now: receivedAt).map { seconds(from: date, to: $0) } ?? 0
        }
        guard heuristic, let modified = Self.date("Last-Modified", in: headers, now: receivedAt) else { return nil }
        return min(max(0, seconds(from: modified, to: date)) / heuristicShare, heuristicLimit)
    }

    /// `nil` also if there are several.
    private static func date(_ name: String, in headers: HeaderFields, now: WallTime) -> WallTime? {
        let values = headers.values(of: name)
        guard values.count == 1, let text = values.first else { return nil }
        return HTTPDate.parse(text, now: now)
    }

    /// Limited, so that sums cannot overflow.
    private static func seconds(from start: WallTime, to end: WallTime) -> Int64 {
        let limit = 10 * DeltaSeconds.largest
        return min(max(start.duration(to: end).components.seconds, -limit), limit)
    }
}

/// The request fields that selected the response (`Vary`, RFC 9111 section 4.1).
struct VaryFields: Hashable, Sendable {
    /// By lower-case name; `nil` if the request had no such field.
    var values: [String: String?]

    /// `Accept-Encoding` and `User-Agent` are the same in every request.
    init(of request: FetchRequest, namedIn headers: HeaderFields) {
        values = [:]
        for name in Self.names(in: headers) where name != "*" && name != "accept-encoding" && name != "user-agent" {
            values.updateValue(Self.value(name, in: request), forKey: name)
        }
    }

    init(values: [String: String?]) { self.values = values }

    func fit(_ request: FetchRequest) -> Bool { values.allSatisfy { Self.value($0.key, in: request) == $0.value } }

    static func names(in headers: HeaderFields) -> [String] {
        headers.values(of: "Vary").flatMap { $0.lowercased().split { ", \t".contains($0) } }.map(String.init)
    }

    private static func value(_ name: String, in request: FetchRequest) -> String? {
        let values = request.headers.values(of: name)
        if name == "accept", values.isEmpty { return request.accept }
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

extension FetchResponse {
    /// For users without a `CachingTransport`, which sets `lifetime`; `nil` if the response must not be stored.
    package func lifetime(receivedAt: WallTime) -> Lifetime? {
        CachePolicy(
            status: status, headers: headers, redirects: redirects, requestedAt: receivedAt, receivedAt: receivedAt
        ).lifetime
    }
}

extension FetchRequest {
    /// The name of the response in the store; `nil` if it must not be stored.
    var cacheKey: String? {
        guard !CacheControl(headers).noStore, address.isCacheable,
            !headers.fields.contains(where: { Self.isConditional($0) || Secrets.isHidden($0.name.utf8) })
        else { return nil }
        return address.without(parameter: keyParameter).storable?.text
    }

    private static func isConditional(_ field: HeaderFields.Field) -> Bool {
        field.isNamed("Range") || field.name.lowercased().hasPrefix("if-")
    }
}

/// `Cache-Control` (RFC 9111 section 5.2): malformed values shorten the storage; field names after `no-cache` are ignored.
struct CacheControl: Hashable, Sendable {
    var noStore = false
    var noCache = false
    var mustRevalidate = false
    var onlyIfCached = false
    /// Seconds of freshness; in a request, the maximum age.
    var maxAge: Int64?

    init(_ headers: HeaderFields) {
        let text = headers.values(of: "Cache-Control").joined(separator: ",")
        // Wherever they are: a malformed field must not lead to storage.
        let plain = text.lowercased()
        (noStore, noCache) = (plain.containsBytes(of: "no-store"), plain.containsBytes(of: "no-cache"))
        for (name, argument) in Self.directives(in: text) {
            switch name {
            case "must-revalidate": mustRevalidate = true
            case "only-if-cached": onlyIfCached = true
            case "max-age":
                let seconds = DeltaSeconds.parse(argument) ?? 0
                maxAge = maxAge == nil || maxAge == seconds ? seconds : 0
            default: break
            }
        }
    }

    /// Reads `name`, `name=token` and `name="quoted"`; a comma in quotes ends nothing (RFC 9110 section 5.6.4).
    private static func directives(in text: String) -> [(name: String, argument: String)] {
        var isQuoted = false
        return text.unicodeScalars.split(separator: ",").compactMap { part in
            defer { if !part.count(where: { $0 == "\"" }).isMultiple(of: 2) { isQuoted.toggle() } }
            guard !isQuoted else { return nil }
            let halves = Substring(part).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map(\.trimmingBlanks)
            let name = halves[0].prefix { $0 != " " && $0 != "\t" }.lowercased()
            let argument = halves.count > 1 ? halves[1] : ""
            let hasQuotes = argument.count > 1 && argument.first == "\"" && argument.last == "\""
            return (name, String(hasQuotes ? argument.dropFirst().dropLast() : argument))
        }
    }
}

enum DeltaSeconds {
    /// Replaces larger numbers, as the RFC allows: 68 years.
    static let largest: Int64 = 1 << 31

    static func parse(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return min(Int64(text) ?? largest, largest)
    }
}
