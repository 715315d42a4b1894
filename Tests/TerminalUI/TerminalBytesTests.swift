import SpyglassTerminalUI
import Testing

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
