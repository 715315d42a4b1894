/// Keys that are no sequence: characters, control characters, and either behind an escape.
extension InputParser {
    mutating func takePlain(_ byte: UInt8, _ modifiers: Key.Modifiers = [], _ events: inout [InputEvent]) {
        switch byte {
        case ControlByte.escape:
            reset()
            state = .escape
        case 0x20..<ControlByte.delete:
            events.append(.key(Key(.character(Character(Unicode.Scalar(byte))), modifiers)))
        case ControlByte.controls, ControlByte.delete:
            events.append(.key(Key(control: byte, modifiers)))
        default:
            guard scalar.begin(byte) else { return }
            scalarModifiers = modifiers
            state = .character
        }
    }

    mutating func takePlain(_ byte: UInt8, _ events: inout [InputEvent]) { takePlain(byte, [], &events) }

    /// Takes the next byte of a character; one that does not fit drops what came before it, and is looked at anew.
    mutating func takeContinuation(_ byte: UInt8, _ events: inout [InputEvent]) {
        switch scalar.append(byte) {
        case .needsMore: return
        case .invalid:
            reset()
            takePlain(byte, &events)
        case .complete(let scalar):
            reset()
            // C1 controls are two bytes in UTF-8; no keyboard sends them.
            guard scalar.value >= 0xA0 else { return }
            events.append(.key(Key(.character(Character(scalar)), scalarModifiers)))
        }
    }

    mutating func takeAfterEscape(_ byte: UInt8, _ events: inout [InputEvent]) {
        if isStalled { return takeAfterGivenEscape(byte, &events) }
        switch byte {
        case ControlByte.escape:
            if hasSecondEscape { events.append(.key(Key(.escape))) }
            hasSecondEscape = true
        case UInt8(ascii: "["): state = .sequence
        case UInt8(ascii: "O"): state = .singleShift
        default:
            if let string = ControlString(rawValue: byte) {
                state = .string(string)
                return
            }
            giveSecondEscape(&events)
            reset()
            takePlain(byte, .alt, &events)
        }
    }

    /// Takes what follows an Escape that was given out: keys, unless an answer may begin so.
    private mutating func takeAfterGivenEscape(_ byte: UInt8, _ events: inout [InputEvent]) {
        isEscapeGiven = true
        if byte == UInt8(ascii: "[") {
            state = .sequence
        } else if expectsReplies, let string = ControlString(rawValue: byte), string.match([]) != .foreign {
            state = .string(string)
        } else {
            reset()
            takePlain(byte, &events)
        }
    }

    /// Takes a byte behind `ESC O`: a key of the number block or a function key, or Alt-O and something else.
    mutating func takeSingleShift(_ byte: UInt8, _ events: inout [InputEvent]) {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: ";") where held.count < Self.maxShift:
            held.append(byte)
        case ControlByte.finals:
            let key = Key(singleShift: ControlSequence(held, final: byte))
            finish(key.map(ControlSequence.Meaning.key) ?? .unknown, final: byte, &events)
        default:
            release(&events)
            take(byte, &events)
        }
    }

    /// More than the modifiers that old terminals put behind `ESC O`.
    private static let maxShift = 8

    mutating func giveSecondEscape(_ events: inout [InputEvent]) {
        if hasSecondEscape { events.append(.key(Key(.escape))) }
        hasSecondEscape = false
    }
}

extension Key {
    /// The key of a byte below the space, or DEL.
    fileprivate init(control byte: UInt8, _ modifiers: Modifiers) {
        switch byte {
        case ControlByte.carriageReturn: self.init(.enter, modifiers)
        case ControlByte.tab: self.init(.tab, modifiers)
        case ControlByte.backspace, ControlByte.delete: self.init(.backspace, modifiers)
        default:
            // Control takes bits from the key's character: 1 is A, 0 is @ (ECMA-48, section 8.2).
            let letter = Unicode.Scalar(byte | (byte == 0 || byte > 0x1A ? 0x40 : 0x60))
            self.init(.character(Character(letter)), modifiers.union(.control))
        }
    }
}
