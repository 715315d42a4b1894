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
    var scalar = ScalarAssembly()
    var scalarModifiers: Key.Modifiers = []
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
