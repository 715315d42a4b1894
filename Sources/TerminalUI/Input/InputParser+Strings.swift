/// Strings that a terminal sends: OSC, DCS and the others that end with ST.
extension InputParser {
    /// Of longer ones the rest is swallowed without being kept: the longest answer that is read has some 40 bytes.
    static let maxString = 1024

    mutating func takeInString(_ byte: UInt8, _ string: ControlString, _ events: inout [InputEvent]) {
        let mayBeTyped = isStalled && string.match(held) == .begun
        switch byte {
        case ControlByte.escape where !mayBeTyped:
            state = .stringEnd(string)
            isStalled = false
        case ControlByte.bell where !mayBeTyped:
            finish(string, &events)
        case ControlByte.controls where mayBeTyped, ControlByte.delete where mayBeTyped:
            release(&events)
            take(byte, &events)
        case ControlByte.cancel, ControlByte.substitute:
            drop(&events)
        case ControlByte.controls, ControlByte.delete:
            takePlain(byte, &events)
        default:
            if held.count < Self.maxString { held.append(byte) }
            if mayBeTyped { releaseUnlessAnswer(string, &events) }
        }
    }

    /// Takes what follows an escape in a string: a backslash ends it (ST), anything else broke it off before the escape.
    mutating func takeAtStringEnd(_ byte: UInt8, _ string: ControlString, _ events: inout [InputEvent]) {
        if byte == UInt8(ascii: "\\") { return finish(string, &events) }
        let wasStalled = isStalled
        drop(&events)
        state = .escape
        if wasStalled {
            events.append(.key(Key(.escape)))
            isStalled = true
        }
        take(byte, &events)
    }

    /// Gives out what is held as keys, when it is short enough to have been typed and begins like no known answer.
    mutating func releaseUnlessAnswer(_ string: ControlString, _ events: inout [InputEvent]) {
        guard held.count <= Self.maxTyped else { return }
        switch string.match(held) {
        case .answer: return
        case .begun: if !expectsReplies { release(&events) }
        case .foreign: release(&events)
        }
    }

    /// Nobody types more before time runs out once.
    private static let maxTyped = 16

    private mutating func finish(_ string: ControlString, _ events: inout [InputEvent]) {
        giveSecondEscape(&events)
        events.append(.reply(TerminalReply(string, held)))
        reset()
    }
}

/// The strings of ECMA-48 (section 5.6), by the byte that begins them behind an escape.
enum ControlString: UInt8, Hashable, Sendable {
    case deviceControl = 0x50
    case startOfString = 0x58
    case operatingSystem = 0x5D
    case privacyMessage = 0x5E
    case application = 0x5F

    /// How bytes compare with the answers that terminals are known to give.
    enum Match: Hashable {
        /// They may become one.
        case begun
        /// They are the beginning of one.
        case answer
        /// No answer begins so.
        case foreign
    }

    /// How the answers begin: colours, and the clipboard; requests for status and for terminfo, the terminal's name and number; kitty's
    /// pictures (xterm's ctlseqs, "Device-Control functions" and "Operating System Commands").
    private var beginnings: [StaticString] {
        switch self {
        case .operatingSystem: ["4;", "10;", "11;", "12;", "52;"]
        case .deviceControl: ["0$r", "1$r", "0+r", "1+r", ">|", "!|"]
        case .application: ["G"]
        case .startOfString, .privacyMessage: []
        }
    }

    /// Compares the first bytes of a string.
    func match(_ bytes: [UInt8]) -> Match {
        for beginning in beginnings {
            let length = beginning.utf8CodeUnitCount
            let isAlike = beginning.withUTF8Buffer { known in zip(known, bytes).allSatisfy { $0 == $1 } }
            if isAlike { return bytes.count >= length ? .answer : .begun }
        }
        return .foreign
    }
}
