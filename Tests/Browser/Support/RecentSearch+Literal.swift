@testable import SpyglassBrowser

/// A text is a search of any source.
extension RecentSearch: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) { self.init(text) }
}
