internal import Glibc
internal import SpyglassFiles
public import SpyglassPixels

/// The capabilities of a terminal, each with its evidence.
///
///     let terminal = TerminalCapabilities.current()
///     print(terminal.color.value, terminal.color.evidence)  // truecolor COLORTERM=truecolor
///
/// Nothing is written to the terminal or read from it.
public struct TerminalCapabilities: Hashable, Sendable {
    /// The number of colours to use.
    public var color: Finding<ColorDepth>
    /// The characters to print.
    public var glyphs: Finding<GlyphSet>
    /// The whole screen.
    public var size: Finding<CellSize>
    /// The shape of a cell.
    package var aspect: Finding<CellAspect>
    /// The size of a cell in pixels; `nil` if unknown.
    public var cellPixels: Finding<PixelSize>?
    /// The ways to draw images that the terminal supports.
    package var support: PixelSupport
    /// The best way to draw one image.
    public var pixels: Finding<PixelMode> { support.best }
    /// Whether kitty images are drawn by placeholders.
    package var usesPlaceholders: Bool { support.usesPlaceholders }
    /// Whether tmux passes sequences to the terminal.
    package var isInsideTmux: Bool { support.isInsideTmux }
    /// Whether standard output is a terminal.
    public var isTerminal: Bool
    /// The maximum size of an image: the screen without one row, so that a prompt below does not scroll it away.
    public var drawingBox: CellSize { CellSize(clamping: size.value.columns, size.value.rows - 1) }

    /// A detected value and its evidence.
    public struct Finding<Value: Hashable & Sendable>: Hashable, Sendable {
        /// The value.
        public var value: Value
        /// A variable with its value, an option, or a system call; text for people, not cleaned.
        public var evidence: String

        /// Creates a finding.
        public init(_ value: Value, evidence: String) {
            self.value = value
            self.evidence = evidence
        }
    }

    /// The kernel's reply to `TIOCGWINSZ`, unchecked.
    public struct WindowReport: Hashable, Sendable {
        /// Columns; 0 is unknown.
        public var columns: UInt16
        /// Rows; 0 is unknown.
        public var rows: UInt16
        /// Width of the whole window in pixels; 0 is unknown.
        package var pixelWidth: UInt16
        /// Height of the whole window in pixels; 0 is unknown.
        package var pixelHeight: UInt16
        /// The descriptor for the evidence: `standard output`.
        package var source: String

        /// Creates a report.
        package init(columns: UInt16, rows: UInt16, pixelWidth: UInt16 = 0, pixelHeight: UInt16 = 0, source: String) {
            self.columns = columns
            self.rows = rows
            self.pixelWidth = pixelWidth
            self.pixelHeight = pixelHeight
            self.source = source
        }
    }

    /// Detects the capabilities from these inputs alone.
    ///
    /// - Parameters:
    ///   - environment: returns the value of a variable, or `nil`.
    ///   - isTerminal: whether standard output is a terminal; only recorded, since `show | less -R` needs colour, too.
    ///   - window: the kernel's report, or `nil` if no descriptor is a terminal.
    ///   - color: a requested depth, which overrides all evidence. Then a dumb TERM does not imply ASCII.
    ///   - cells: a requested screen size.
    /// - Returns: the capabilities with their evidence.
    package static func detect(
        environment: (String) -> String?, isTerminal: Bool, window: WindowReport?,
        color: Finding<ColorDepth>? = nil, cells: Finding<CellSize>? = nil
    ) -> TerminalCapabilities {
        let variables = TerminalVariables(environment)
        let depth = color ?? variables.colorDepth
        let glyphs = variables.glyphs(dumbCounts: color == nil || color?.value == .monochrome)
        var terminal = TerminalCapabilities(
            color: depth, glyphs: glyphs, size: cells ?? screenSize(window, variables),
            aspect: Finding(.standard, evidence: missingCell(window)),
            support: PixelSupport(variables, color: depth, glyphs: glyphs), isTerminal: isTerminal)
        if let window, let pixels = window.cellPixels {
            terminal.setCell(pixels, evidence: "\(pixels) pixels by TIOCGWINSZ of \(window.source)")
        }
        return terminal
    }

    /// Adds what the terminal replied.
    package mutating func learn(_ answers: TerminalAnswers) {
        support.answers = answers
        if let pixels = answers.cellPixels { setCell(pixels, evidence: "\(pixels) pixels by the terminal's reply") }
    }

    /// Sets the pixels of a cell, and with them its shape, as an option gives them.
    package mutating func setCell(_ pixels: PixelSize, evidence: String) {
        guard let aspect = CellAspect(pixels) else { return }
        self.aspect = Finding(aspect, evidence: evidence)
        cellPixels = Finding(pixels, evidence: evidence)
    }

    private static func screenSize(_ window: WindowReport?, _ variables: TerminalVariables) -> Finding<CellSize> {
        var evidence: [String] = []
        func side(_ reported: UInt16?, _ variable: String, standard: Int) -> Int {
            if let window, let reported, reported > 0 {
                evidence.append("TIOCGWINSZ of \(window.source)")
                return Int(reported)
            }
            if let text = variables[variable], let value = CellSize.side(text.utf8) {
                evidence.append("\(variable)=\(value)")
                return value
            }
            evidence.append("no window size and no \(variable): \(standard)")
            return standard
        }
        let columns = side(window?.columns, "COLUMNS", standard: CellSize.standard.columns)
        let rows = side(window?.rows, "LINES", standard: CellSize.standard.rows)
        if evidence.count == 2, evidence[0] == evidence[1] { evidence.removeLast() }
        let size = CellSize(clamping: columns, rows)
        if size.columns != columns || size.rows != rows { evidence.append("\(columns)x\(rows) is implausible") }
        return Finding(size, evidence: evidence.joined(separator: "; "))
    }

    /// Returns why the size of a cell is unknown.
    private static func missingCell(_ window: WindowReport?) -> String {
        guard let window, window.columns > 0, window.rows > 0, window.pixelWidth > 0, window.pixelHeight > 0 else {
            return "unknown cell size in pixels"
        }
        let size = "\(window.pixelWidth / window.columns)x\(window.pixelHeight / window.rows)"
        return "a cell of \(size) pixels is implausible"
    }
}

extension TerminalCapabilities.WindowReport {
    /// The pixels of a cell, rounded down; `nil` where the window reports none, or no font is like that.
    package var cellPixels: PixelSize? {
        guard columns > 0, rows > 0 else { return nil }
        return PixelSize(cellWidth: Int(pixelWidth / columns), height: Int(pixelHeight / rows))
    }

    /// The pixels of a cell, or the known ones while as many fill the window, which may end within a cell.
    package func cellPixels(known: PixelSize?) -> PixelSize? {
        guard let known, Int(pixelWidth) / known.width == columns, Int(pixelHeight) / known.height == rows else {
            return cellPixels
        }
        return known
    }
}

extension TerminalCapabilities {
    /// Detects the capabilities of this process's terminal.
    ///
    /// The window is that of standard output, else standard error, standard input or the controlling terminal. So `show | less -R`
    /// fits the screen. Writes and reads nothing. C: `getenv`, `isatty`, `ioctl(TIOCGWINSZ)`.
    public static func current(
        color: Finding<ColorDepth>? = nil, cells: Finding<CellSize>? = nil
    ) -> TerminalCapabilities {
        detect(
            environment: { name in getenv(name).map { String(cString: $0) } },
            isTerminal: isatty(STDOUT_FILENO) == 1, window: WindowReport.current(), color: color, cells: cells)
    }
}

extension TerminalCapabilities.WindowReport {
    fileprivate static func current() -> Self? {
        let standard = [
            (STDOUT_FILENO, "standard output"), (STDERR_FILENO, "standard error"), (STDIN_FILENO, "standard input"),
        ]
        let reports = standard.lazy.compactMap { Self(descriptor: $0.0, source: $0.1) }
        return reports.first { $0.columns > 0 } ?? ofControllingTerminal() ?? reports.first
    }

    private static func ofControllingTerminal() -> Self? {
        guard let terminal = try? Folder.working.open("/dev/tty") else { return nil }
        return Self(descriptor: terminal.number, source: "/dev/tty")
    }

    /// Queries a descriptor; `nil` if not a terminal; C: `ioctl(TIOCGWINSZ)`.
    init?(descriptor: Int32, source: String) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        self.init(
            columns: size.ws_col, rows: size.ws_row, pixelWidth: size.ws_xpixel, pixelHeight: size.ws_ypixel,
            source: source)
    }
}
