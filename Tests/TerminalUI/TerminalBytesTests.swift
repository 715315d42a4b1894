import Testing

@testable import SpyglassTerminalUI

@Suite("TerminalBytes")
struct TerminalBytesTests {
    private func text(_ bytes: TerminalBytes) -> String { String(decoding: bytes.raw, as: UTF8.self) }

    @Test("A line is its text and one newline, in the locale's characters")
    func line() {
        #expect(text(TerminalBytes(line: "Mars\u{1B}", glyphs: .utf8)) == "Mars\u{FFFD}\n")
        #expect(text(TerminalBytes(line: "café · 5 × 3…", glyphs: .ascii)) == "cafe - 5 x 3...\n")
    }

    @Test("Escaped text is unchanged")
    func escaped() {
        let json = #"{"title":"café \u001b[31m"}"# + "\n\tµ\u{A0}…\n"
        #expect(text(TerminalBytes(escaped: json)) == json)
        #expect(TerminalBytes(escaped: "").isEmpty)
    }

    @Test(
        "An unescaped control character is replaced",
        arguments: ["\u{1B}", "\u{9B}", "\u{7F}", "\r", "\u{0}", "\u{85}"])
    func forgotten(control: String) {
        #expect(text(TerminalBytes(escaped: "a\(control)[31m\n")) == "a\u{FFFD}[31m\n")
    }
}

@Suite("TerminalBytes: clipboard")
struct TerminalClipboardTests {
    @Test(
        "Text is sent as base64 (RFC 4648, section 10)",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"), ("\u{1B}]52;ÿ", "G101MjvDvw=="),
        ])
    func base64(text: String, expected: String) throws {
        let bytes = try #require(TerminalBytes(copying: text))
        #expect(String(decoding: bytes.raw, as: UTF8.self) == "\u{1B}]52;c;\(expected)\u{1B}\\")
    }

    @Test("Text beyond the limit is not sent")
    func limit() {
        let longest = String(repeating: "x", count: TerminalBytes.clipboardLimit)
        #expect(TerminalBytes(copying: longest) != nil && TerminalBytes(copying: longest + "x") == nil)
    }
}
