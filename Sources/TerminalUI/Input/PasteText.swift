/// Text between the brackets of a paste, up to a limit.
///
/// The terminal's end marker ends it and nothing else does; what a terminal lets through of markers inside the text, it alone can know.
struct PasteText: Sendable {
    /// More than anybody pastes into a search field.
    static let limit = 64 << 10
    /// `CSI 201 ~`.
    private static let end: [UInt8] = [ControlByte.escape] + Array("[201~".utf8)

    private var bytes: [UInt8] = []
    /// Whether nothing more is kept.
    private var isFull = false
    /// How much of the end marker has come.
    private var matched = 0

    /// Takes a byte; the whole text with the last one of the marker.
    ///
    /// Text that is cut is cut between characters; invalid UTF-8 becomes U+FFFD.
    mutating func take(_ byte: UInt8) -> String? {
        if byte == Self.end[matched] {
            matched += 1
            guard matched == Self.end.count else { return nil }
            defer { self = PasteText() }
            return String(decoding: bytes, as: UTF8.self)
        }
        // Only the marker's first byte is an escape, so that no shorter part of it can have begun inside.
        for byte in Self.end.prefix(matched) { keep(byte) }
        matched = byte == ControlByte.escape ? 1 : 0
        if matched == 0 { keep(byte) }
        return nil
    }

    private mutating func keep(_ byte: UInt8) {
        guard !isFull else { return }
        bytes.append(byte)
        guard bytes.count == Self.limit else { return }
        isFull = true
        dropCutCharacter()
    }

    /// Takes the last character away unless it is whole.
    private mutating func dropCutCharacter() {
        var end = bytes.count
        while end > 0, bytes.count - end < 4, bytes[end - 1] & 0xC0 == 0x80 { end -= 1 }
        guard end > 0, bytes[end - 1] >= 0xC0 else { return }
        let length = bytes[end - 1] >= 0xF0 ? 4 : bytes[end - 1] >= 0xE0 ? 3 : 2
        guard end - 1 + length > bytes.count else { return }
        bytes.removeSubrange((end - 1)...)
    }
}
