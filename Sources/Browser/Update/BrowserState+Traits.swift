internal import SpyglassTerminalUI

extension BrowserState {
    mutating func learn(_ reply: TerminalReply) {
        switch reply {
        case .background(let color):
            if !options.fixesBackground { traits.background = color }
        case .cellPixels(let width, let height):
            traits.aspect = CellAspect(cellWidth: width, cellHeight: height) ?? traits.aspect
        case .truecolor(true):
            // Other depths are certain: no colour, or a console's sixteen.
            guard terminalDepth == .palette256 else { return }
            terminalDepth = .truecolor
            if !options.fixesColor, preferences.color == nil { traits.depth = .truecolor }
        case .truecolor(false), .status, .attributes, .keyboard, .other: break
        }
    }

    mutating func reconcileSettings(since before: Preferences) {
        guard preferences != before else { return }
        emit(.keepPreferences(preferences))
        if preferences.usesMouse != before.usesMouse { emit(.setMouse(preferences.usesMouse)) }
        if preferences.color != before.color, !options.fixesColor {
            traits.depth = preferences.color ?? terminalDepth
        }
    }

    mutating func reconcileTraits(since before: TerminalTraits) {
        var resized = before
        resized.size = traits.size
        guard traits != resized else { return }
        emit(.setTraits(traits))
        pictures = [:]
        requests = PictureRequests()
        seen = []
    }
}
