/// A control sequence (CSI) as it came: a marker, parameters with parts, intermediate bytes and the final one.
///
/// Numbers are read where they are asked for, so that a sequence takes no memory but its bytes.
struct ControlSequence {
    /// What a sequence says.
    enum Meaning: Hashable {
        case key(Key)
        case event(InputEvent)
        /// Pasted text begins.
        case paste
        /// It is known and of no use here: a key that went up, a mouse that moves.
        case nothing
        case unknown
    }

    /// `<`, `=`, `>` or `?` before the parameters.
    let marker: UInt8?
    /// The first byte between parameters and the final one.
    let intermediate: UInt8?
    /// The byte that ended it.
    let final: UInt8
    /// How many parameters there are; an empty one counts.
    let count: Int
    /// Whether it is built as ECMA-48 says.
    let isWellFormed: Bool
    /// How many bytes stand between parameters and the final one.
    private let bytesBehind: Int
    private let parameters: ArraySlice<UInt8>

    /// Larger numbers count as this one: above all scalars.
    private static let maxNumber = 9_999_999

    /// A sequence of what stood between `CSI` and its final byte.
    init(_ bytes: [UInt8], final: UInt8) {
        let marker = bytes.first.flatMap { (0x3C...0x3F).contains($0) ? $0 : nil }
        let rest = bytes.dropFirst(marker == nil ? 0 : 1)
        parameters = rest.prefix { (0x30...0x3B).contains($0) }
        let behind = rest[parameters.endIndex...]
        self.marker = marker
        intermediate = behind.first
        bytesBehind = behind.count
        self.final = final
        isWellFormed = behind.allSatisfy { (0x20...0x2F).contains($0) }
        count = parameters.isEmpty ? 0 : parameters.count { $0 == UInt8(ascii: ";") } + 1
    }

    /// A parameter's number, or that of one of its parts, which colons separate; `nil` where it is missing or empty.
    func number(_ index: Int, part: Int = 0) -> Int? {
        var index = index
        var part = part
        var number: Int?
        for byte in parameters {
            switch byte {
            case UInt8(ascii: ";"):
                if index == 0 { return part == 0 ? number : nil }
                index -= 1
            case UInt8(ascii: ":"):
                guard index == 0 else { break }
                if part == 0 { return number }
                part -= 1
            default:
                guard index == 0, part == 0 else { break }
                number = min((number ?? 0) * 10 + Int(byte - UInt8(ascii: "0")), Self.maxNumber)
            }
        }
        return index == 0 && part == 0 ? number : nil
    }

    /// All parameters without their parts; empty ones are 0.
    var numbers: [Int] { (0..<count).map { number($0) ?? 0 } }

    /// What it says, as far as that is known here.
    var meaning: Meaning {
        guard isWellFormed else { return consoleKey }
        if marker == UInt8(ascii: "<") { return mouse }
        if let reply = TerminalReply(self) { return .event(.reply(reply)) }
        guard marker == nil else { return .unknown }
        switch (final, number(0)) {
        case (UInt8(ascii: "~"), Self.pasteBegins): return .paste
        case (UInt8(ascii: "~"), Self.pasteEnds): return .nothing
        default: return keyPress
        }
    }

    /// The brackets of DEC mode 2004.
    private static let pasteBegins = 200
    private static let pasteEnds = 201

    /// The Linux console's F1 to F5, `CSI [ A` to `CSI [ E`.
    private var consoleKey: Meaning {
        guard marker == nil, count == 0, intermediate == UInt8(ascii: "["), bytesBehind == 1,
            (UInt8(ascii: "A")...UInt8(ascii: "E")).contains(final)
        else { return .unknown }
        return .key(Key(.function(Int(final - UInt8(ascii: "A")) + 1)))
    }
}
