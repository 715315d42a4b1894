import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("KeyTable")
struct KeyTableTests {
    @Test("Each key has one meaning per scope", arguments: KeyScope.allCases)
    func oneMeaning(scope: KeyScope) {
        var seen: [Key: SpyglassBrowser.Action] = [:]
        for binding in KeyTable.bindings where binding.scopes.contains(scope) {
            for key in binding.keys {
                #expect(seen[key] == nil, "\(key) is \(binding.action) and \(String(describing: seen[key]))")
                seen[key] = binding.action
                #expect(KeyTable.action(for: key, in: scope) == binding.action)
            }
        }
    }

    @Test("Every action has a key in help", arguments: SpyglassBrowser.Action.allCases)
    func everyAction(action: SpyglassBrowser.Action) {
        #expect(KeyTable.bindings.contains { $0.action == action && !$0.keys.isEmpty && !$0.isHidden })
    }

    @Test("Every scope can be left, quit, repainted and suspended", arguments: KeyScope.allCases)
    func leaving(scope: KeyScope) {
        #expect(KeyTable.action(for: Key(.escape), in: scope) == .back)
        #expect(KeyTable.action(for: Key(.character("c"), .control), in: scope) == .interrupt)
        #expect(KeyTable.action(for: Key(.character("l"), .control), in: scope) == .repaint)
        #expect(KeyTable.action(for: Key(.character("z"), .control), in: scope) == .suspend)
    }

    @Test("Backspace and q go back from every screen without a field", arguments: KeyScope.allCases)
    func back(scope: KeyScope) {
        guard scope != .home, scope != .search else { return }
        #expect(KeyTable.action(for: Key(.backspace), in: scope) == .back)
        #expect(KeyTable.action(for: Key(.character("q")), in: scope) == .back)
    }

    @Test("Capitals differ, Shift with a sign does not, Control ignores case")
    func simplified() {
        #expect(KeyTable.action(for: Key(.character("G"), .shift), in: .list) == .last)
        #expect(KeyTable.action(for: Key(.character("g")), in: .list) == .first)
        #expect(KeyTable.action(for: Key(.character("+"), .shift), in: .list) == .looser)
        #expect(KeyTable.action(for: Key(.character("="), []), in: .grid) == .looser)
        #expect(KeyTable.action(for: Key(.character("C"), [.control, .shift]), in: .detail) == .interrupt)
        #expect(KeyTable.action(for: Key(.character("v"), .alt), in: .list) == nil)
    }
}
