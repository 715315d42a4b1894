/// A control sequence (CSI): a marker, parameters with parts, intermediate bytes and a final one.
struct ControlSequence {
    enum Meaning: Hashable {
        case key(Key)
        case event(InputEvent)
        case paste
        /// Known and not used: a key release, a mouse motion.
        case ignored
        case unknown
    }

    /// `<`, `=`, `>` or `?` before the parameters.
    let marker: UInt8?
    /// The first byte between parameters and the final one.
    let intermediate: UInt8?
    let final: UInt8
    /// The number of parameters, empty ones included.
    let count: Int
    /// Whether the sequence is valid in ECMA-48.
    let isWellFormed: Bool
    /// The number of bytes between parameters and the final one.
    private let intermediateCount: Int
    private let parameters: ArraySlice<UInt8>
    /// Larger numbers become this one, above all scalars.
    private static let maxNumber = 9_999_999

    init(_ bytes: [UInt8], final: UInt8) {
        let marker = bytes.first.flatMap { (0x3C...0x3F).contains($0) ? $0 : nil }
        let rest = bytes.dropFirst(marker == nil ? 0 : 1)
        parameters = rest.prefix { (0x30...0x3B).contains($0) }
        let behind = rest[parameters.endIndex...]
        self.marker = marker
        intermediate = behind.first
        intermediateCount = behind.count
        self.final = final
        isWellFormed = behind.allSatisfy { (0x20...0x2F).contains($0) }
        count = parameters.isEmpty ? 0 : parameters.count { $0 == UInt8(ascii: ";") } + 1
    }

    /// A parameter's number, or that of one of its parts, which colons separate; `nil` if missing or empty.
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

    var numbers: [Int] { (0..<count).map { number($0) ?? 0 } }

    var meaning: Meaning {
        // No key ends like a report, even one with a negative size.
        guard isWellFormed else { return final == UInt8(ascii: "t") ? .event(.reply(.other)) : consoleKey }
        if marker == UInt8(ascii: "<") { return mouse }
        if let reply = TerminalReply(self) { return .event(.reply(reply)) }
        guard marker == nil else { return .unknown }
        switch (final, number(0)) {
        case (UInt8(ascii: "~"), Self.pasteBegins): return .paste
        case (UInt8(ascii: "~"), Self.pasteEnds): return .ignored
        default: return keyPress
        }
    }

    private static let pasteBegins = 200
    private static let pasteEnds = 201

    /// The Linux console's F1 to F5, `CSI [ A` to `CSI [ E`.
    private var consoleKey: Meaning {
        guard marker == nil, count == 0, intermediate == UInt8(ascii: "["), intermediateCount == 1,
            (UInt8(ascii: "A")...UInt8(ascii: "E")).contains(final)
        else { return .unknown }
        return .key(Key(.function(Int(final - UInt8(ascii: "A")) + 1)))
    }
}
