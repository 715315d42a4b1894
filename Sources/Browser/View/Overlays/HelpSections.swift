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

    init(strings: UIStrings, glyphs: GlyphSet) {
        sections = Place.allCases.compactMap { place in
            let bindings = KeyTable.bindings.filter { !$0.isHidden && Self.place(of: $0) == place }
            guard !bindings.isEmpty else { return nil }
            let entries = bindings.map { binding in
                Entry(
                    keys: binding.keys.prefix(Self.shownKeys).map { KeyName.text(of: $0, strings, glyphs) }.joined(
                        separator: " "),
                    label: KeyHints.label(of: binding.action, in: binding.scopes, strings))
            }
            return Section(name: Self.name(of: place, strings), entries: entries)
        }
    }

    private static func place(of binding: KeyBinding) -> Place {
        let scopes = binding.scopes
        if scopes.count >= everywhere { return .everywhere }
        if !scopes.isDisjoint(with: [.home, .search]) { return .field }
        if !scopes.isDisjoint(with: [.list, .grid]) { return .lists }
        return scopes.contains(.detail) ? .photo : .panels
    }

    private static func name(of place: Place, _ strings: UIStrings) -> String {
        switch place {
        case .everywhere: strings.help.everywhere
        case .lists: strings.help.lists
        case .photo: strings.help.photo
        case .field: strings.help.field
        case .panels: strings.help.panels
        }
    }
}
