/// Keys that are sent as sequences: xterm's, the VT220's, rxvt's, and kitty's protocol.
extension ControlSequence {
    /// The key of a well-formed sequence without a marker.
    var keyPress: Meaning {
        if intermediate == nil { return final == UInt8(ascii: "u") ? kittyKey : legacyKey }
        return .unknown
    }

    /// What is held down, or `nil` with a modifier that no key here has: Super and Hyper belong to the desktop.
    ///
    /// One more than the sum of the bits, in xterm and in kitty's protocol; Meta counts as Alt, the locks as nothing.
    private func modifiers(at index: Int) -> Key.Modifiers? {
        let bits = max(number(index) ?? 1, 1) - 1
        guard bits & (Self.superBit | Self.hyperBit) == 0 else { return nil }
        var modifiers = Key.Modifiers(rawValue: UInt8(bits & 0b111))
        if bits & Self.metaBit != 0 { modifiers.insert(.alt) }
        return modifiers
    }

    private static let superBit = 8
    private static let hyperBit = 16
    private static let metaBit = 32
    /// Kitty's number for a key that goes up.
    private static let release = 3

    private var legacyKey: Meaning {
        if final == UInt8(ascii: "~"), number(0) == Self.otherKey { return otherKey }
        guard let (code, extra) = legacyCode else { return .unknown }
        guard number(1, part: 1) != Self.release, let modifiers = modifiers(at: 1) else { return .nothing }
        return .key(Key(code, modifiers.union(extra)))
    }

    /// The first parameter of xterm's `modifyOtherKeys`.
    private static let otherKey = 27

    /// `CSI 27 ; modifiers ; code ~`: the code is that of the character as typed, with Shift.
    private var otherKey: Meaning {
        guard let value = number(2) else { return .unknown }
        guard let modifiers = modifiers(at: 1), let code = Key.Code(kitty: value) else { return .nothing }
        guard case .character(let character) = code, character != " " else { return .key(Key(code, modifiers)) }
        return .key(Key.typed(character, modifiers, hasShifted: true))
    }

    /// `CSI code : shifted : base ; modifiers : event ; text u`.
    private var kittyKey: Meaning {
        guard let value = number(0) else { return .unknown }
        guard number(1, part: 1) != Self.release, let modifiers = modifiers(at: 1), let code = Key.Code(kitty: value)
        else { return .nothing }
        guard case .character(let character) = code else { return .key(Key(code, modifiers)) }
        let isShifted = modifiers.contains(.shift)
        let isText = modifiers.isDisjoint(with: [.control, .alt])
        let other = isText && count > 2 && number(2, part: 1) == nil ? number(2) : nil
        let shifted = other ?? (isShifted ? number(0, part: 1) : nil)
        if case .character(let made)? = shifted.flatMap({ Key.Code(kitty: $0) }) {
            return .key(Key.typed(made, modifiers, hasShifted: true))
        }
        return .key(Key.typed(character, modifiers, hasShifted: false))
    }

    /// The key of a final byte, or of the number before a tilde; with what rxvt says by other final bytes.
    private var legacyCode: (Key.Code, Key.Modifiers)? {
        switch final {
        case UInt8(ascii: "~"): return Key.Code(number: number(0) ?? 0).map { ($0, []) }
        case UInt8(ascii: "^"): return Key.Code(number: number(0) ?? 0).map { ($0, .control) }
        case UInt8(ascii: "$"): return Key.Code(number: number(0) ?? 0).map { ($0, .shift) }
        case UInt8(ascii: "@"): return Key.Code(number: number(0) ?? 0).map { ($0, [.control, .shift]) }
        case UInt8(ascii: "Z"): return (.tab, .shift)
        case UInt8(ascii: "a")...UInt8(ascii: "d"):
            return Key.Code(letter: final - 0x20).map { ($0, .shift) }
        default: return Key.Code(letter: final).map { ($0, []) }
        }
    }
}

extension Key {
    /// The key of `ESC O` and a byte (SS3): arrows, F1 to F4 and the number block in application mode.
    init?(singleShift sequence: ControlSequence) {
        // xterm once put the modifiers behind ESC O, alone or as `1;m`.
        let bits = max(sequence.number(1) ?? sequence.number(0) ?? 1, 1) - 1
        let modifiers = Modifiers(rawValue: UInt8(bits & 0b111))
        switch sequence.final {
        case UInt8(ascii: "a")...UInt8(ascii: "d"):  // rxvt's arrows with Control
            guard let code = Code(letter: sequence.final - 0x20) else { return nil }
            self.init(code, modifiers.union(.control))
        case UInt8(ascii: "M"): self.init(.enter, modifiers)
        case UInt8(ascii: "I"): self.init(.tab, modifiers)
        case UInt8(ascii: "X"): self.init(.character("="), modifiers)
        case UInt8(ascii: "j")...UInt8(ascii: "y"):
            // The number block sends the characters from * to 9, each 0x40 higher.
            self.init(.character(Character(Unicode.Scalar(sequence.final - 0x40))), modifiers)
        default:
            guard let code = Code(letter: sequence.final) else { return nil }
            self.init(code, modifiers)
        }
    }

    /// A character with what is held down: Shift is left out where it made another one.
    static func typed(_ character: Character, _ modifiers: Modifiers, hasShifted: Bool) -> Key {
        guard modifiers.contains(.shift) else { return Key(.character(character), modifiers) }
        if hasShifted { return Key(.character(character), modifiers.subtracting(.shift)) }
        let upper = character.uppercased()
        guard character.isLowercase, upper.count == 1, let made = upper.first else {
            return Key(.character(character), character.isUppercase ? modifiers.subtracting(.shift) : modifiers)
        }
        return Key(.character(made), modifiers.subtracting(.shift))
    }
}
