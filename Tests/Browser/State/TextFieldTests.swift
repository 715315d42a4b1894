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
            ("moveLeft", "ab|c", "a|bc"), ("moveLeft", "|abc", "|abc"), ("moveRight", "ab|c", "abc|"),
            ("moveRight", "abc|", "abc|"), ("moveToStart", "ab|c", "|abc"), ("moveToEnd", "ab|c", "abc|"),
            ("moveWordLeft", "one two  |x", "one |two  x"), ("moveWordLeft", "one|", "|one"),
            ("moveWordRight", "one| two x", "one two| x"), ("moveWordRight", "x|", "x|"),
            ("deleteBackward", "ab|c", "a|c"), ("deleteBackward", "|c", "|c"), ("deleteForward", "a|bc", "a|c"),
            ("deleteForward", "a|", "a|"), ("deleteWord", "one two |x", "one |x"), ("deleteToStart", "ab|c", "|c"),
            ("deleteToEnd", "a|bc", "a|"), ("deleteBackward", "e\u{301}👨‍👩‍👧|", "e\u{301}|"),
            ("moveLeft", "a👨‍👩‍👧|b", "a|👨‍👩‍👧b"),
        ])
    func commands(command: String, before: String, after: String) {
        let commands: [String: (inout TextField) -> Void] = [
            "moveLeft": { $0.moveLeft() }, "moveRight": { $0.moveRight() }, "moveToStart": { $0.moveToStart() },
            "moveToEnd": { $0.moveToEnd() }, "moveWordLeft": { $0.moveWordLeft() },
            "moveWordRight": { $0.moveWordRight() }, "deleteBackward": { $0.deleteBackward() },
            "deleteForward": { $0.deleteForward() }, "deleteWord": { $0.deleteWord() },
            "deleteToStart": { $0.deleteToStart() }, "deleteToEnd": { $0.deleteToEnd() },
        ]
        var field = field(before)
        commands[command]?(&field)
        #expect(shown(field) == after)
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
