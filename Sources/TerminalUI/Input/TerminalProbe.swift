/// The queries sent when a session begins.
///
/// No call waits for the replies.
///
///     session.write(TerminalProbe.bytes(environment: environment))
///     // replies arrive as `InputEvent.reply`
public enum TerminalProbe {
    /// The colour that tests whether 24 bits are kept: no palette has it (termstandard/colors).
    static let color = RGB(1, 2, 3)
    /// The id of the image in kitty's query.
    static let image = 31
    /// The id of the image in the query for shared memory.
    static let sharedImage = 32
    /// All queries: the background's colour (OSC 11), a cell's and the window's pixels (`CSI 16 t`, `CSI 14 t`), whether a
    /// 24-bit colour is kept (DECRQSS), the keyboard's flags (`CSI ? u`), the version (XTVERSION, DA2), kitty's images, and
    /// last the attributes (DA1), to which every terminal replies.
    public static var bytes: TerminalBytes { sequence(common + truecolor + keyboard + version + graphics + attributes) }

    /// The queries for what users change while a program runs, the background's colour (OSC 11) and a cell's pixels
    /// (`CSI 16 t`), and DA1: the session waits for its reply before it ends.
    package static var appearance: TerminalBytes { sequence(backgroundColor + cell + attributes) }

    /// The queries that are safe for the terminal of an environment.
    ///
    /// None without TERM or for a dumb terminal; only DA1 for the Linux console. GNU screen would show the text of strings,
    /// Apple's Terminal that of kitty's query. tmux would take it for a title, so it passes it to the outer terminal.
    ///
    /// With `asksPalette` also the sixteen colours (OSC 4), whose replies have some 400 bytes; with `sharedPixels` and no ssh
    /// or multiplexer, whether the terminal reads this machine's shared memory.
    package static func bytes(
        asksPalette: Bool = false, sharedPixels: SharedPixels? = nil, environment: (String) -> String?
    ) -> TerminalBytes {
        let variables = TerminalVariables(environment)
        guard let term = variables["TERM"], term != "dumb" else { return TerminalBytes() }
        if term == "linux" { return sequence(attributes) }
        let colors = (asksPalette ? palette : "") + truecolor
        switch variables.multiplexer {
        case .screen: return sequence(common + keyboard + attributes)
        case .tmux: return sequence(common + colors + keyboard + passed(xtversion) + passed(graphics) + attributes)
        case .zellij, nil: break
        }
        let isLocal = !variables.isRemote && variables.multiplexer == nil
        let images = showsStrings(variables) ? "" : graphics + (isLocal ? sharedGraphics(sharedPixels) : "")
        return sequence(common + colors + keyboard + version + images + attributes)
    }

    /// The queries for images alone, for a stream; `TerminalQuery` sends them.
    ///
    /// Erases the text that some terminals show instead.
    static func images(_ variables: TerminalVariables, asksPalette: Bool) -> [UInt8] {
        let strings = (asksPalette ? palette : "") + version + (showsStrings(variables) ? "" : graphics)
        return Array("\u{1B}7\(backgroundColor)\(cell)\(window)\(strings)\u{1B}8\u{1B}[K\(attributes)".utf8)
    }

    private static func showsStrings(_ variables: TerminalVariables) -> Bool {
        variables["TERM_PROGRAM"] == "Apple_Terminal" || variables["TERM"]?.hasPrefix("nsterm") == true
    }

    /// Wrapped for tmux, which passes it on if `allow-passthrough` is on (tmux(1)).
    private static func passed(_ text: String) -> String {
        let doubled = text.map { $0 == "\u{1B}" ? "\u{1B}\u{1B}" : String($0) }.joined()
        return "\u{1B}Ptmux;\(doubled)\u{1B}\\"
    }

    private static let common = backgroundColor + cell + window
    private static let backgroundColor = "\u{1B}]11;?\u{1B}\\"
    private static let cell = "\u{1B}[16t"
    private static let window = "\u{1B}[14t"
    private static let truecolor = "\u{1B}[48;2;\(color.red);\(color.green);\(color.blue)m\u{1B}P$qm\u{1B}\\\u{1B}[0m"
    /// One query for each colour: not every terminal reads several in one.
    private static let palette = (0..<16).map { "\u{1B}]4;\($0);?\u{1B}\\" }.joined()
    private static let keyboard = "\u{1B}[?u"
    private static let xtversion = "\u{1B}[>q"
    private static let version = "\(xtversion)\u{1B}[>c"
    private static let graphics = "\u{1B}_Gi=\(image),s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"
    private static func sharedGraphics(_ memory: SharedPixels?) -> String {
        guard let name = memory?.publish([0, 0, 0]) else { return "" }
        var query: [UInt8] = []
        query.append(
            .kittyGraphics, "i=\(sharedImage),s=1,v=1,a=q,t=s,f=24;", base64: name.span, isInsideTmux: false)
        return String(decoding: query, as: UTF8.self)
    }
    static let attributes = "\u{1B}[c"

    private static func sequence(_ text: String) -> TerminalBytes { TerminalBytes(data: Array(text.utf8)) }
}
