import SpyglassFetching
import SpyglassFiles
import SpyglassPipeline
import SpyglassTerminalUI
import SpyglassThreads

/// Prints data on standard output and messages on standard error, both after clearing the progress line.
final class Console: Sendable {
    private let output, errors: any ByteSink
    private let errorsAreTerminal, outputIsPipe, isQuiet: Bool
    let isVerbose: Bool
    /// The characters of the locale, for messages.
    let glyphs: GlyphSet
    /// `nil`: progress is not shown.
    private let progressLine: ProgressLine?
    /// The visible progress; guards the writes around it.
    private let shown = Mutex<TerminalText?>(nil)
    /// Set by the first output into a pipe: its reader would write after the progress.
    private let hidesProgress = Mutex(false)
    /// Receives messages while the browser has the terminal.
    private let listener = Mutex<(@Sendable (String) -> Void)?>(nil)

    /// Progress is shown on `terminal`; `nil` shows none.
    init(_ system: SystemServices, _ options: Options = Options(), progressOn terminal: TerminalCapabilities? = nil) {
        output = system.output
        errors = system.errors
        (errorsAreTerminal, outputIsPipe) = (system.errorsAreTerminal, system.outputIsPipe)
        isQuiet = options.isQuiet
        isVerbose = options.isVerbose
        glyphs = GlyphSet(ofLocale: { system.environment[$0] })
        progressLine = system.errorsAreTerminal && !options.isQuiet ? terminal.map(ProgressLine.init) : nil
    }

    func print(_ bytes: TerminalBytes) throws(TerminalError) {
        if outputIsPipe { hidesProgress.withLock { $0 = true } }
        clearProgress()
        try output.write(bytes)
    }

    /// Prints generated text; text from outside must be cleaned or escaped.
    func print(_ text: String) throws(TerminalError) { try print(TerminalBytes(escaped: text)) }
    func error(_ message: String) { printMessage("spyglass: \(message)", diverting: message) }

    /// Prints a note, unless --quiet.
    func note(_ message: String) { if !isQuiet { error(message) } }

    /// Prints a diagnostic, if --verbose.
    func verbose(_ message: @autoclosure () -> String) { if isVerbose { printMessage("spyglass: \(message())") } }

    func explain(_ terminal: TerminalCapabilities) {
        verbose("colours: \(terminal.color.value.rawValue) (\(terminal.color.evidence))")
        verbose("screen: \(terminal.size.value) (\(terminal.size.evidence))")
    }

    /// Prints a report on standard error, without the program's name.
    func report(_ line: String) { printMessage(line) }

    /// Prints a remark about an image on standard error, without the program's name, unless --quiet.
    func remark(_ line: String) { if !isQuiet { printMessage(line) } }

    /// Sends messages to `listener` until called with `nil`; also writes them to standard error, unless that is a terminal.
    func divert(to listener: (@Sendable (String) -> Void)?) { self.listener.withLock { $0 = listener } }

    private func printMessage(_ line: String, diverting message: String? = nil) {
        if let listener = listener.withLock({ $0 }) {
            if let message { listener(message) }
            guard !errorsAreTerminal else { return }
        }
        clearProgress()
        // Nothing can report that standard error itself fails.
        try? errors.write(TerminalBytes(line: TerminalText(cleaning: line), glyphs: glyphs))
    }

    func progress(_ text: @autoclosure () -> String) { if progressLine != nil { progress([text()]) } }

    /// Shows the first text that fits, else the last, and a bar that is full at 1.
    func progress(_ texts: [String], fraction: Double? = nil) {
        guard let progressLine, !hidesProgress.withLock({ $0 }) else { return }
        let texts = texts.map { TerminalText(cleaning: $0) }
        shown.withLock { shown in
            guard shown != texts.first else { return }
            shown = texts.first
            try? errors.write(progressLine.bytes(showing: texts, fraction: fraction))
        }
    }

    func clearProgress() {
        shown.withLock { shown in
            guard let progressLine, shown != nil else { return }
            shown = nil
            try? errors.write(progressLine.clear)
        }
    }

    func log(_ event: FetchEvent) { verbose(Self.line(for: event)) }
    func log(_ event: PipelineEvent) { if isVerbose, let line = Self.line(for: event) { verbose(line) } }

    private static func line(for event: FetchEvent) -> String {
        switch event {
        case .requestSent(let address): return "requesting \(address)"
        case .received(let address, let status, let bytes):
            return "\(address): HTTP \(status), \(ValueText.grouped(bytes)) bytes"
        case .cancelled(let address): return "\(address): cancelled"
        case .retrying(let address, let attempt, let delay, _, let offset, let reason):
            let resumed = offset > 0 ? ", resuming after \(ValueText.grouped(offset)) bytes" : ""
            return "\(address): \(reason); attempt \(attempt + 1) in \(delay.milliseconds) ms\(resumed)"
        case .hostPaused(let host, let pause): return "\(host): no request for \(pause.milliseconds) ms"
        case .cacheHit(let address, let freshness): return "\(address): from the disk cache, \(freshness)"
        case .revalidated(let address): return "\(address): not modified"
        case .stored(let address, let bytes): return "\(address): stored on disk, \(ValueText.grouped(bytes)) bytes"
        }
    }

    private static func line(for event: PipelineEvent) -> String? {
        switch event {
        case .memoryHit(let source): return "\(source.name): from memory"
        case .thumbnailHit(let source, let freshness): return "\(source.name): decoded in the disk cache, \(freshness)"
        case .coalesced(let source, .image): return "\(source.name): shares a decode in progress"
        case .coalesced(let source, .transfer): return "\(source.name): shares a transfer in progress"
        case .decoded(let source, let duration): return "\(source.name): decoded in \(duration.milliseconds) ms"
        case .cancelled(let source): return "\(source.name): cancelled"
        default: return nil
        }
    }
}

extension ImageSource {
    var name: String {
        switch self {
        case .address(let address, _): "\(address)"
        case .file(let path): path
        case .localFile(let file), .folder(let file): file.name
        case .bytes(let bytes): "\(ValueText.grouped(bytes.count)) bytes"
        }
    }
}
