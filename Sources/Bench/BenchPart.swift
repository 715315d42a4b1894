/// A part of the program that is measured.
package enum BenchPart: String, Hashable, Sendable, CaseIterable {
    case decode, resize, cache, fetch, render, browse

    /// Whether pictures of the user's own can be measured.
    package var acceptsImages: Bool { self == .decode || self == .resize }
}
