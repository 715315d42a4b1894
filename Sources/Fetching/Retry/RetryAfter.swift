internal import SpyglassCaching

/// How long a server asks to be left alone (`Retry-After`, RFC 9110 section 10.2.3).
enum RetryAfter {
    /// Reads seconds or a date; a date that has passed is zero, and anything else is `nil`.
    static func delay(in headers: HTTPHeaders, now: WallTime) -> Duration? {
        guard let text = headers["Retry-After"] else { return nil }
        if let seconds = DeltaSeconds.parse(text) { return .seconds(seconds) }
        return HTTPDate.parse(text, now: now).map { max(.zero, now.duration(to: $0)) }
    }
}
