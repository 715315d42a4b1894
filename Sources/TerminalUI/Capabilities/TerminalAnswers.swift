package import SpyglassPixels

/// A terminal's replies to the queries of `TerminalProbe`.
///
///     answers.add(reply)
///     support.answers = answers
package struct TerminalAnswers: Hashable, Sendable {
    /// Name and version (XTVERSION, else DA2).
    var identity: TerminalIdentity?
    /// Whether the terminal replied to kitty's query; `nil` before DA1.
    var drawsKitty: Bool?
    /// Whether the attributes (DA1) have sixel; `nil` before them.
    var drawsSixel: Bool?
    /// The pixels of a cell.
    package var cellPixels: PixelSize?
    /// Whether the terminal reads this machine's shared memory; not stored, since it may run elsewhere next time.
    private(set) var sharesMemory = false

    /// The background (OSC 11); not stored, since themes change.
    package private(set) var background: RGB?
    /// The colours by index (OSC 4), not stored either.
    private var colors: [Int: RGB] = [:]

    /// The sixteen colours; `nil` unless all have been reported.
    package var palette: TerminalPalette? { TerminalPalette(reported: colors) }

    /// Whether the terminal replied in an earlier run.
    private(set) var isRemembered = false

    /// Creates the answers of a terminal that has not replied.
    package init() {}

    /// Whether DA1 has arrived, the last query, to which every terminal replies.
    package var isComplete: Bool { drawsSixel != nil }

    /// Adds a reply; a contradicting or implausible one counts as none.
    ///
    /// - Parameters:
    ///   - reply: any reply; others than those to image queries change nothing.
    ///   - window: the size in cells, for the pixels of the whole window.
    package mutating func add(_ reply: TerminalReply, window: CellSize? = nil) {
        switch reply {
        case .version(let text): identity = TerminalIdentity(reported: text) ?? identity
        case .secondaryAttributes(let numbers): identity = identity ?? TerminalIdentity(secondary: numbers)
        case .graphics(let isSupported): (drawsKitty, isRemembered) = (isSupported, false)
        case .sharedMemory(let isShared): sharesMemory = isShared
        case .background(let color): background = color
        case .color(let index, let color): colors[index] = color
        case .cellPixels(let width, let height):
            cellPixels = PixelSize(cellWidth: width, height: height) ?? cellPixels
        case .windowPixels(let width, let height):
            // Less exact than a cell's own size.
            guard cellPixels == nil, let window else { return }
            cellPixels = PixelSize(cellWidth: width / window.columns, height: height / window.rows)
        case .attributes(let numbers):
            // The first number is the terminal's class (DEC's VT340 manual): 4 would be a VT132.
            drawsSixel = numbers.dropFirst().contains(4)
            drawsKitty = drawsKitty ?? false
        default: break
        }
    }
}

extension TerminalAnswers {
    /// One line with the answers that outlive a session: `kitty 0.40.0;1;0;9x18`.
    package var stored: String {
        [identity?.reported ?? "", Self.text(drawsKitty), Self.text(drawsSixel), cellPixels.map { "\($0)" } ?? ""]
            .joined(separator: ";")
    }

    /// Reads the text form; `nil` for any other text.
    package init?(stored text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { String($0) ?? "" }
        guard text.utf8.count <= 100, parts.count == 4, let kitty = Self.flag(parts[1]), let sixel = Self.flag(parts[2])
        else { return nil }
        identity = TerminalIdentity(reported: parts[0], evidence: "an earlier reply")
        guard parts[0].isEmpty || identity != nil else { return nil }
        (drawsKitty, drawsSixel) = (kitty, sixel)
        cellPixels = PixelSize(parsingCell: parts[3])
        guard parts[3].isEmpty || cellPixels != nil else { return nil }
        isRemembered = true
    }

    private static func text(_ flag: Bool?) -> String { flag.map { $0 ? "1" : "0" } ?? "" }

    private static func flag(_ text: String) -> Bool?? {
        switch text {
        case "": .some(nil)
        case "0": .some(false)
        case "1": .some(true)
        default: nil
        }
    }
}
