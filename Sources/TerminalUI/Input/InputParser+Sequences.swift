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
        if let introducer { processPlain(introducer, &events, modifiers) }
        for byte in typed { process(byte, &events) }
    }
}

/// Strings from the terminal: OSC, DCS and the others that end with ST.
extension InputParser {
    /// The rest of longer strings is dropped; the longest known reply has some 40 bytes.
    static let maxString = 1024

    mutating func processString(_ byte: UInt8, _ string: ControlString, _ events: inout [InputEvent]) {
        let mayBeTyped = isStalled && string.match(held) == .begun
        switch byte {
        case ControlByte.escape where !mayBeTyped:
            state = .stringEnd(string)
            isStalled = false
        case ControlByte.bell where !mayBeTyped: finish(string, &events)
        case ControlByte.controls where mayBeTyped, ControlByte.delete where mayBeTyped:
            emitHeldKeys(&events)
            process(byte, &events)
        case ControlByte.cancel, ControlByte.substitute: drop(&events)
        case ControlByte.controls, ControlByte.delete: processPlain(byte, &events)
        default:
            if held.count < Self.maxString { held.append(byte) }
            if mayBeTyped { emitUnlessReply(string, &events) }
        }
    }

    /// After an escape in a string: a backslash ends the string (ST); otherwise the escape interrupted it.
    mutating func processStringEnd(_ byte: UInt8, _ string: ControlString, _ events: inout [InputEvent]) {
        if byte == UInt8(ascii: "\\") { return finish(string, &events) }
        let wasStalled = isStalled
        drop(&events)
        state = .escape
        if wasStalled {
            events.append(.key(Key(.escape)))
            isStalled = true
        }
        process(byte, &events)
    }

    /// Reports the held bytes as keys if they could have been typed: short, and not the start of a known reply.
    mutating func emitUnlessReply(_ string: ControlString, _ events: inout [InputEvent]) {
        guard held.count <= Self.maxTyped else { return }
        switch string.match(held) {
        case .reply: return
        case .begun: if !expectsReplies { emitHeldKeys(&events) }
        case .foreign: emitHeldKeys(&events)
        }
    }

    private static let maxTyped = 16

    private mutating func finish(_ string: ControlString, _ events: inout [InputEvent]) {
        emitSecondEscape(&events)
        events.append(.reply(TerminalReply(string, held)))
        reset()
    }
}

/// The strings of ECMA-48 (section 5.6), by the byte after the escape.
enum ControlString: UInt8, Hashable, Sendable {
    case deviceControl = 0x50
    case startOfString = 0x58
    case operatingSystem = 0x5D
    case privacyMessage = 0x5E
    case application = 0x5F

    enum Match: Hashable {
        case begun
        case reply
        case foreign
    }

    /// Prefixes of replies (xterm's ctlseqs, "Device-Control functions" and "Operating System Commands"; kitty's images).
    private var beginnings: [StaticString] {
        switch self {
        case .operatingSystem: ["4;", "10;", "11;", "12;", "52;"]
        case .deviceControl: ["0$r", "1$r", "0+r", "1+r", ">|", "!|"]
        case .application: ["G"]
        case .startOfString, .privacyMessage: []
        }
    }

    func match(_ bytes: [UInt8]) -> Match {
        for beginning in beginnings {
            let length = beginning.utf8CodeUnitCount
            let isAlike = beginning.withUTF8Buffer { known in zip(known, bytes).allSatisfy { $0 == $1 } }
            if isAlike { return bytes.count >= length ? .reply : .begun }
        }
        return .foreign
    }
}
