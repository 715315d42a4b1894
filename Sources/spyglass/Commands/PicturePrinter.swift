import SpyglassCodecs
import SpyglassFetching
import SpyglassPipeline
import SpyglassTerminalUI

/// Prints the pictures of `show`, and says what is wrong with them.
struct PicturePrinter {
    private let console: Console
    private let statistics: Statistics
    private var blocks: HalfBlock
    private var failures: FailureLog

    init(_ settings: Settings, _ terminal: TerminalCapabilities, _ console: Console, _ statistics: Statistics) {
        self.console = console
        self.statistics = statistics
        console.explain(terminal)
        blocks = HalfBlock(settings, terminal)
        failures = FailureLog(console, statistics)
    }

    /// 1 when anything failed or was partial.
    var code: ExitCode { failures.code }

    /// Prints a picture of this machine, or says why not.
    ///
    /// What is there of a damaged one is printed, and it counts as failed.
    mutating func print(_ image: Result<DecodedImage, ItemError>, name: String) throws(TerminalError) {
        switch image {
        case .failure(let error): failures.add(error.message(name))
        case .success(let image):
            statistics.decodedLocally()
            try print(image, note: image.note, name)
        }
    }

    /// Prints a picture that the pipeline has brought, or says why not.
    mutating func print(_ result: Result<ImageFrame, ItemError>, name: String) throws(TerminalError) {
        switch result {
        case .failure(let error): failures.add(error.message(name))
        case .success(let result):
            try print(result.image, note: result.note, name)
            guard result.freshness == .stale else { return }
            console.note("\(name) is from the disk cache and may be out of date")
        }
    }

    private mutating func print(_ image: DecodedImage, note: String?, _ name: String) throws(TerminalError) {
        console.verbose("\(name): \(image.info.size) \(image.info.format), \(image.info.colorDescription)")
        try console.print(blocks.encode(image.pixels))
        statistics.printedImage()
        if let warning = image.colorWarning { console.verbose("\(name): \(warning)") }
        if let note {
            failures.add("\(name): \(note)")
        } else if image.warnings > 0 {
            console.verbose("\(name): \(image.firstWarning ?? "damaged"), warnings: \(image.warnings)")
        }
    }
}

extension HalfBlock {
    /// Half-blocks as the options want them and the terminal can show them.
    init(_ settings: Settings, _ terminal: TerminalCapabilities) {
        self.init(
            depth: terminal.color.value, glyphs: terminal.glyphs.value, background: settings.background ?? .black)
    }
}

extension DecodedImage {
    /// What is missing of a picture, or `nil`.
    var note: String? {
        let what: String
        switch completeness {
        case .complete: return nil
        case .truncated(let rows, let all): what = "only \(rows) of \(all) rows are there"
        case .degraded: what = "it is there only in part"
        }
        return what + (firstWarning.map { " (\($0))" } ?? "")
    }
}
