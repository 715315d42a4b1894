internal import SpyglassTerminalUI

extension BrowserState {
    static let choiceLimit = 8
    private static let suggestionLimit = 6
    static let historyLimit = 100

    func choices(of screen: SearchScreen) -> [SearchChoice] {
        let typed = screen.field.text.drop(while: \.isWhitespace).lowercased()
        var choices: [SearchChoice] = []
        if typed.isEmpty, case .home = content, let place, options.canSearch(place.source) {
            choices.append(.resume(place))
        }
        let limit = lineLimit
        func fits(_ search: String) -> Bool {
            let search = search.lowercased()
            return search.hasPrefix(typed) && search != typed
        }
        let recent = history.filter { options.canSearch($0.source) }
        choices += recent.lazy.filter { fits($0.text) }.prefix(limit - choices.count).map { .recent($0) }
        if recent.isEmpty {
            choices += suggestions.lazy.filter(fits).prefix(limit - choices.count)
                .map { .suggestion($0) }
        }
        if typed.isEmpty, case .home = top { choices += homePhotos.map { .photo($0) } }
        return choices
    }

    /// Pictures leave room for fewer lines.
    private var lineLimit: Int {
        guard case .home = content, !homePhotos.isEmpty else { return Self.choiceLimit }
        let rows = RenderContext.content(of: self).rows - homeGeometry.rowsInAll - HomeView.rowsBesideChoices
        return min(max(rows, 1), Self.choiceLimit)
    }

    /// The searches of an archive, or suggestions for the preferred source.
    private var suggestions: [String] {
        options.archiveHolds.map { Array($0.prefix(Self.suggestionLimit)) }
            ?? options.suggestions[searchSource] ?? []
    }

    func chosen(of screen: SearchScreen) -> SearchChoice? {
        let choices = choices(of: screen)
        return screen.choice.flatMap { choices.indices.contains($0) ? choices[$0] : nil }
    }
}

extension BrowserOptions {
    /// The source name of a `SavedPlace`; each archive is its own source.
    package func placeSource(_ source: String) -> String { archive.map { SavedPlace.archivePrefix + $0 } ?? source }

    /// Whether a search of a source, or an archive as in `SavedPlace`, can be made; `nil` is any source.
    func canSearch(_ source: String?) -> Bool {
        guard archive == nil else { return source == placeSource("") }
        return source.map(sources.contains) ?? true
    }
}
