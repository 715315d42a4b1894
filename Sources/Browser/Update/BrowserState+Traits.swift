internal import SpyglassTerminalUI

extension BrowserState {
    /// Takes in what the terminal says of itself.
    mutating func learn(_ reply: TerminalReply) {
        switch reply {
        case .background(let color):
            if !options.fixesBackground { traits.background = color }
        case .cellPixels(let width, let height):
            traits.aspect = CellAspect(cellWidth: width, cellHeight: height) ?? traits.aspect
        case .truecolor(true):
            // Other depths were found by stronger evidence than a guess: no colour, or a console's sixteen.
            guard terminalDepth == .palette256 else { return }
            terminalDepth = .truecolor
            if !options.fixesColor, preferences.color == nil { traits.depth = .truecolor }
        case .truecolor(false), .status, .attributes, .keyboard, .other: break
        }
    }

    /// What settings change takes effect at once, and is kept.
    mutating func reconcileSettings(since before: Preferences) {
        guard preferences != before else { return }
        want(.keepPreferences(preferences))
        if preferences.usesMouse != before.usesMouse { want(.setMouse(preferences.usesMouse)) }
        if preferences.color != before.color, !options.fixesColor {
            traits.depth = preferences.color ?? terminalDepth
        }
    }

    /// Pictures that were made for another look are void.
    mutating func reconcileTraits(since before: TerminalTraits) {
        var resized = before
        resized.size = traits.size
        guard traits != resized else { return }
        want(.setTraits(traits))
        pictures = [:]
        requests = PictureRequests()
        seen = []
    }
}
