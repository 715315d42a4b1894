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
