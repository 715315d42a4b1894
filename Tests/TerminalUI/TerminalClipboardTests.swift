import Testing

@testable import SpyglassTerminalUI

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
        #expect(TerminalBytes(copying: longest) != nil)
        #expect(TerminalBytes(copying: longest + "x") == nil)
    }
}
