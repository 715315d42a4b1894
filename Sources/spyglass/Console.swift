internal import SpyglassThreads
internal import SpyglassTerminalUI

/// The two streams of one run: data on standard output, messages on standard error.
///
/// Any output clears the progress line first.
final class Console: Sendable {
    private let output: any ByteSink
    private let errors: any ByteSink
    private let errorsAreTerminal: Bool
    private let isQuiet: Bool
    let isVerbose: Bool
    /// The characters of the locale, for messages.
    let glyphs: GlyphSet
    /// `nil`: progress is not shown.
    private let progressLine: ProgressLine?
    /// The visible progress; guards the writes around it.
    private let shown = Mutex<TerminalText?>(nil)

    /// Receives messages while the browser has the terminal.
    private let listener = Mutex<(@Sendable (String) -> Void)?>(nil)

    convenience init(_ system: SystemServices, _ settings: Settings, showsProgress: Bool = true) {
        self.init(system, settings.options, progressOn: showsProgress ? settings.terminal : nil)
    }

    init(_ system: SystemServices, _ options: Options = Options(), progressOn terminal: TerminalCapabilities? = nil) {
        output = system.output
        errors = system.errors
        errorsAreTerminal = system.errorsAreTerminal
        isQuiet = options.isQuiet
        isVerbose = options.isVerbose
        glyphs = GlyphSet(ofLocale: { system.environment[$0] })
        progressLine = system.errorsAreTerminal && !options.isQuiet ? terminal.map(ProgressLine.init) : nil
    }

    func print(_ bytes: TerminalBytes) throws(TerminalError) {
        clearProgress()
        try output.write(bytes)
    }

    /// Prints generated text; text from outside must be cleaned or escaped.
    func print(_ text: String) throws(TerminalError) { try print(TerminalBytes(escaped: text)) }

    func error(_ message: String) { printMessage("spyglass: \(message)", diverting: message) }

    /// Prints a note, unless --quiet.
    func note(_ message: String) {
        guard !isQuiet else { return }
        printMessage("spyglass: \(message)", diverting: message)
    }

    /// Prints a diagnostic, if --verbose.
    func verbose(_ message: @autoclosure () -> String) {
        guard isVerbose else { return }
        printMessage("spyglass: \(message())")
    }

    func explain(_ terminal: TerminalCapabilities) {
        verbose("colours: \(terminal.color.value.rawValue) (\(terminal.color.evidence))")
        verbose("screen: \(terminal.size.value) (\(terminal.size.evidence))")
    }

    /// Prints a report on standard error, without the program's name.
    func report(_ line: String) { printMessage(line) }

    /// Sends messages to `listener`, until called with `nil`.
    ///
    /// If standard error is a file, they are also written to it.
    func divert(to listener: (@Sendable (String) -> Void)?) { self.listener.withLock { $0 = listener } }

    private func printMessage(_ line: String, diverting message: String? = nil) {
        if let listener = listener.withLock({ $0 }) {
            if let message { listener(message) }
            guard !errorsAreTerminal else { return }
        }
        clearProgress()
        // An error of standard error itself cannot be reported.
        try? errors.write(TerminalBytes(line: TerminalText(cleaning: line), glyphs: glyphs))
    }

    func progress(_ text: @autoclosure () -> String) {
        guard progressLine != nil else { return }
        progress([text()])
    }

    /// Shows the first text that fits, else the last, and a bar that is full at 1.
    func progress(_ texts: [String], fraction: Double? = nil) {
        guard let progressLine else { return }
        let texts = texts.map { TerminalText(cleaning: $0) }
        shown.withLock { shown in
            guard shown != texts.first else { return }
            shown = texts.first
            try? errors.write(progressLine.bytes(showing: texts, fraction: fraction))
        }
    }

    func clearProgress() { shown.withLock { clear(&$0) } }

    private func clear(_ shown: inout TerminalText?) {
        guard let progressLine, shown != nil else { return }
        shown = nil
        try? errors.write(progressLine.clear)
    }
}
