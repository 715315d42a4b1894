/// The ways to draw images that a terminal supports, with the evidence.
///
///     var support = PixelSupport(environment: environment)
///     support.best  // octant: VTE_VERSION=7800, since 0.78
///     support.answers.add(reply)  // and perhaps another
///
/// A pure value. What a terminal replies counts more than its name.
package struct PixelSupport: Hashable, Sendable {
    /// One way to draw, with the evidence.
    package struct Candidate: Hashable, Sendable {
        package let mode: PixelMode
        /// Whether the terminal supports it; `nil`: unknown, so it is not chosen automatically.
        package let isSupported: Bool?
        /// A variable, a reply, or what is missing; text for people, not cleaned.
        package let evidence: String
    }

    /// The terminal's replies.
    package var answers = TerminalAnswers()
    /// Whether the terminal was asked, and did not reply in time.
    package var isSilent = false
    private let variables: TerminalVariables
    /// The reason if nothing but half-blocks is drawn.
    private let limit: String?

    /// Reads the variables of an environment.
    package init(environment: (String) -> String?) {
        let variables = TerminalVariables(environment)
        self.init(variables, color: variables.colorDepth, glyphs: variables.glyphs(dumbCounts: true))
    }

    init(
        _ variables: TerminalVariables, color: TerminalCapabilities.Finding<ColorDepth>,
        glyphs: TerminalCapabilities.Finding<GlyphSet>
    ) {
        self.variables = variables
        limit =
            color.value == .monochrome
            ? "no colours: \(color.evidence)"
            : glyphs.value == .ascii ? "no UTF-8: \(glyphs.evidence)" : nil
    }

    /// The best supported way for one image: kitty, iTerm2, sixel, or the finest symbols.
    package var best: TerminalCapabilities.Finding<PixelMode> { best(of: candidates) }
    /// The finest supported symbols.
    package var bestSymbols: TerminalCapabilities.Finding<PixelMode> {
        best(of: candidates.filter { $0.mode.symbols != nil })
    }

    private func best(of candidates: [Candidate]) -> TerminalCapabilities.Finding<PixelMode> {
        if let best = candidates.first(where: { $0.isSupported == true }), best.mode != .half {
            return .init(best.mode, evidence: best.evidence)
        }
        let known =
            variables.multiplexer == nil
            ? identity.map { "nothing better is known of \($0.name) (\($0.evidence))" } : nil
        return .init(.half, evidence: limit ?? known ?? candidates.first?.evidence ?? "")
    }

    /// All ways, the best one first.
    package var candidates: [Candidate] {
        let identity = identity
        let modes: [PixelMode] = [.kitty, .iterm2, .sixel, .octant, .sextant, .quadrant, .half]
        return modes.map { mode in
            let (isSupported, evidence) = support(of: mode, by: identity)
            return Candidate(mode: mode, isSupported: isSupported, evidence: evidence)
        }
    }

    /// Whether replies may tell more than name and version; `false` in tmux and screen.
    package var needsAnswers: Bool {
        guard limit == nil, variables.answersItself, variables["TERM"] != "linux" else { return false }
        guard best.value.symbols != nil, let identity else { return best.value.symbols != nil }
        return identity.version == nil || KnownTerminals.mustBeAsked(identity.name)
    }

    /// Whether kitty images are drawn by placeholders, which scroll and clip as text; always inside tmux.
    ///
    /// zellij refuses them.
    package var usesPlaceholders: Bool {
        isInsideTmux
            || variables.multiplexer != .zellij && identity.map { self.has(.placeholders, $0).0 == true } ?? false
    }

    /// Whether the terminal plays animations that it has been sent once.
    package var playsAnimations: Bool {
        variables.multiplexer == nil && identity.map { has(.animations, $0).0 == true } ?? false
    }

    /// Whether the terminal reads kitty images from this machine's shared memory.
    package var sharesMemory: Bool { answers.sharesMemory && variables.multiplexer == nil && !isRemote }

    /// The longest side of a sixel picture in pixels; `nil`: no limit.
    ///
    /// An unknown terminal may be an xterm.
    package var maxSixelSide: Int? {
        identity.map { $0.name == "xterm" } ?? true ? Sixel.maxSideOfXterm : nil
    }

    /// Whether tmux draws, and passes sequences to the terminal.
    package var isInsideTmux: Bool { variables.multiplexer == .tmux }

    /// Whether the user is connected by ssh: a late reply may reach the shell.
    package var isRemote: Bool { variables.isRemote }

    /// Identifies this terminal in later runs: the variables that describe it and, over ssh, the client's address.
    package var key: String { variables.terminalKey }

    /// The reason for missing replies.
    private var silence: String? {
        if isSilent { return "no reply in \(Int(TerminalQuery.timeout / .milliseconds(1))) ms" }
        return isRemote && !answers.isComplete ? "not asked over ssh" : nil
    }

    private var identity: TerminalIdentity? { answers.identity ?? variables.identity }

    private func support(of mode: PixelMode, by identity: TerminalIdentity?) -> (Bool?, String) {
        if mode == .half { return (true, "every terminal") }
        if let limit { return (false, limit) }
        switch variables.multiplexer {
        case .screen: return (false, "inside GNU screen")
        case .tmux: return tmuxSupport(of: mode)
        // It keeps the variables of the terminal around it.
        case .zellij where ![.kitty, .sixel].contains(mode):
            return (nil, "inside zellij the outer terminal is unknown")
        case .zellij, nil: break
        }
        switch mode {
        case .kitty where answers.drawsKitty != nil:
            let evidence = answers.drawsKitty == true ? "it answered kitty's query" : "no answer to kitty's query"
            return (answers.drawsKitty, evidence + earlier)
        case .sixel where answers.drawsSixel != nil:
            let verb = answers.drawsSixel == true ? "have" : "lack"
            return (answers.drawsSixel, "its attributes (DA1) \(verb) sixel" + earlier)
        default: break
        }
        guard let identity else { return (nil, silence ?? "unknown terminal") }
        let found = has(.draws(mode), identity)
        return (found.0, found.1 + (found.0 == nil ? silence.map { "; \($0)" } ?? "" : ""))
    }

    private var earlier: String { answers.isRemembered ? " (earlier)" : "" }

    /// Through tmux, images land at the wrong cell unless characters place them.
    private func tmuxSupport(of mode: PixelMode) -> (Bool?, String) {
        if mode.symbols != nil {
            return (nil, "inside tmux the outer terminal is unknown, and tmux may not know the characters' widths")
        }
        if mode == .sixel, let drawsSixel = answers.drawsSixel {
            return (drawsSixel, "tmux's attributes (DA1) \(drawsSixel ? "have" : "lack") sixel")
        }
        guard mode == .kitty else { return (false, "inside tmux only kitty's placeholders keep their place") }
        guard answers.drawsKitty == true, let identity = answers.identity else {
            let passing = "(set -g allow-passthrough on)"
            return (
                nil,
                answers.isComplete ? "no answer through tmux \(passing)" : "only browse asks through tmux \(passing)"
            )
        }
        let found = has(.placeholders, identity)
        return (found.0, "through tmux, placeholders: \(found.1)")
    }

    private func has(_ what: KnownTerminals.Feature, _ identity: TerminalIdentity) -> (Bool?, String) {
        // Quadrants are older than sextants.
        let finer = what == .draws(.quadrant) ? KnownTerminals.start(of: .draws(.sextant), in: identity.name) : nil
        guard let start = KnownTerminals.start(of: what, in: identity.name) ?? finer else {
            return (false, "not supported by \(identity.name) (\(identity.evidence))")
        }
        guard let start, let first = TerminalVersion(start) else {
            return (nil, "only some versions of \(identity.name) have it")
        }
        let oldest = KnownTerminals.start(of: .oldest, in: identity.name) ?? nil
        guard let version = identity.version ?? oldest.flatMap({ TerminalVersion($0) }) else {
            return (nil, "in \(identity.name) since \(start), version unknown (\(identity.evidence))")
        }
        let shown = identity.version.map { "\(identity.name) \($0)" } ?? "\(identity.name), at least \(version)"
        return (version >= first, "\(shown) (\(identity.evidence)), since \(start)")
    }
}
