internal import SpyglassPixels
internal import SpyglassTerminalUI

/// The abilities of the terminal, as far as they are known.
struct TerminalKnowledge: Sendable {
    /// The colour depth, whatever the user chose.
    var depth: ColorDepth
    /// The ways to draw images; `nil`: the traits never change.
    var pixelSupport: PixelSupport?
    /// The replies in this run; complete ones replace those of an earlier run.
    var replies = TerminalAnswers()
}

extension AppState {
    mutating func learn(_ reply: TerminalReply, _ effects: inout Effects) {
        learnPixels(reply, &effects)
        switch reply {
        case .background(let color): if !options.fixesBackground { traits.background = color }
        case .darkMode: askBackground(&effects)
        case .truecolor(true):
            // Other depths are certain: no colour, or a console's sixteen.
            guard terminal.depth == .palette256 else { return }
            terminal.depth = .truecolor
            if !options.fixesColor, preferences.color == nil { traits.depth = .truecolor }
        default: break
        }
    }

    mutating func learn(cellPixels: PixelSize?) {
        guard let cellPixels, !options.fixesCellPixels else { return }
        traits.cellPixels = cellPixels
    }

    func askBackground(_ effects: inout Effects) {
        if !options.fixesBackground { effects.append(.terminal(.background)) }
    }

    /// Draws as the user chose, else one photo as well as the terminal can, and many by half-blocks.
    mutating func choosePixels() {
        let best = traits.depth == .monochrome ? nil : terminal.pixelSupport?.best.value
        traits.pixels = preferences.pixels ?? best ?? .half
        traits.listPixels = preferences.pixels ?? .half
        traits.usesPlaceholders = terminal.pixelSupport?.usesPlaceholders ?? false
        if let support = terminal.pixelSupport { traits.maxSixelSide = support.maxSixelSide }
    }

    private mutating func learnPixels(_ reply: TerminalReply, _ effects: inout Effects) {
        let before = terminal.replies
        // The window's pixels are for terminals that report nothing else.
        terminal.replies.add(reply, window: traits.cellPixels == nil ? traits.size : nil)
        let replies = terminal.replies
        guard replies != before else { return }
        if replies.cellPixels != before.cellPixels { learn(cellPixels: replies.cellPixels) }
        traits.palette = replies.palette ?? traits.palette
        guard replies.isComplete, terminal.pixelSupport != nil else { return }
        terminal.pixelSupport?.answers = replies
        choosePixels()
        effects.append(.store(.answers(replies)))
    }
}
