/// A key and its modifiers.
public struct Key: Hashable, Sendable {
    /// A key on the keyboard.
    @nonexhaustive
    public enum Code: Hashable, Sendable {
        /// A character, as typed: with Shift it is the upper-case letter.
        case character(Character)
        /// Return, on the main block or the number block.
        case enter
        /// Escape.
        case escape
        /// Tab; with Shift also as `CSI Z`.
        case tab
        /// Backspace, sent as DEL or BS.
        case backspace
        /// Delete.
        case delete
        /// Insert.
        case insert
        /// Arrows.
        case up, down, left, right
        /// The block above the arrows.
        case home, end, pageUp, pageDown
        /// F1 to F35.
        case function(Int)
    }

    /// Modifier keys.
    public struct Modifiers: OptionSet, Hashable, Sendable {
        /// The bits of kitty's protocol and of xterm, which send them plus one.
        public let rawValue: UInt8
        /// Shift, unless it makes another character.
        public static let shift = Modifiers(rawValue: 1)
        /// Alt, also sent as an escape before the key.
        public static let alt = Modifiers(rawValue: 2)
        /// Control.
        public static let control = Modifiers(rawValue: 4)

        /// Creates modifiers from their bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
    }

    /// The key.
    public var code: Code
    /// The modifier keys that were down.
    public var modifiers: Modifiers

    /// Creates a key.
    public init(_ code: Code, _ modifiers: Modifiers = []) {
        self.code = code
        self.modifiers = modifiers
    }
}

extension Key.Code {
    /// The key of a final byte (xterm's ctlseqs, "PC-Style Function Keys").
    init?(letter: UInt8) {
        guard let code = Self.letters[letter] else { return nil }
        self = code
    }

    private static let letters: [UInt8: Key.Code] = [
        UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
        UInt8(ascii: "F"): .end, UInt8(ascii: "H"): .home, UInt8(ascii: "P"): .function(1),
        UInt8(ascii: "Q"): .function(2), UInt8(ascii: "R"): .function(3), UInt8(ascii: "S"): .function(4),
    ]

    /// The key of the number before a tilde: the VT220's, with rxvt's 7 and 8 and xterm's F1 to F4.
    init?(number: Int) {
        switch number {
        case 1, 7: self = .home
        case 2: self = .insert
        case 3: self = .delete
        case 4, 8: self = .end
        case 5: self = .pageUp
        case 6: self = .pageDown
        case 11...15: self = .function(number - 10)
        case 17...21: self = .function(number - 11)
        case 23...26: self = .function(number - 12)
        case 28, 29: self = .function(number - 13)
        case 31...34: self = .function(number - 14)
        default: return nil
        }
    }

    /// The key of a code of kitty's protocol ("Functional key definitions"); `nil` for unsupported ones such as volume.
    init?(kitty code: Int) {
        switch code {
        case 9: self = .tab
        case 13, 57414: self = .enter
        case 27: self = .escape
        case 8, 127: self = .backspace
        case 57376...57398: self = .function(code - 57376 + 13)
        case 57399...57416: self = .character(Self.kittyCharacters[code - 57399])
        case 57417...57426: self = Self.kittyKeys[code - 57417]
        case 0xE000...0xF8FF: return nil
        default:
            guard let scalar = UInt32(exactly: code).flatMap(Unicode.Scalar.init),
                scalar.properties.generalCategory != .control
            else { return nil }
            self = .character(Character(scalar))
        }
    }

    /// The number block from 57399 on; 57414 is Enter.
    private static let kittyCharacters: [Character] = Array("0123456789./*-+\r=,")
    private static let kittyKeys: [Key.Code] = [
        .left, .right, .up, .down, .pageUp, .pageDown, .home, .end, .insert, .delete,
    ]
}

extension ControlSequence {
    var keyPress: Meaning {
        if intermediate == nil { return final == UInt8(ascii: "u") ? kittyKey : legacyKey }
        return .unknown
    }

    /// xterm and kitty send the sum of the bits plus one; Meta counts as Alt.
    ///
    /// `nil` with Super or Hyper, which the desktop uses.
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
    /// Kitty's number for a key release.
    private static let release = 3

    private var legacyKey: Meaning {
        if final == UInt8(ascii: "~"), number(0) == Self.otherKey { return otherKey }
        guard let (code, extra) = legacyCode else { return .unknown }
        guard number(1, part: 1) != Self.release, let modifiers = modifiers(at: 1) else { return .ignored }
        return .key(Key(code, modifiers.union(extra)))
    }

    /// The first parameter of xterm's `modifyOtherKeys`.
    private static let otherKey = 27

    /// `CSI 27 ; modifiers ; code ~`: the code is that of the character as typed, with Shift.
    private var otherKey: Meaning {
        guard let value = number(2) else { return .unknown }
        guard let modifiers = modifiers(at: 1), let code = Key.Code(kitty: value) else { return .ignored }
        guard case .character(let character) = code, character != " " else { return .key(Key(code, modifiers)) }
        return .key(Key.typed(character, modifiers, hasShifted: true))
    }

    /// `CSI code : shifted : base ; modifiers : event ; text u`.
    private var kittyKey: Meaning {
        guard let value = number(0) else { return .unknown }
        guard number(1, part: 1) != Self.release, let modifiers = modifiers(at: 1), let code = Key.Code(kitty: value)
        else { return .ignored }
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

    /// The key of a final byte, or of the number before a tilde; rxvt encodes modifiers in the final byte.
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
    /// The key of a control character (C0 or DEL).
    init(control byte: UInt8, _ modifiers: Modifiers) {
        switch byte {
        case ControlByte.carriageReturn: self.init(.enter, modifiers)
        case ControlByte.tab: self.init(.tab, modifiers)
        case ControlByte.backspace, ControlByte.delete: self.init(.backspace, modifiers)
        default:
            // Control clears bits of the key's character: 1 is A, 0 is @ (ECMA-48, section 8.2).
            let letter = Unicode.Scalar(byte | (byte == 0 || byte > 0x1A ? 0x40 : 0x60))
            self.init(.character(Character(letter)), modifiers.union(.control))
        }
    }

    /// The key of `ESC O` and a byte (SS3): arrows, F1 to F4 and the number block in application mode.
    init?(singleShift sequence: ControlSequence) {
        // Old xterms put the modifiers after ESC O, alone or as `1;m`.
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
            // The number block sends * to 9, each plus 0x40.
            self.init(.character(Character(Unicode.Scalar(sequence.final - 0x40))), modifiers)
        default:
            guard let code = Code(letter: sequence.final) else { return nil }
            self.init(code, modifiers)
        }
    }

    /// A typed character with its modifiers, without Shift if that made another character.
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
