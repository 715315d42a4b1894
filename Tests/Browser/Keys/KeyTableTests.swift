import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("KeyTable")
struct KeyTableTests {
    /// The keys with two bindings in one scope, however they are written.
    private func conflicts(in bindings: [KeyBinding]) -> [String] {
        KeyScope.allCases.flatMap { scope in
            let keys = bindings.filter { $0.scopes.contains(scope) }.flatMap(\.keys).map(\.simplified)
            return Dictionary(grouping: keys) { $0 }.filter { $0.value.count > 1 }.keys.map { "\($0) in \(scope)" }
        }
    }

    @Test("Each key has one binding per scope")
    func oneMeaning() {
        #expect(conflicts(in: KeyTable.bindings) == [])
        for (key, scope) in [(Key(.character("L"), .control), KeyScope.save), (.plain("q"), .grid)] {
            let second = KeyBinding(keys: [key], action: .up, scopes: [scope])
            #expect(conflicts(in: KeyTable.bindings + [second]).count == 1)
        }
    }

    @Test("Every binding is found by its keys, as terminals send them", arguments: KeyScope.allCases)
    func found(scope: KeyScope) {
        for binding in KeyTable.bindings where binding.scopes.contains(scope) {
            for key in binding.keys {
                #expect(key == key.simplified && KeyTable.action(for: key, in: scope) == binding.action)
            }
        }
    }

    @Test("Every scope can be left, quit, repainted and suspended", arguments: KeyScope.allCases)
    func leaving(scope: KeyScope) {
        let keys = [Key(.escape), .control("c"), .control("l"), .control("z")]
        let actions = keys.map { KeyTable.action(for: $0, in: scope) }
        #expect(actions == [.back, .interrupt, .repaint, .suspend])
    }

    @Test(
        "On every screen without a field Backspace goes back, and q does, or quits on photos and alerts",
        arguments: KeyScope.allCases)
    func back(scope: KeyScope) {
        guard !KeyTable.fields.contains(scope) else { return }
        #expect(KeyTable.action(for: Key(.backspace), in: scope) == .back)
        let quits = [KeyScope.list, .grid, .detail, .slideshow, .alert].contains(scope)
        #expect(KeyTable.action(for: Key(.character("q")), in: scope) == (quits ? .quit : .back))
    }

    @Test("Capitals differ, Shift with a sign does not, Control ignores case")
    func simplified() {
        let keys: [(Key, KeyScope, Action?)] = [
            (Key(.character("G"), .shift), .list, .last), (.plain("g"), .list, .first),
            (Key(.character("+"), .shift), .list, .looser), (.plain("="), .grid, .looser),
            (Key(.character("C"), [.control, .shift]), .detail, .interrupt), (.alt("v"), .list, nil),
        ]
        for (key, scope, action) in keys {
            #expect(KeyTable.action(for: key, in: scope) == action, "\(key)")
        }
    }
}
