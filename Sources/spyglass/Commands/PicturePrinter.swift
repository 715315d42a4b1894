import SpyglassCodecs
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

    /// Prints a picture, or says why not.
    ///
    /// What is there of a damaged one is printed, and it counts as failed.
    mutating func print(_ image: Result<DecodedImage, ItemError>, name: String) throws(StreamError) {
        switch image {
        case .failure(let error): failures.add(error.message(name))
        case .success(let image):
            statistics.decoded()
            try print(image, name)
        }
    }

    private mutating func print(_ image: DecodedImage, _ name: String) throws(StreamError) {
        console.detail("\(name): \(image.info.size) \(image.info.format), \(image.info.colorDescription)")
        try console.print(blocks.encode(image.pixels))
        statistics.printedImage()
        if let note = image.note {
            failures.add("\(name): \(note)")
        } else if image.warnings > 0 {
            console.detail("\(name): \(image.firstWarning ?? "damaged"), warnings: \(image.warnings)")
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
        case .whole: return nil
        case .cut(let rows, let all): what = "only \(rows) of \(all) rows are there"
        case .incomplete: what = "it is there only in part"
        }
        return what + (firstWarning.map { " (\($0))" } ?? "")
    }
}
