/// Assembles a scalar byte by byte, checked as UTF-8 (Unicode, table 3-7).
struct ScalarAssembly: Sendable {
    enum Progress: Hashable {
        case needsMore
        case complete(Unicode.Scalar)
        case invalid
    }

    private var value: UInt32 = 0
    private var missing = 0
    /// The valid next bytes, after some first bytes fewer than `continuation`.
    private var allowed: ClosedRange<UInt8> = continuation
    private static let continuation: ClosedRange<UInt8> = 0x80...0xBF

    /// Starts with a byte above ASCII; returns `false` if it is not a first byte.
    mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: start(byte & 0x1F, missing: 1)
        case 0xE0: start(byte & 0x0F, missing: 2, allowed: 0xA0...0xBF)
        case 0xED: start(byte & 0x0F, missing: 2, allowed: 0x80...0x9F)
        case 0xE1...0xEF: start(byte & 0x0F, missing: 2)
        case 0xF0: start(byte & 0x07, missing: 3, allowed: 0x90...0xBF)
        case 0xF1...0xF3: start(byte & 0x07, missing: 3)
        case 0xF4: start(byte & 0x07, missing: 3, allowed: 0x80...0x8F)
        default: return false
        }
        return true
    }

    mutating func append(_ byte: UInt8) -> Progress {
        guard allowed.contains(byte) else { return .invalid }
        allowed = Self.continuation
        value = value << 6 | UInt32(byte & 0x3F)
        missing -= 1
        guard missing == 0 else { return .needsMore }
        return Unicode.Scalar(value).map(Progress.complete) ?? .invalid
    }

    private mutating func start(_ bits: UInt8, missing: Int, allowed: ClosedRange<UInt8> = continuation) {
        value = UInt32(bits)
        self.missing = missing
        self.allowed = allowed
    }
}

/// Collects the text of a paste up to a limit; the terminal must filter end markers inside the text.
struct PasteText: Sendable {
    enum Step: Hashable {
        case text
        case end
        /// Ctrl-C, which terminals filter, too: the user's, since the end is lost.
        case interrupt
    }

    /// Far above a pasted search.
    static let limit = 64 << 10
    /// The end marker, and Ctrl-C in kitty's keyboard protocol.
    private static let markers = [
        (Array("\u{1B}[201~".utf8), Step.end), (Array("\u{1B}[99;5u".utf8), .interrupt),
    ]

    private var bytes: [UInt8] = []
    private var isFull = false
    /// The start of a marker.
    private var held: [UInt8] = []

    mutating func append(_ byte: UInt8) -> Step {
        // The escape occurs once in a marker, so no shorter prefix can have begun inside.
        if byte == ControlByte.escape || byte == ControlByte.endOfText { storeHeld() }
        if byte == ControlByte.endOfText { return .interrupt }
        guard byte == ControlByte.escape || !held.isEmpty else {
            store(byte)
            return .text
        }
        held.append(byte)
        for (marker, step) in Self.markers where marker.starts(with: held) {
            return held.count == marker.count ? step : .text
        }
        storeHeld()
        return .text
    }

    /// Returns the text and starts again; invalid UTF-8 becomes U+FFFD.
    mutating func take() -> String {
        defer { self = PasteText() }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func storeHeld() {
        for byte in held { store(byte) }
        held.removeAll(keepingCapacity: true)
    }

    private mutating func store(_ byte: UInt8) {
        guard !isFull else { return }
        bytes.append(byte)
        guard bytes.count == Self.limit else { return }
        isFull = true
        removePartialCharacter()
    }

    private mutating func removePartialCharacter() {
        var end = bytes.count
        while end > 0, bytes.count - end < 4, bytes[end - 1] & 0xC0 == 0x80 { end -= 1 }
        guard end > 0, bytes[end - 1] >= 0xC0 else { return }
        let length = bytes[end - 1] >= 0xF0 ? 4 : bytes[end - 1] >= 0xE0 ? 3 : 2
        guard end - 1 + length > bytes.count else { return }
        bytes.removeSubrange((end - 1)...)
    }
}
