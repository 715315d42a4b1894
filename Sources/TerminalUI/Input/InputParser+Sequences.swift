/// Control sequences, and what becomes of those that are none.
extension InputParser {
    /// Longer than any sequence that is known; kitty's with text are the longest.
    static let maxSequence = 128

    mutating func takeInSequence(_ byte: UInt8, _ events: inout [InputEvent]) {
        switch byte {
        case UInt8(ascii: "[") where held.isEmpty, ControlByte.parameters where !endsWithShift(byte):
            hold(byte, &events)
        case UInt8(ascii: "M") where held.isEmpty && !isStalled:
            state = .oldMouse(left: 3)
        case ControlByte.finals, ControlByte.parameters:
            finish(ControlSequence(held, final: byte).meaning, final: byte, &events)
        default:
            breakOff(byte, &events)
        }
    }

    /// Whether a dollar ends the sequence: rxvt's keys with Shift (`CSI 5 $`) are none that ECMA-48 allows.
    private func endsWithShift(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "$") && !held.isEmpty
            && held.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private mutating func hold(_ byte: UInt8, _ events: inout [InputEvent]) {
        if held.count < Self.maxSequence {
            held.append(byte)
        } else if isStalled {
            release(&events)
            take(byte, &events)
        } else {
            held.removeAll(keepingCapacity: true)
            state = .overlong
        }
    }

    mutating func takeOverlong(_ byte: UInt8, _ events: inout [InputEvent]) {
        switch byte {
        case ControlByte.parameters: break
        case ControlByte.finals: drop(&events)
        default: takeForeign(byte, &events)
        }
    }

    mutating func takeOldMouse(_ byte: UInt8, left: Int, _ events: inout [InputEvent]) {
        guard byte >= 0x20 else { return takeForeign(byte, &events) }
        if left > 1 { state = .oldMouse(left: left - 1) } else { drop(&events) }
    }

    /// Takes what cannot stand in the sequence that is being read.
    private mutating func breakOff(_ byte: UInt8, _ events: inout [InputEvent]) {
        guard isStalled else { return takeForeign(byte, &events) }
        release(&events)
        take(byte, &events)
    }

    /// Takes a byte that is no part of a sequence: CAN and SUB break it off, an escape and a character begin anew, other
    /// controls are keys in its midst.
    mutating func takeForeign(_ byte: UInt8, _ events: inout [InputEvent]) {
        switch byte {
        case ControlByte.cancel, ControlByte.substitute: drop(&events)
        case ControlByte.escape, 0x80...:
            drop(&events)
            takePlain(byte, &events)
        default: takePlain(byte, &events)
        }
    }

    /// Gives out what a sequence means, and ends it.
    mutating func finish(_ meaning: ControlSequence.Meaning, final: UInt8, _ events: inout [InputEvent]) {
        switch meaning {
        case .key(var key):
            if hasSecondEscape { key.modifiers.insert(.alt) }
            hasSecondEscape = false
            events.append(.key(key))
        case .event(let event):
            giveSecondEscape(&events)
            events.append(event)
            if case .reply(.attributes) = event { expectsReplies = false }
        case .paste:
            giveSecondEscape(&events)
            reset()
            state = .paste
            return
        case .nothing: break
        case .unknown:
            guard isStalled else { break }
            held.append(final)
            return release(&events)
        }
        drop(&events)
    }

    /// Ends a sequence that means nothing; an escape before it that was none of its own is still a key.
    mutating func drop(_ events: inout [InputEvent]) {
        giveSecondEscape(&events)
        reset()
    }

    /// Gives out what is held as the keys that were typed: Alt with a character, and more characters.
    mutating func release(_ events: inout [InputEvent]) {
        let introducer: UInt8? =
            switch state {
            case .singleShift: UInt8(ascii: "O")
            case .sequence: UInt8(ascii: "[")
            case .string(let string): string.rawValue
            default: nil
            }
        giveSecondEscape(&events)
        let modifiers: Key.Modifiers = isEscapeGiven ? [] : .alt
        let typed = held
        reset()
        if let introducer { takePlain(introducer, modifiers, &events) }
        for byte in typed { take(byte, &events) }
    }
}
