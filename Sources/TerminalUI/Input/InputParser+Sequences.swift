extension InputParser {
    /// Longer than any known sequence; kitty's with text are the longest.
    static let maxSequence = 128

    mutating func processSequence(_ byte: UInt8, _ events: inout [InputEvent]) {
        switch byte {
        case UInt8(ascii: "[") where held.isEmpty, ControlByte.parameters where !endsWithShift(byte):
            hold(byte, &events)
        case UInt8(ascii: "M") where held.isEmpty && !isStalled:
            state = .oldMouse(left: 3)
        case ControlByte.finals, ControlByte.parameters:
            finish(ControlSequence(held, final: byte).meaning, final: byte, &events)
        default:
            guard isStalled else { return processForeign(byte, &events) }
            emitHeldKeys(&events)
            process(byte, &events)
        }
    }

    /// Whether a dollar ends the sequence: rxvt's keys with Shift (`CSI 5 $`), against ECMA-48.
    private func endsWithShift(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "$") && !held.isEmpty
            && held.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private mutating func hold(_ byte: UInt8, _ events: inout [InputEvent]) {
        if held.count < Self.maxSequence {
            held.append(byte)
        } else if isStalled {
            emitHeldKeys(&events)
            process(byte, &events)
        } else {
            held.removeAll(keepingCapacity: true)
            state = .overlong
        }
    }

    mutating func processOverlong(_ byte: UInt8, _ events: inout [InputEvent]) {
        switch byte {
        case ControlByte.parameters: break
        case ControlByte.finals: drop(&events)
        default: processForeign(byte, &events)
        }
    }

    mutating func processOldMouse(_ byte: UInt8, left: Int, _ events: inout [InputEvent]) {
        guard byte >= 0x20 else { return processForeign(byte, &events) }
        if left > 1 { state = .oldMouse(left: left - 1) } else { drop(&events) }
    }

    /// CAN and SUB end the sequence, an escape or a character restarts, other controls are keys in its middle.
    mutating func processForeign(_ byte: UInt8, _ events: inout [InputEvent]) {
        switch byte {
        case ControlByte.cancel, ControlByte.substitute: drop(&events)
        case ControlByte.escape, 0x80...:
            drop(&events)
            processPlain(byte, &events)
        default: processPlain(byte, &events)
        }
    }

    mutating func finish(_ meaning: ControlSequence.Meaning, final: UInt8, _ events: inout [InputEvent]) {
        switch meaning {
        case .key(var key):
            if hasSecondEscape { key.modifiers.insert(.alt) }
            hasSecondEscape = false
            events.append(.key(key))
        case .event(let event):
            emitSecondEscape(&events)
            events.append(event)
            if case .reply(.attributes) = event { expectsReplies = false }
        case .paste:
            drop(&events)
            state = .paste
            return
        case .ignored: break
        case .unknown:
            guard isStalled else { break }
            held.append(final)
            return emitHeldKeys(&events)
        }
        drop(&events)
    }

    mutating func drop(_ events: inout [InputEvent]) {
        emitSecondEscape(&events)
        reset()
    }

    /// Reports the held bytes as typed keys: Alt with a character, and more characters.
    mutating func emitHeldKeys(_ events: inout [InputEvent]) {
        let introducer: UInt8? =
            switch state {
            case .singleShift: UInt8(ascii: "O")
            case .sequence: UInt8(ascii: "[")
            case .string(let string): string.rawValue
            default: nil
            }
        emitSecondEscape(&events)
        if isUndecided { events.append(.key(Key(.escape))) }
        let modifiers: Key.Modifiers = isEscapeEmitted || isUndecided ? [] : .alt
        let typed = held
        reset()
        if let introducer { processPlain(introducer, modifiers, &events) }
        for byte in typed { process(byte, &events) }
    }
}
