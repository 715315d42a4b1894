extension BrowserState {
    /// Lines under the search field, so many at most.
    static let choiceLimit = 8
    /// Searches of an archive that are offered.
    private static let suggestionLimit = 6
    /// Searches that are remembered.
    static let historyLimit = 100

    /// What is offered under the search field: where the last run was left, searches of the past that begin with what is typed, and
    /// suggestions as long as there is no past.
    func choices(of screen: SearchScreen) -> [SearchChoice] {
        let typed = screen.field.text.drop(while: \.isWhitespace).lowercased()
        var choices: [SearchChoice] = []
        if typed.isEmpty, case .home = content, let place, options.canResume(place) { choices.append(.resume(place)) }
        func fits(_ search: String) -> Bool {
            let search = search.lowercased()
            return search.hasPrefix(typed) && search != typed
        }
        choices += history.lazy.filter(fits).prefix(Self.choiceLimit - choices.count).map { .recent($0) }
        if history.isEmpty {
            choices += suggestions.lazy.filter(fits).prefix(Self.choiceLimit - choices.count)
                .map { .suggestion($0) }
        }
        return choices
    }

    /// What an archive holds, else what the source that is preferred is known to have.
    private var suggestions: [String] {
        options.archiveHolds.map { Array($0.prefix(Self.suggestionLimit)) }
            ?? options.suggestions[preferences.source] ?? []
    }

    /// The choice that is highlighted, if one is.
    func chosen(of screen: SearchScreen) -> SearchChoice? {
        let choices = choices(of: screen)
        return screen.choice.flatMap { choices.indices.contains($0) ? choices[$0] : nil }
    }
}

extension BrowserOptions {
    /// What a place in a source's results is kept under: each archive is a source of its own.
    func placeSource(_ source: String) -> String { archive.map { SavedPlace.archivePrefix + $0 } ?? source }

    /// Whether a place can be found again in this run.
    func canResume(_ place: SavedPlace) -> Bool {
        archive == nil ? sources.contains(place.source) : place.source == placeSource(place.source)
    }
}
