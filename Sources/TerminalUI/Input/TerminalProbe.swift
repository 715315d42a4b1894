/// The questions that a terminal is asked when a session begins; nobody waits for the answers.
///
///     session.write(TerminalProbe.bytes(environment: environment))
///     // each reply that comes: result.take(reply), and draw better if it returns true
public enum TerminalProbe {
    /// The colour that is set to see whether 24 bits are kept: no palette has it (termstandard/colors).
    static let color = RGB(1, 2, 3)

    /// All questions: the background's colour (OSC 11), a cell's pixels (`CSI 16 t`), whether a 24-bit colour is kept (DECRQSS), the
    /// keyboard's flags (`CSI ? u`), and the attributes (DA1), which every terminal answers, last.
    public static var bytes: TerminalBytes { sequence(background + cell + truecolor + keyboard + attributes) }

    /// The questions that a terminal of this name can stand: none for one without a name or a dumb one; the Linux console, which knows
    /// only DA1, nothing else; GNU screen not the one for 24 bits, whose text it would hand to the terminal around it.
    public static func bytes(environment: (String) -> String?) -> TerminalBytes {
        let variables = TerminalVariables(environment)
        guard let term = variables["TERM"], term != "dumb" else { return TerminalBytes() }
        if term == "linux" { return sequence(attributes) }
        let isScreen = variables["STY"] != nil || (term.hasPrefix("screen") && variables["TMUX"] == nil)
        return isScreen ? sequence(background + cell + keyboard + attributes) : bytes
    }

    private static let background = "\u{1B}]11;?\u{1B}\\"
    private static let cell = "\u{1B}[16t"
    private static let truecolor = "\u{1B}[48;2;\(color.red);\(color.green);\(color.blue)m\u{1B}P$qm\u{1B}\\\u{1B}[0m"
    private static let keyboard = "\u{1B}[?u"
    private static let attributes = "\u{1B}[c"

    private static func sequence(_ text: String) -> TerminalBytes {
        var bytes = TerminalBytes()
        bytes.raw = Array(text.utf8)
        return bytes
    }
}

/// What a terminal has answered so far.
public struct ProbeResult: Hashable, Sendable {
    /// The colour behind the text.
    public private(set) var background: RGB?
    /// The shape of a cell, when it is one that a font can have.
    public private(set) var cell: CellAspect?
    /// Whether 24-bit colours are kept.
    public private(set) var truecolor: Bool?
    /// Kitty's keyboard flags that are on; known only where the protocol is.
    public private(set) var keyboard: Int?
    /// The attributes of DA1.
    public private(set) var attributes: [Int]?
    private let isAsked: Bool

    /// Nothing yet.
    ///
    /// - Parameter questions: what was sent; nothing is owed where that is nothing.
    public init(to questions: TerminalBytes = TerminalProbe.bytes) { isAsked = !questions.isEmpty }

    /// Whether answers may still come: what is asked before DA1 is answered before it, or not at all.
    public var isOwed: Bool { isAsked && attributes == nil }

    /// Takes an answer, and tells whether something is known now that was not.
    ///
    /// Answers that come late, twice or unasked are taken as well.
    public mutating func take(_ reply: TerminalReply) -> Bool {
        let before = self
        switch reply {
        case .background(let color): background = color
        case .cellPixels(let width, let height): cell = CellAspect(cellWidth: width, cellHeight: height) ?? cell
        case .truecolor(let isKept): truecolor = isKept
        case .keyboard(let flags): keyboard = flags
        case .attributes(let numbers): attributes = numbers
        case .status, .other: break
        }
        return self != before
    }
}
