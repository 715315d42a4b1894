extension TerminalBytes {
    /// The longest text that `init(copying:)` takes, in bytes of UTF-8.
    ///
    /// 100,000 bytes of sequence is what hterm and screen take at most; base64 makes four of three.
    public static let clipboardLimit = 74_994

    /// Puts text on the clipboard of the user's own machine, also over ssh (OSC 52 of xterm's control sequences).
    ///
    /// Terminals that do not know it, or are told not to, show nothing. `nil` for text beyond `clipboardLimit`.
    public init?(copying text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.clipboardLimit else { return nil }
        raw.append(Self.clipboardStart)
        raw.append(base64: bytes)
        raw.append(Self.stringEnd)
    }

    /// Operating system command 52, selection `c`: the clipboard.
    private static let clipboardStart: StaticString = "\u{1B}]52;c;"
    /// ST (ECMA-48 section 8.3.143).
    private static let stringEnd: StaticString = "\u{1B}\\"
}

extension [UInt8] {
    /// Appends bytes as base64 with padding (RFC 4648 section 4).
    fileprivate mutating func append(base64 bytes: [UInt8]) {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        reserveCapacity(count + (bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let three = bytes[start..<Swift.min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for place in 0..<3 {
                let byte = start + place < bytes.count ? bytes[start + place] : 0
                bits = bits << 8 | UInt32(byte)
            }
            for place in 0..<4 {
                let digit = Int(bits >> UInt32(18 - 6 * place) & 0x3F)
                append(place <= three.count ? alphabet[digit] : UInt8(ascii: "="))
            }
        }
    }
}
