internal import SpyglassTerminalUI

extension BrowserState {
    /// Takes in what the terminal says of itself.
    mutating func learn(_ reply: TerminalReply) {
        switch reply {
        case .background(let color):
            if !options.fixesBackground { look.background = color }
        case .cellPixels(let width, let height):
            look.aspect = CellAspect(cellWidth: width, cellHeight: height) ?? look.aspect
        case .truecolor(true):
            // Other depths were found by stronger evidence than a guess: no colour, or a console's sixteen.
            guard terminalDepth == .palette256 else { return }
            terminalDepth = .truecolor
            if !options.fixesColor, preferences.color == nil { look.depth = .truecolor }
        case .truecolor(false), .status, .attributes, .keyboard, .other: break
        }
    }

    /// What settings change takes effect at once, and is kept.
    mutating func settleSettings(since before: Preferences) {
        guard preferences != before else { return }
        want(.keepPreferences(preferences))
        if preferences.usesMouse != before.usesMouse { want(.setMouse(preferences.usesMouse)) }
        if preferences.color != before.color, !options.fixesColor {
            look.depth = preferences.color ?? terminalDepth
        }
    }

    /// Pictures that were made for another look are void.
    mutating func settleLook(since before: TerminalTraits) {
        var resized = before
        resized.size = look.size
        guard look != resized else { return }
        want(.setLook(look))
        pictures = [:]
        wishes = PictureWishes()
        seen = []
    }
}
