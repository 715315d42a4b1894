struct TerminalVariables: Hashable {
    private static let names =
        [
            "NO_COLOR", "TERM", "COLORTERM", "TMUX", "STY", "ZELLIJ", "LC_ALL", "LC_CTYPE", "LANG", "COLUMNS", "LINES",
            "SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY",
        ] + identifyingNames
    private var values: [String: String] = [:]

    /// Reads the variables; an empty one counts as not set.
    init(_ environment: (String) -> String?) {
        for name in Self.names {
            if let value = environment(name), !value.isEmpty { values[name] = value }
        }
    }

    subscript(name: String) -> String? { values[name] }

    private func evidence(_ name: String) -> String { "\(name)=\(self[name] ?? "")" }

    typealias Depth = TerminalCapabilities.Finding<ColorDepth>

    /// The depth by NO_COLOR, a dumb TERM, a limited multiplexer, COLORTERM, the terminal's program and TERM, in order.
    var colorDepth: Depth {
        if self["NO_COLOR"] != nil { return Depth(.monochrome, evidence: evidence("NO_COLOR")) }
        guard let term = self["TERM"] else { return Depth(.monochrome, evidence: "TERM is not set") }
        if term == "dumb" { return Depth(.monochrome, evidence: evidence("TERM")) }
        return screenDepth(term) ?? colortermDepth ?? programDepth ?? termDepth(term)
    }

    /// GNU screen 4 garbles 24-bit colours and inherits COLORTERM; tmux (2.2) reduces them for its client, so COLORTERM counts.
    private func screenDepth(_ term: String) -> Depth? {
        if let session = self["STY"] { return Depth(.palette256, evidence: "inside GNU screen: STY=\(session)") }
        guard term.hasPrefix("screen"), self["TMUX"] == nil else { return nil }
        return Depth(.palette256, evidence: "GNU screen: \(evidence("TERM"))")
    }

    private var colortermDepth: Depth? {
        guard let value = self["COLORTERM"]?.lowercased(), value == "truecolor" || value == "24bit" else { return nil }
        return Depth(.truecolor, evidence: evidence("COLORTERM"))
    }

    /// The depth by variables that programs set; stale in a multiplexer.
    private var programDepth: Depth? {
        guard self["TMUX"] == nil, self["ZELLIJ"] == nil else { return nil }
        switch self["TERM_PROGRAM"] {
        case "Apple_Terminal":  // before macOS 26, which sets COLORTERM
            return Depth(.palette256, evidence: evidence("TERM_PROGRAM"))
        case "iTerm.app", "WezTerm", "ghostty", "vscode", "mintty", "Hyper", "rio", "WarpTerminal":
            return Depth(.truecolor, evidence: evidence("TERM_PROGRAM"))
        default: break
        }
        if self["WT_SESSION"] != nil { return Depth(.truecolor, evidence: "Windows Terminal: WT_SESSION is set") }
        if let version = self["VTE_VERSION"].flatMap({ Int($0) }), version >= Self.firstVTEWithTruecolor {
            return Depth(.truecolor, evidence: evidence("VTE_VERSION"))
        }
        if let version = xtermPatch, version >= Self.firstXtermWithTruecolor {
            return Depth(.truecolor, evidence: evidence("XTERM_VERSION"))
        }
        return nil
    }

    /// The patch number of `XTerm(379)`; xterm removes COLORTERM from its children's environment.
    private var xtermPatch: Int? {
        guard let value = self["XTERM_VERSION"], value.hasPrefix("XTerm("), value.hasSuffix(")") else { return nil }
        return Int(value.dropFirst("XTerm(".count).dropLast())
    }

    /// VTE 0.36, as VTE_VERSION writes it (termstandard/colors).
    private static let firstVTEWithTruecolor = 3600
    /// Direct colours, or the nearest of its palette (xterm's change log, patch 331).
    private static let firstXtermWithTruecolor = 331

    private func termDepth(_ term: String) -> Depth {
        func has(_ prefixes: [String]) -> Bool { prefixes.contains { term == $0 || term.hasPrefix("\($0)-") } }
        let features = term.split(separator: "-").dropFirst()
        let evidence = evidence("TERM")
        if features.contains("direct") || has(Self.truecolorNames) {
            return Depth(.truecolor, evidence: evidence)
        }
        // Every terminal named plain xterm has had 256 colours for twenty years.
        if has(["mlterm", "Apple_Terminal", "nsterm"]) || term == "xterm" || features.contains("256color") {
            return Depth(.palette256, evidence: evidence)
        }
        if term.hasSuffix("-m") || term.hasSuffix("-mono") || has(Self.monochromeNames) {
            return Depth(.monochrome, evidence: evidence)
        }
        return Depth(.palette16, evidence: evidence)
    }

    /// Terminals with 24 bits in every version of the name; ssh forwards only TERM.
    private static let truecolorNames = [
        "xterm-kitty", "xterm-ghostty", "ghostty", "alacritty", "foot", "wezterm", "contour", "rio", "konsole", "vte",
        "iTerm2.app", "iterm2", "st",
    ]
    /// Terminals without colours in terminfo, though with SGR.
    private static let monochromeNames = ["vt52", "vt100", "vt102", "vt220", "vt320", "vt420"]
}

extension GlyphSet {
    /// Creates the characters of a locale, whatever the terminal, for messages.
    ///
    /// - Parameter environment: returns the value of a variable, or `nil`.
    package init(ofLocale environment: (String) -> String?) {
        self = TerminalVariables(environment).glyphs(dumbCounts: false).value
    }
}

extension TerminalVariables {
    /// By LC_ALL, LC_CTYPE or LANG; parsed, since `nl_langinfo` needs locale data.
    ///
    /// A dumb terminal has ASCII if `dumbCounts`.
    func glyphs(dumbCounts: Bool) -> TerminalCapabilities.Finding<GlyphSet> {
        if dumbCounts {
            guard let term = self["TERM"] else { return .init(.ascii, evidence: "TERM is not set") }
            if term == "dumb" { return .init(.ascii, evidence: evidence("TERM")) }
        }
        guard let name = ["LC_ALL", "LC_CTYPE", "LANG"].first(where: { self[$0] != nil }), let locale = self[name]
        else { return .init(.ascii, evidence: "none of LC_ALL, LC_CTYPE and LANG is set") }
        return .init(Self.isUTF8(locale) ? .utf8 : .ascii, evidence: "\(name)=\(locale)")
    }

    /// Whether a locale's name, `language_TERRITORY.charset@modifier`, has the charset UTF-8 in any spelling.
    static func isUTF8(_ locale: String) -> Bool {
        guard let dot = locale.firstIndex(of: ".") else { return false }
        let charset = locale[locale.index(after: dot)...].prefix { $0 != "@" }
        return charset.lowercased().filter { $0 != "-" && $0 != "_" } == "utf8"
    }
}
