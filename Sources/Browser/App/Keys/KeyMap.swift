internal import SpyglassCatalog
package import SpyglassJSON
internal import SpyglassTerminalUI

/// The key bindings of a run: those of `KeyTable`, as the user's file changes them.
///
///     let (keys, mistakes) = KeyMap.changed(by: try JSONValue(parsing: #"{"x": "mark", "Ctrl-N": "pageDown"}"#))
package struct KeyMap: Sendable {
    package static let standard = KeyMap(bindings: KeyTable.bindings)

    /// In the order of the help screen; has one action a key and scope, and a test refuses a second one.
    let bindings: [KeyBinding]

    func action(for key: Key, in scope: KeyScope) -> Action? {
        func action(for key: Key) -> Action? {
            bindings.first { $0.keys.contains(key) && $0.scopes.contains(scope) }?.action
        }
        return action(for: key) ?? action(for: key.simplified)
    }
}

// MARK: - The user's keys

extension KeyMap {
    /// Maximum characters of a name in a message.
    private static let shownName = 30
    /// Keys without which no screen could be left, and no field sent.
    private static let fixed = [Key(.escape), Key(.enter), .control("c")]
    private static let actions = Dictionary(KeyTable.bindings.map { ("\($0.action)", $0.action) }) { first, _ in first }

    /// Reads an object of actions by keys; a member that is wrong is named, and the others hold.
    package static func changed(by file: JSONValue) -> (keys: KeyMap, mistakes: [String]) {
        guard case .object(let members) = file else {
            return (.standard, ["expected an object: {\"KEY\": \"action\"}"])
        }
        var bindings = KeyTable.bindings
        var mistakes: [String] = []
        var seen: Set<Key> = []
        for member in members {
            do throws(BrowserError) {
                let key = try key(named: member.name)
                guard !seen.contains(key) else { throw BrowserError("has two actions; the first one counts") }
                bindings = try bound(key, to: try action(named: member.value), in: bindings)
                seen.insert(key)
            } catch { mistakes.append("\"\(member.name.prefix(shownName))\": \(error.reason)") }
        }
        return (seen.isEmpty ? .standard : KeyMap(bindings: bindings.filter { !$0.keys.isEmpty }), mistakes)
    }

    private static func key(named name: String) throws(BrowserError) -> Key {
        guard let key = KeyName.key(named: name) else {
            throw BrowserError("no such key; keys are written x, X, Ctrl-X, Alt-x, Space, F5, Up or PgDn")
        }
        guard !fixed.contains(key) else { throw BrowserError("cannot be changed") }
        return key
    }

    private static func action(named value: JSONValue) throws(BrowserError) -> Action {
        guard case .string(let name) = value else { throw BrowserError("expected the name of an action") }
        guard let action = actions[name] else {
            let advice = EditDistance.suggestion(for: name, among: actions.keys.sorted())
            throw BrowserError("no action '\(name.prefix(shownName))'; " + (advice ?? "spyglass help keys lists them"))
        }
        return action
    }

    /// Returns the bindings with a key moved to an action wherever that action has a key by default; characters stay text in fields.
    ///
    /// A binding may have no key in between: a later line may give it one.
    private static func bound(
        _ key: Key, to action: Action, in bindings: [KeyBinding]
    ) throws(BrowserError) -> [KeyBinding] {
        let text = key.typed == nil ? [] : KeyTable.fields
        let moved = KeyTable.bindings.filter { $0.action == action }.reduce(into: Set()) { $0.formUnion($1.scopes) }
            .subtracting(text)
        guard !moved.isEmpty else {
            throw BrowserError("is text wherever \(action) has a key; use Ctrl, Alt or a function key")
        }
        return bindings.flatMap { binding in
            guard binding.action == action || binding.keys.contains(key) else { return [binding] }
            let keys = binding.keys.filter { $0 != key }
            let inside = KeyBinding(
                keys: binding.action == action ? [key] + keys : keys, action: binding.action,
                scopes: binding.scopes.intersection(moved), isHidden: binding.isHidden)
            var outside = binding
            outside.scopes.subtract(moved)
            return [inside, outside].filter { !$0.scopes.isEmpty }
        }
    }
}

extension KeyName {
    private static let names: [String: Key.Code] = [
        "space": .character(" "), "enter": .enter, "esc": .escape, "escape": .escape, "tab": .tab,
        "backspace": .backspace, "del": .delete, "delete": .delete, "ins": .insert, "insert": .insert, "up": .up,
        "down": .down, "left": .left, "right": .right, "home": .home, "end": .end, "pgup": .pageUp,
        "pageup": .pageUp, "pgdn": .pageDown, "pagedown": .pageDown,
    ]
    private static let modifiers: [(name: String, modifier: Key.Modifiers)] = [
        ("ctrl-", .control), ("alt-", .alt), ("shift-", .shift),
    ]
    /// Ctrl with these letters is the same byte as another key.
    private static let sameByControl: [Character: Key.Code] = ["i": .tab, "m": .enter, "[": .escape, "h": .backspace]

    /// Returns the key of an English name, as terminals send it: `x`, `Ctrl-D`, `Shift-Tab`; `nil` for another text.
    static func key(named name: String) -> Key? {
        var rest = name[...]
        var held: Key.Modifiers = []
        while let (prefix, modifier) = modifiers.first(where: {
            rest.count > $0.name.count && rest.prefix($0.name.count).lowercased() == $0.name
        }) {
            held.insert(modifier)
            rest = rest.dropFirst(prefix.count)
        }
        if let code = names[rest.lowercased()] { return Key(code, held) }
        if rest.count > 1, rest.first == "F" || rest.first == "f", let number = Int(rest.dropFirst()) {
            return (1...35).contains(number) ? Key(.function(number), held) : nil
        }
        guard rest.count == 1, let character = rest.first, !character.isWhitespace,
            character.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        if held == .control, let code = sameByControl[Character(character.lowercased())] { return Key(code) }
        let shifted = held.contains(.shift) ? character.uppercased() : String(character)
        return shifted.first.map { Key(.character($0), held).simplified }
    }
}
