internal import SpyglassTerminalUI

/// Something that a key or a click does.
///
/// A feature declares its actions beside its keys:
///
///     static let zoomIn = Action("zoomIn", needsImages: true) { $0.zoom.zoomIn }
struct Action: Hashable, Sendable, CustomStringConvertible {
    private let id: String
    /// Whether the action does nothing without images.
    let needsImages: Bool
    private let name: @Sendable (UIStrings) -> String

    /// Creates an action; its name is short enough for the footer.
    init(_ id: String, needsImages: Bool = false, name: @escaping @Sendable (UIStrings) -> String) {
        self.id = id
        self.needsImages = needsImages
        self.name = name
    }

    var description: String { id }

    func name(in strings: UIStrings) -> String { name(strings) }

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
