import Testing

@testable import SpyglassBrowser

@Suite("TextField")
struct TextFieldTests {
    /// A field with the caret at the bar.
    private func field(_ text: String) -> TextField {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        var field = TextField(parts[0])
        field.after = parts.count > 1 ? parts[1] : ""
        return field
    }

    private func shown(_ field: TextField) -> String { "\(field.before)|\(field.after)" }

    @Test(
        "Every editing command works as in readline",
        arguments: [
            (Action.caretLeft, "ab|c", "a|bc"), (.caretLeft, "|abc", "|abc"), (.caretRight, "ab|c", "abc|"),
            (.caretRight, "abc|", "abc|"), (.caretStart, "ab|c", "|abc"), (.caretEnd, "ab|c", "abc|"),
            (.wordLeft, "one two  |x", "one |two  x"), (.wordLeft, "one|", "|one"),
            (.wordRight, "one| two x", "one two| x"), (.wordRight, "x|", "x|"),
            (.deleteBackward, "ab|c", "a|c"), (.deleteBackward, "|c", "|c"), (.deleteForward, "a|bc", "a|c"),
            (.deleteForward, "a|", "a|"), (.deleteWord, "one two |x", "one |x"), (.deleteToStart, "ab|c", "|c"),
            (.deleteToEnd, "a|bc", "a|"), (.deleteBackward, "e\u{301}👨‍👩‍👧|", "e\u{301}|"),
            (.caretLeft, "a👨‍👩‍👧|b", "a|👨‍👩‍👧b"),
        ])
    func commands(command: Action, before: String, after: String) {
        var field = field(before)
        let isKnown = field.perform(command)
        #expect(isKnown && shown(field) == after)
    }

    @Test("Pasted text becomes one line without control characters")
    func paste() {
        var field = field("a|b")
        field.insert("x\u{1B}[31m\ty\u{9B}\u{7F}\nnext\n")
        #expect(shown(field) == "ax[31m y next|b")
    }

    @Test("The text stays within its limit, with whole characters")
    func limit() {
        var field = TextField()
        field.insert(String(repeating: "é", count: TextField.lengthLimit))
        #expect(field.text.utf8.count == TextField.lengthLimit)
        field.insert("é")
        #expect(field.text.utf8.count == TextField.lengthLimit)
        field = TextField("x")
        field.insert(String(repeating: "👨‍👩‍👧", count: TextField.lengthLimit))
        #expect(field.text.utf8.count <= TextField.lengthLimit)
        #expect(field.text.last == "👨‍👩‍👧")
    }
}
