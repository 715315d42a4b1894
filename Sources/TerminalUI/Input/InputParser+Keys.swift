/// Keys without a sequence: characters and control characters, also after an escape.
extension InputParser {
    mutating func processPlain(_ byte: UInt8, _ modifiers: Key.Modifiers = [], _ events: inout [InputEvent]) {
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

    mutating func processPlain(_ byte: UInt8, _ events: inout [InputEvent]) { processPlain(byte, [], &events) }

    mutating func processContinuation(_ byte: UInt8, _ events: inout [InputEvent]) {
        switch scalar.append(byte) {
        case .needsMore: return
        case .invalid:
            reset()
            processPlain(byte, &events)
        case .complete(let scalar):
            reset()
            // C1 controls are two bytes in UTF-8; no keyboard sends them.
            guard scalar.value >= 0xA0 else { return }
            events.append(.key(Key(.character(Character(scalar)), scalarModifiers)))
        }
    }

    mutating func processAfterEscape(_ byte: UInt8, _ events: inout [InputEvent]) {
        if isStalled { return processAfterEmittedEscape(byte, &events) }
        if isUndecided {
            guard mayStartReply(byte) else {
                events.append(.key(Key(.escape)))
                reset()
                return processPlain(byte, &events)
            }
            isStalled = true
        }
        switch byte {
        case ControlByte.escape:
            emitSecondEscape(&events)
            hasSecondEscape = true
        case UInt8(ascii: "["): state = .sequence
        case UInt8(ascii: "O"): state = .singleShift
        default:
            if let string = ControlString(rawValue: byte) {
                state = .string(string)
                return
            }
            emitSecondEscape(&events)
            reset()
            // Perhaps within a split reply: Ctrl-C always works.
            processPlain(byte, byte == ControlByte.endOfText ? [] : .alt, &events)
        }
    }

    /// After a reported Escape bytes are keys, unless they may start a reply.
    private mutating func processAfterEmittedEscape(_ byte: UInt8, _ events: inout [InputEvent]) {
        isEscapeEmitted = true
        if byte == UInt8(ascii: "[") {
            state = .sequence
        } else if expectsReplies, mayStartReply(byte), let string = ControlString(rawValue: byte) {
            state = .string(string)
        } else {
            reset()
            processPlain(byte, &events)
        }
    }

    private func mayStartReply(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "[") || ControlString(rawValue: byte).map { $0.match([]) != .foreign } ?? false
    }

    /// After `ESC O`: a key of the number block or a function key, or Alt-O and something else.
    mutating func processSingleShift(_ byte: UInt8, _ events: inout [InputEvent]) {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: ";") where held.count < Self.maxShift:
            held.append(byte)
        case ControlByte.finals:
            let key = Key(singleShift: ControlSequence(held, final: byte))
            finish(key.map(ControlSequence.Meaning.key) ?? .unknown, final: byte, &events)
        default:
            emitHeldKeys(&events)
            process(byte, &events)
        }
    }

    /// Above the length of the modifiers that old terminals put after `ESC O`.
    private static let maxShift = 8

    mutating func emitSecondEscape(_ events: inout [InputEvent]) {
        if hasSecondEscape { events.append(.key(Key(.escape))) }
        hasSecondEscape = false
    }
}
