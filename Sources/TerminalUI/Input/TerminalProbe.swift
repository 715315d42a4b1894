/// The queries sent when a session begins.
///
/// No call waits for the replies.
///
///     session.write(TerminalProbe.bytes(environment: environment))
///     // replies arrive as `InputEvent.reply`
public enum TerminalProbe {
    /// The colour that tests whether 24 bits are kept: no palette has it (termstandard/colors).
    static let color = RGB(1, 2, 3)
    /// All queries: the background's colour (OSC 11), a cell's pixels (`CSI 16 t`), whether a 24-bit colour is kept
    /// (DECRQSS), the keyboard's flags (`CSI ? u`), and last the attributes (DA1), to which every terminal replies.
    public static var bytes: TerminalBytes { sequence(background + cell + truecolor + keyboard + attributes) }

    /// The queries that are safe for the terminal of an environment.
    ///
    /// None without TERM or for a dumb terminal; only DA1 for the Linux console; not the one for 24 bits in GNU screen,
    /// which would pass its text to the outer terminal.
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
