internal import Glibc
internal import SpyglassFiles

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
