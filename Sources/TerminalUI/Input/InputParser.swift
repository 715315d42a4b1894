/// Parses terminal input into keys, mouse events, pasted text and replies.
///
/// One parser reads a whole session.
///
///     var parser = InputParser()
///     for event in parser.parse(bytes) { handle(event) }
///     // after a pause, if parser.hasPending:
///     for event in parser.timeOut() { handle(event) }
///
/// Bytes may be split anywhere without changing the events. The parser supports UTF-8, the keys of xterm, the VT220, rxvt and the
/// Linux console, xterm's `modifyOtherKeys`, kitty's keyboard protocol, SGR mouse reports, bracketed paste, and the replies to
/// `TerminalProbe`. Other sequences are dropped whole. Memory is bounded: 64 KiB for a paste, 1 KiB otherwise.
///
/// **A reply never becomes a key.** A lone escape is the Escape key after the timeout, yet on a slow line it may start a
/// reply. So the following bytes are held as long as they may form a known sequence, without a time limit. They become
/// that sequence, or, with the first byte that does not fit, the keys that were typed. The same holds for a lone
/// `ESC [`, `ESC ]`, `ESC P` and `ESC _`, which are Alt with a key. The cost: Alt-[, and `[` typed right after Escape,
/// are reported with the next key. So are `]`, `P` and `_` while `expectsReplies`.
///
/// Control characters inside a sequence are keys, as for terminals, so that Ctrl-C always works. In a paste they are text,
/// except Ctrl-C, which ends it.
package struct InputParser: Sendable {
    enum State: Hashable, Sendable {
        case ground, character, escape
        /// After `ESC O`.
        case singleShift
        /// After `ESC [`.
        case sequence
        /// In a control sequence that is longer than any known one.
        case overlong
        /// In the three bytes of an old mouse report (X10).
        case oldMouse(left: Int)
        case string(ControlString)
        case stringEnd(ControlString)
        case paste
    }

    var state = State.ground
    var held: [UInt8] = []
    /// Whether the timeout passed in this state: the held bytes may have been typed.
    var isStalled = false
    /// Whether a first timeout left a lone escape undecided: what follows is a reply or a key without Alt.
    var isUndecided = false
    /// Whether the escape that began the sequence was reported as a key.
    var isEscapeEmitted = false
    /// Whether the sequence began with two escapes: Alt with a key in rxvt, or Escape before something else.
    var hasSecondEscape = false
    var characterModifiers: Key.Modifiers = []
    var paste = PasteText()
    /// Whether replies as strings are due: from the start until the attributes (DA1), which `TerminalProbe` queries last.
    ///
    /// Set it before further queries. While it is `false`, a `P` after Escape is reported immediately.
    package var expectsReplies = true

    /// Creates a parser.
    package init() {}

    /// Whether to call `timeOut` after a pause: the input may be a key or the start of a sequence.
    package var hasPending: Bool { isInSequence && !isStalled }

    var isInSequence: Bool {
        switch state {
        case .ground, .character, .paste: false
        case .escape, .singleShift, .sequence, .overlong, .oldMouse, .string, .stringEnd: true
        }
    }

    /// Whether a paste has no end yet; after a pause of seconds, call `endPaste`, since the end may be lost.
    package var isPasting: Bool { state == .paste }

    /// Parses bytes, and returns their events in order.
    package mutating func parse(_ bytes: some Collection<UInt8>) -> [InputEvent] {
        var events: [InputEvent] = []
        for byte in bytes { process(byte, &events) }
        return events
    }

    /// Decides pending input after a pause, typically of 50 ms.
    ///
    /// An escape becomes the Escape key; with `awaitingReply` only after a second pause. A possible reply stays held; more
    /// calls have no effect until the next byte.
    package mutating func timeOut(awaitingReply: Bool = false) -> [InputEvent] {
        var events: [InputEvent] = []
        guard hasPending else { return events }
        switch state {
        case .escape where awaitingReply && !isUndecided:
            emitSecondEscape(&events)
            isUndecided = true
        case .escape:
            events.append(.key(Key(.escape)))
            emitSecondEscape(&events)
            isStalled = true
            isUndecided = false
        case .singleShift: emitHeldKeys(&events)
        case .string(let string):
            isStalled = true
            emitUnlessReply(string, &events)
        case .sequence, .overlong, .oldMouse, .stringEnd, .ground, .character, .paste: isStalled = true
        }
        return events
    }

    /// Ends a paste whose end has not arrived, and returns its text.
    package mutating func endPaste() -> [InputEvent] {
        guard isPasting else { return [] }
        reset()
        return [.paste(paste.take())]
    }

    mutating func process(_ byte: UInt8, _ events: inout [InputEvent]) {
        switch state {
        case .ground: processPlain(byte, &events)
        case .character: processContinuation(byte, &events)
        case .escape: processAfterEscape(byte, &events)
        case .singleShift: processSingleShift(byte, &events)
        case .sequence: processSequence(byte, &events)
        case .overlong: processOverlong(byte, &events)
        case .oldMouse(let left): processOldMouse(byte, left: left, &events)
        case .string(let string): processString(byte, string, &events)
        case .stringEnd(let string): processStringEnd(byte, string, &events)
        case .paste:
            let step = paste.append(byte)
            if step != .text { events += endPaste() }
            if step == .interrupt { processPlain(ControlByte.endOfText, &events) }
        }
    }

    mutating func reset() {
        state = .ground
        held.removeAll(keepingCapacity: true)
        isStalled = false
        isUndecided = false
        isEscapeEmitted = false
        hasSecondEscape = false
    }
}

/// Keys without a sequence: characters and control characters, also after an escape.
extension InputParser {
    mutating func processPlain(_ byte: UInt8, _ events: inout [InputEvent], _ modifiers: Key.Modifiers = []) {
        switch byte {
        case ControlByte.escape:
            reset()
            state = .escape
        case 0x20..<ControlByte.delete:
            events.append(.key(Key(.character(Character(Unicode.Scalar(byte))), modifiers)))
        case ControlByte.controls, ControlByte.delete:
            events.append(.key(Key(control: byte, modifiers)))
        default:
            // First bytes of UTF-8 (Unicode, table 3-7).
            guard (0xC2...0xF4).contains(byte) else { return }
            held.append(byte)
            characterModifiers = modifiers
            state = .character
        }
    }

    mutating func processContinuation(_ byte: UInt8, _ events: inout [InputEvent]) {
        guard (0x80...0xBF).contains(byte) else {
            reset()
            return processPlain(byte, &events)
        }
        held.append(byte)
        guard held.count == (held[0] < 0xE0 ? 2 : held[0] < 0xF0 ? 3 : 4) else { return }
        let scalar = String(validating: held, as: UTF8.self)?.unicodeScalars.first
        reset()
        // C1 controls are two bytes in UTF-8; no keyboard sends them.
        guard let scalar, scalar.value >= 0xA0 else { return }
        events.append(.key(Key(.character(Character(scalar)), characterModifiers)))
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
            processPlain(byte, &events, byte == ControlByte.endOfText ? [] : .alt)
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

/// Collects the text of a paste up to a limit; the terminal must filter end markers inside the text.
struct PasteText: Sendable {
    enum Step: Hashable {
        case text
        case end
        /// Ctrl-C, which terminals filter, too: the user's, since the end is lost.
        case interrupt
    }

    /// Far above a pasted search.
    static let limit = 64 << 10
    /// The end marker, and Ctrl-C in kitty's keyboard protocol.
    private static let markers = [
        (Array("\u{1B}[201~".utf8), Step.end), (Array("\u{1B}[99;5u".utf8), .interrupt),
    ]

    private var bytes: [UInt8] = []
    /// The start of a marker.
    private var held: [UInt8] = []

    mutating func append(_ byte: UInt8) -> Step {
        // The escape occurs once in a marker, so no shorter prefix can have begun inside.
        if byte == ControlByte.escape || byte == ControlByte.endOfText { storeHeld() }
        if byte == ControlByte.endOfText { return .interrupt }
        guard byte == ControlByte.escape || !held.isEmpty else {
            store(byte)
            return .text
        }
        held.append(byte)
        for (marker, step) in Self.markers where marker.starts(with: held) {
            return held.count == marker.count ? step : .text
        }
        storeHeld()
        return .text
    }

    /// Returns the text and starts again; invalid UTF-8 becomes U+FFFD.
    mutating func take() -> String {
        defer { self = PasteText() }
        var text = String(decoding: bytes, as: UTF8.self)
        // The limit may have cut a character.
        if bytes.count == Self.limit, text.unicodeScalars.last == "\u{FFFD}" { text.unicodeScalars.removeLast() }
        return text
    }

    private mutating func storeHeld() {
        for byte in held { store(byte) }
        held.removeAll(keepingCapacity: true)
    }

    private mutating func store(_ byte: UInt8) {
        if bytes.count < Self.limit { bytes.append(byte) }
    }
}
