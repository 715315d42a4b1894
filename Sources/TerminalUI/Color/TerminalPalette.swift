/// The sixteen colours that a terminal's user may redefine; the other 240 of 256 are the same everywhere.
package struct TerminalPalette: Hashable, Sendable {
    /// Colours 0 to 15, in the order of SGR 30–37 and 90–97.
    package let sixteen: [RGB]
    /// The colours of an unconfigured xterm (XTerm-col.ad): the default for terminals that report none.
    package static let xterm = TerminalPalette(unchecked: [
        RGB(0, 0, 0), RGB(205, 0, 0), RGB(0, 205, 0), RGB(205, 205, 0),
        RGB(0, 0, 238), RGB(205, 0, 205), RGB(0, 205, 205), RGB(229, 229, 229),
        RGB(127, 127, 127), RGB(255, 0, 0), RGB(0, 255, 0), RGB(255, 255, 0),
        RGB(92, 92, 255), RGB(255, 0, 255), RGB(0, 255, 255), RGB(255, 255, 255),
    ])

    /// Creates a palette of reported colours by index; `nil` unless all sixteen are present.
    package init?(reported colors: [Int: RGB]) {
        let sixteen = (0..<16).compactMap { colors[$0] }
        guard sixteen.count == 16 else { return nil }
        self.init(unchecked: sixteen)
    }

    private init(unchecked sixteen: [RGB]) { self.sixteen = sixteen }

    /// Colours 16 to 255: a cube of six levels, then 24 greys (xterm's 256colres.h).
    static var cubeAndGreys: [RGB] {
        let levels: [UInt8] = [0, 95, 135, 175, 215, 255]
        let cube = levels.flatMap { red in
            levels.flatMap { green in levels.map { blue in RGB(red, green, blue) } }
        }
        let greys = stride(from: UInt8(8), through: 238, by: 10).map { RGB($0, $0, $0) }
        return cube + greys
    }
}
