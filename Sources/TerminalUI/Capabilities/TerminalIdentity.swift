/// A terminal's program and version, by its variables or replies.
struct TerminalIdentity: Hashable, Sendable {
    /// In small letters, as in `KnownTerminals`.
    let name: String
    var version: TerminalVersion?
    /// `TERM_PROGRAM=WezTerm`, `XTVERSION`.
    let evidence: String

    init(_ name: String, _ version: TerminalVersion?, evidence: String) {
        self.name = name
        self.version = version
        self.evidence = evidence
    }

    /// Reads the text of an XTVERSION reply: `kitty(0.40.0)`, `ghostty 1.1.3`, `VTE(7800)`.
    ///
    /// `nil` for a multiplexer, and for a text without a name.
    init?(reported text: String, evidence: String = "XTVERSION") {
        let name = text.prefix { $0 != "(" && $0 != " " }.lowercased()
        guard (1...Self.maxName).contains(name.utf8.count), !["tmux", "screen"].contains(name) else { return nil }
        let rest = text.dropFirst(name.count)
        // VTE writes 0.78.1 as 7801.
        self.init(name, name == "vte" ? TerminalVersion(packed: rest) : TerminalVersion(rest), evidence: evidence)
    }

    /// Reads secondary attributes (DA2), for the terminals that do not reply to XTVERSION.
    ///
    /// `0;1302;1` is Alacritty, `1;4000;26` kitty, `24;279;0` mlterm, `65;7800;1` VTE.
    init?(secondary numbers: [Int]) {
        guard numbers.count == 3 else { return nil }
        let evidence = "DA2"
        switch (numbers[0], numbers[1], numbers[2]) {
        case (0, 100...99_999, 1): self.init("alacritty", TerminalVersion(packed: numbers[1]), evidence: evidence)
        case (1, 4000..<4010, let minor):
            self.init("kitty", TerminalVersion([numbers[1] - 4000, minor]), evidence: evidence)
        case (24, _, _): self.init("mlterm", nil, evidence: evidence)
        case (65, 3000...99_999, _): self.init("vte", TerminalVersion(packed: numbers[1]), evidence: evidence)
        default: return nil
        }
    }

    private static let maxName = 40

    /// `kitty 0.40.0`, which `init(reported:)` reads again.
    var reported: String { version.map { "\(name) \($0)" } ?? name }
}

/// The numbers of a version: `0.40.0`, `20240203-110809`.
struct TerminalVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    let numbers: [Int]

    init(_ numbers: [Int]) { self.numbers = numbers }

    /// Reads at most four numbers of at most eight digits, with anything between them; `nil` without any.
    init?(_ text: some StringProtocol) {
        let parts = text.split { !($0.isASCII && $0.isNumber) }.prefix(4)
        let numbers = parts.prefix { $0.utf8.count <= 8 }.compactMap { Int($0) }
        guard !numbers.isEmpty else { return nil }
        self.init(numbers)
    }

    /// Reads two digits a number: 7801 is 0.78.1, 220400 is 22.4.0.
    init(packed number: Int) { self.init([number / 10_000, number / 100 % 100, number % 100]) }

    init?(packed text: some StringProtocol) {
        guard let version = TerminalVersion(text) else { return nil }
        // Our own form has points already.
        self = version.numbers.count == 1 ? TerminalVersion(packed: version.numbers[0]) : version
    }

    static func < (one: TerminalVersion, other: TerminalVersion) -> Bool {
        one.numbers.lexicographicallyPrecedes(other.numbers)
    }

    var description: String { numbers.map(String.init).joined(separator: ".") }
}

extension TerminalVariables {
    /// The terminal that the variables name; `nil` for none, for several, and in a multiplexer, whose variables may be stale.
    ///
    /// TERM is set by the innermost terminal, so it decides. The others are inherited from terminal to terminal.
    var identity: TerminalIdentity? {
        guard multiplexer == nil else { return nil }
        let named = Self.identifying.compactMap(identity(of:))
        if let term = self["TERM"], let name = KnownTerminals.name(ofTerm: term) {
            let version = named.first { $0.name == name }?.version
            return TerminalIdentity(name, version, evidence: "TERM=\(term)")
        }
        guard let first = named.first, named.allSatisfy({ $0.name == first.name }) else { return nil }
        return named.first { $0.version != nil } ?? first
    }

    /// Variables that name a terminal by value or by presence, each with the variable of its version.
    private static let identifying: [(variable: String, name: String?, version: String?)] = [
        ("TERM_PROGRAM", nil, "TERM_PROGRAM_VERSION"), ("LC_TERMINAL", nil, "LC_TERMINAL_VERSION"),
        ("TERMINAL_NAME", nil, "TERMINAL_VERSION_STRING"), ("VTE_VERSION", "vte", "VTE_VERSION"),
        ("KONSOLE_VERSION", "konsole", "KONSOLE_VERSION"), ("XTERM_VERSION", "xterm", "XTERM_VERSION"),
        ("KITTY_WINDOW_ID", "kitty", nil), ("WEZTERM_PANE", "wezterm", nil),
        ("ALACRITTY_WINDOW_ID", "alacritty", nil), ("WT_SESSION", "windows terminal", nil),
    ]
    static let identifyingNames = identifying.flatMap { [$0.variable, $0.version].compactMap(\.self) }

    private func identity(of source: (variable: String, name: String?, version: String?)) -> TerminalIdentity? {
        guard let value = self[source.variable] else { return nil }
        let name = source.name ?? KnownTerminals.name(ofProgram: value)
        let text = source.version.flatMap { self[$0] } ?? ""
        let isOne = source.version == nil || source.version == source.variable || text.isEmpty
        // VTE_VERSION=7801 and KONSOLE_VERSION=220400.
        let version = ["vte", "konsole"].contains(name) ? TerminalVersion(packed: text) : TerminalVersion(text)
        return TerminalIdentity(
            name, version, evidence: "\(source.variable)=\(value)" + (isOne ? "" : " \(text)"))
    }

    enum Multiplexer { case tmux, screen, zellij }

    /// The multiplexer by TERM, since a terminal started from tmux inherits its variables; zellij keeps the outer TERM.
    var multiplexer: Multiplexer? {
        if self["ZELLIJ"] != nil { return .zellij }
        let term = self["TERM"] ?? ""
        if KnownTerminals.name(ofTerm: term) != nil { return nil }
        if self["TMUX"] != nil || term.hasPrefix("tmux") { return .tmux }
        return self["STY"] != nil || term.hasPrefix("screen") ? .screen : nil
    }

    /// Whether what replies is what draws.
    var answersItself: Bool { multiplexer == nil || multiplexer == .zellij }

    var isRemote: Bool { ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"].contains { self[$0] != nil } }

    /// The variables that describe the terminal, and the address of an ssh client.
    var terminalKey: String {
        let client = (self["SSH_CONNECTION"] ?? self["SSH_CLIENT"])?.prefix { $0 != " " } ?? ""
        let described = (["TERM", "COLORTERM"] + Self.identifyingNames).compactMap { name in
            // Numbers of windows differ between terminals that draw alike.
            self[name].map { name.hasSuffix("_ID") || name.hasSuffix("_SESSION") ? name : "\(name)=\($0)" }
        }
        return (described + ["client=\(client)"]).joined(separator: " ")
    }
}
