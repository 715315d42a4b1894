/// Turns what a terminal sends into keys, the mouse, pasted text and answers; one parser owns standard input for a whole session.
///
///     var parser = InputParser()
///     for event in parser.parse(bytes) { handle(event) }
///     // nothing came for a moment, and parser.hasPending:
///     for event in parser.timeOut() { handle(event) }
///
/// Bytes may be split anywhere: the events are the same. Understood are UTF-8, xterm's, the VT220's, rxvt's and the Linux console's
/// keys, xterm's `modifyOtherKeys`, kitty's keyboard protocol, SGR mouse reports, bracketed paste, and the answers to
/// `TerminalProbe`. Whatever else is a sequence is swallowed whole. Memory is bounded in every state: 64 KiB of a paste, 1 KiB of
/// anything else.
///
/// **An answer never becomes a key.** An escape that stands alone when time runs out is the Escape key, yet on a slow line it may as well be the
/// first byte of an answer. So what follows it is held for as long as it may still become a sequence that is known here,
/// whatever time it takes: it ends as that sequence, or, with the first byte that fits none, as the keys that were typed. The same
/// holds for `ESC [`, `ESC ]`, `ESC P` and `ESC _` without more, which are Alt with a key. The price is that Alt-[, and `[` typed right
/// after Escape, are told only with the next key; so are `]`, `P` and `_` while `expectsReplies`.
///
/// Control characters are keys even inside a sequence, as terminals act on them there too, so that Ctrl-C always gets
/// through; not in a paste, where they are text.
public struct InputParser: Sendable {
    /// Where in a sequence the parser stands.
    enum State: Hashable, Sendable {
        /// Between sequences.
        case ground
        /// Inside a character of several bytes.
        case character
        /// Behind an escape.
        case escape
        /// Behind `ESC O`.
        case singleShift
        /// Behind `ESC [`.
        case sequence
        /// In a control sequence that is longer than any known one.
        case overlong
        /// In the three bytes of an old mouse report (X10).
        case oldMouse(left: Int)
        /// In a string that a terminal sends.
        case string(ControlString)
        /// Behind an escape in such a string.
        case stringEnd(ControlString)
        /// In pasted text.
        case paste
    }

    var state = State.ground
    /// What came after the bytes that `state` stands for.
    var held: [UInt8] = []
    /// Whether time ran out in this state: what is held may have been typed.
    var isStalled = false
    /// Whether the escape that began the sequence has been given out as a key.
    var isEscapeGiven = false
    /// Whether two escapes began it: Alt with a key as rxvt sends it, or Escape before something else.
    var hasSecondEscape = false
    var scalar = ScalarAssembly()
    var scalarModifiers: Key.Modifiers = []
    var paste = PasteText()

    /// Whether answers are owed that come as strings: true from the start until the terminal's attributes (DA1) have come, which
    /// `TerminalProbe` asks for last.
    ///
    /// Set it when the terminal is asked again. While it is false, nobody's `P` waits behind an Escape.
    public var expectsReplies = true

    /// A parser that has seen nothing.
    public init() {}

    /// Whether `timeOut` is to be called when nothing comes for a moment: what has come may be a key, or the beginning of more.
    public var hasPending: Bool {
        switch state {
        case .ground, .character, .paste: false
        case .escape, .singleShift, .sequence, .overlong, .oldMouse, .string, .stringEnd: !isStalled
        }
    }

    /// Takes what was read, and returns what it means, in order.
    public mutating func parse(_ bytes: some Collection<UInt8>) -> [InputEvent] {
        var events: [InputEvent] = []
        for byte in bytes { take(byte, &events) }
        return events
    }

    /// Decides what waits, since nothing more came for a moment; 50 ms are usual.
    ///
    /// An escape is the Escape key. What may still become an answer stays held; more calls change nothing until the next byte.
    public mutating func timeOut() -> [InputEvent] {
        var events: [InputEvent] = []
        guard hasPending else { return events }
        switch state {
        case .escape:
            events.append(.key(Key(.escape)))
            if hasSecondEscape { events.append(.key(Key(.escape))) }
            hasSecondEscape = false
            isStalled = true
        case .singleShift:
            release(&events)
        case .string(let string):
            isStalled = true
            releaseUnlessAnswer(string, &events)
        case .sequence, .overlong, .oldMouse, .stringEnd, .ground, .character, .paste:
            isStalled = true
        }
        return events
    }

    mutating func take(_ byte: UInt8, _ events: inout [InputEvent]) {
        switch state {
        case .ground: takePlain(byte, &events)
        case .character: takeContinuation(byte, &events)
        case .escape: takeAfterEscape(byte, &events)
        case .singleShift: takeSingleShift(byte, &events)
        case .sequence: takeInSequence(byte, &events)
        case .overlong: takeOverlong(byte, &events)
        case .oldMouse(let left): takeOldMouse(byte, left: left, &events)
        case .string(let string): takeInString(byte, string, &events)
        case .stringEnd(let string): takeAtStringEnd(byte, string, &events)
        case .paste: takePasted(byte, &events)
        }
    }

    /// Goes back to where every byte is a key.
    mutating func reset() {
        state = .ground
        held.removeAll(keepingCapacity: true)
        isStalled = false
        isEscapeGiven = false
        hasSecondEscape = false
    }
}
