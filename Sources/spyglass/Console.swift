internal import SpyglassThreads
internal import SpyglassTerminalUI

/// The two streams of one run: data on standard output, messages for people on standard error.
///
/// A line of progress stands on standard error only between two messages: whatever is printed clears it first.
final class Console: Sendable {
    private let output: any ByteSink
    private let errors: any ByteSink
    private let errorsAreTerminal: Bool
    private let isQuiet: Bool
    let isVerbose: Bool
    private let environment: Environment
    /// `nil` where nobody could see progress.
    private let progressLine: ProgressLine?
    /// The progress that is shown now; guards what is written around it.
    private let shown = Mutex<TerminalText?>(nil)

    /// Who hears what would be said while somebody else has the terminal.
    private let listener = Mutex<(@Sendable (String) -> Void)?>(nil)

    /// The streams of a run; without a terminal, nothing is said of progress.
    init(_ system: SystemServices, _ settings: Settings = Settings(), progressOn terminal: TerminalCapabilities? = nil)
    {
        output = system.output
        errors = system.errors
        errorsAreTerminal = system.errorsAreTerminal
        isQuiet = settings.isQuiet
        isVerbose = settings.isVerbose
        environment = system.environment
        progressLine = system.errorsAreTerminal && !settings.isQuiet ? terminal.map(ProgressLine.init) : nil
    }

    /// Prints data, in one write.
    func print(_ bytes: TerminalBytes) throws(TerminalError) {
        clearProgress()
        try output.write(bytes)
    }

    /// Prints text of our own making; what comes from outside must have been cleaned or escaped.
    func print(_ text: String) throws(TerminalError) { try print(TerminalBytes(escaped: text)) }

    /// Says what went wrong: one line, whatever is in it.
    func error(_ message: String) { say("spyglass: \(message)", heard: message) }

    /// Says what is worth knowing, unless --quiet.
    func note(_ message: String) {
        guard !isQuiet else { return }
        say("spyglass: \(message)", heard: message)
    }

    /// Says what only --verbose wants to know; the message is made only then.
    func verbose(_ message: @autoclosure () -> String) {
        guard isVerbose else { return }
        say("spyglass: \(message())")
    }

    /// Says, if asked to, what is drawn for and why.
    func explain(_ terminal: TerminalCapabilities) {
        verbose("colours: \(terminal.color.value.rawValue) (\(terminal.color.evidence))")
        verbose("screen: \(terminal.size.value) (\(terminal.size.evidence))")
    }

    /// Prints a report that was asked for on standard error, without the program's name.
    func report(_ line: String) { say(line) }

    /// The characters that the locale has, for messages.
    var glyphs: GlyphSet { GlyphSet(ofLocale: { environment[$0] }) }

    /// From now on messages go to `listener`; `nil` ends it.
    ///
    /// Where standard error is a file, everything is written there all the same: somebody wants to read it later.
    func divert(to listener: (@Sendable (String) -> Void)?) { self.listener.withLock { $0 = listener } }

    private func say(_ line: String, heard message: String? = nil) {
        if let listener = listener.withLock({ $0 }) {
            if let message { listener(message) }
            guard !errorsAreTerminal else { return }
        }
        clearProgress()
        // Nobody is left to tell when standard error itself cannot be written.
        try? errors.write(TerminalBytes(line: TerminalText(cleaning: line), glyphs: glyphs))
    }

    // MARK: Progress

    /// Replaces the line of progress, where people can see it.
    func progress(_ text: @autoclosure () -> String) {
        guard let progressLine else { return }
        let text = TerminalText(cleaning: text())
        shown.withLock { shown in
            guard shown != text else { return }
            shown = text
            try? errors.write(progressLine.bytes(showing: text))
        }
    }

    /// Takes the line of progress away.
    func clearProgress() { shown.withLock { clear(&$0) } }

    private func clear(_ shown: inout TerminalText?) {
        guard let progressLine, shown != nil else { return }
        shown = nil
        try? errors.write(progressLine.clear)
    }
}
