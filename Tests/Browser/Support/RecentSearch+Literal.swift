@testable import SpyglassBrowser

extension RecentSearch: ExpressibleByStringInterpolation {
    /// Creates a search of any source.
    public init(stringLiteral text: String) { self.init(text) }
}
