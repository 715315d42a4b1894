internal import SpyglassTerminalUI

/// Something that a key or a click does.
///
/// A feature declares its actions beside its keys:
///
///     static let mark = Action("mark", "mark", "markieren", "marquer", "marcar", "選択", "تعليم")
struct Action: Hashable, Sendable, CustomStringConvertible {
    private let id: String
    private let name: Text
    /// Whether the action does nothing without images.
    let needsImages: Bool

    /// Creates an action with its names in all languages, which are short enough for the footer.
    init(
        _ id: String, _ english: String, _ german: String, _ french: String, _ spanish: String, _ japanese: String,
        _ arabic: String, needsImages: Bool = false
    ) {
        self.id = id
        name = Text(english, german, french, spanish, japanese, arabic)
        self.needsImages = needsImages
    }

    var description: String { id }

    func name(in strings: UIStrings) -> String { name[strings.language] }

    static func == (one: Action, other: Action) -> Bool { one.id == other.id }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// Where a key works: on a screen, or in one of its modes.
enum KeyScope: Hashable, Sendable, CaseIterable {
    case home, list, grid, detail, search, filter, help, settings, alert, save, export, info, slideshow
}

/// Keys that do an action, and where.
struct KeyBinding: Hashable, Sendable {
    let keys: [Key]
    let action: Action
    let scopes: Set<KeyScope>
    /// Whether help and footer leave it out, since it duplicates another binding.
    var isHidden = false
}
