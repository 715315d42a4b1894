/// A scalar that comes byte by byte, checked as UTF-8 (Unicode, table 3-7).
struct ScalarAssembly: Sendable {
    enum Progress: Hashable {
        case needsMore
        case complete(Unicode.Scalar)
        case invalid
    }

    private var value: UInt32 = 0
    private var missing = 0
    /// What the next byte may be: after some first bytes less than any continuation.
    private var allowed: ClosedRange<UInt8> = continuation

    private static let continuation: ClosedRange<UInt8> = 0x80...0xBF

    /// Takes a first byte above ASCII; `false` when no character begins so.
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

    /// Takes the next byte.
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
