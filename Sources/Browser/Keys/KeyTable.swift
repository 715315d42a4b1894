internal import SpyglassTerminalUI

/// One line of the key table: the keys, what they do, and where.
struct KeyBinding: Hashable, Sendable {
    let keys: [Key]
    let action: Action
    let scopes: Set<KeyScope>
    /// Whether help and the footer leave it out: a second way to what stands there already.
    var isHidden = false
}

/// Every key of the browser: what dispatches, and what the help screen shows.
enum KeyTable {
    /// In the order in which help shows them.
    static let bindings: [KeyBinding] = []

    /// What a key does on a screen; `nil` when nothing, so that it may be typed into a field.
    static func action(for key: Key, in scope: KeyScope) -> Action? {
        bindings.first { $0.scopes.contains(scope) && $0.keys.contains(key) }?.action
    }
}
