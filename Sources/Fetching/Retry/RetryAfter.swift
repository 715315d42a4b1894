internal import SpyglassCaching

/// `Retry-After` (RFC 9110 section 10.2.3).
enum RetryAfter {
    /// Seconds or a date; zero if it has passed, `nil` if unreadable.
    static func delay(in headers: HTTPHeaders, now: WallTime) -> Duration? {
        guard let text = headers["Retry-After"] else { return nil }
        if let seconds = DeltaSeconds.parse(text) { return .seconds(seconds) }
        return HTTPDate.parse(text, now: now).map { max(.zero, now.duration(to: $0)) }
    }
}
