internal import SpyglassTerminalUI

/// The key table as somebody reads it: by where keys have their meaning.
struct HelpSections {
    struct Entry {
        var keys: String
        var label: String
    }

    struct Section {
        var name: String
        var entries: [Entry]
    }

    let sections: [Section]

    /// A binding of so many screens belongs to none of them.
    private static let everywhere = 4

    /// Whoever knows three keys for something needs no fourth.
    private static let shownKeys = 3

    private enum Place: CaseIterable {
        case everywhere, lists, photo, field, panels
    }

    init(words: UIStrings, glyphs: GlyphSet) {
        sections = Place.allCases.compactMap { place in
            let bindings = KeyTable.bindings.filter { !$0.isHidden && Self.place(of: $0) == place }
            guard !bindings.isEmpty else { return nil }
            let entries = bindings.map { binding in
                Entry(
                    keys: binding.keys.prefix(Self.shownKeys).map { KeyName.text(of: $0, words, glyphs) }.joined(
                        separator: " "),
                    label: KeyHints.label(of: binding.action, in: binding.scopes, words))
            }
            return Section(name: Self.name(of: place, words), entries: entries)
        }
    }

    private static func place(of binding: KeyBinding) -> Place {
        let scopes = binding.scopes
        if scopes.count >= everywhere { return .everywhere }
        if !scopes.isDisjoint(with: [.home, .search]) { return .field }
        if !scopes.isDisjoint(with: [.list, .grid]) { return .lists }
        return scopes.contains(.detail) ? .photo : .panels
    }

    private static func name(of place: Place, _ words: UIStrings) -> String {
        switch place {
        case .everywhere: words.help.everywhere
        case .lists: words.help.lists
        case .photo: words.help.photo
        case .field: words.help.field
        case .panels: words.help.panels
        }
    }
}
