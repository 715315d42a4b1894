import SpyglassCodecs
import SpyglassFetching
import SpyglassPipeline
import SpyglassTerminalUI

/// Prints the images of `show`, and what is wrong with them.
struct ImagePrinter {
    private let console: Console
    private let statistics: Statistics
    private var blocks: SymbolEncoder

    init(_ settings: Settings, _ console: Console, _ statistics: Statistics) {
        self.console = console
        self.statistics = statistics
        console.explain(settings.terminal)
        blocks = SymbolEncoder(settings)
    }

    func print(_ failure: Failure) { console.failed(failure.message, statistics) }

    /// Prints a file or standard input; a damaged image also counts as failed.
    mutating func print(_ image: DecodedImage, name: String) throws(TerminalError) {
        statistics.decodedLocally()
        try print(image, note: image.note, name)
    }

    mutating func print(_ frame: ImageFrame, name: String) throws(TerminalError) {
        try print(frame.image, note: frame.note, name)
        guard frame.freshness == .stale else { return }
        console.note("\(name) is from the disk cache and may be out of date")
    }

    private mutating func print(_ image: DecodedImage, note: String?, _ name: String) throws(TerminalError) {
        console.verbose("\(name): \(image.info.size) \(image.info.format), \(image.info.colorDescription)")
        try console.print(blocks.encode(image.pixels))
        statistics.printedImage()
        if let warning = image.colorWarning { console.verbose("\(name): \(warning)") }
        if let note {
            console.failed("\(name): \(note)", statistics)
        } else if image.warnings > 0 {
            console.verbose("\(name): \(image.firstWarning ?? "damaged"), warnings: \(image.warnings)")
        }
    }
}

extension SymbolEncoder {
    init(_ settings: Settings) {
        self.init(
            depth: settings.terminal.color.value, glyphs: settings.terminal.glyphs.value,
            background: settings.background ?? .black)
    }
}

extension DecodedImage {
    /// Which part of the image is missing, or `nil`.
    var note: String? {
        let missing: String
        switch completeness {
        case .complete: return nil
        case .truncated(let rows, let all): missing = "truncated: \(rows) of \(all) rows"
        case .degraded: missing = "damaged: part of the image is missing"
        }
        return missing + (firstWarning.map { " (\($0))" } ?? "")
    }
}

extension ImageFrame {
    /// Which part of the image is missing, or `nil`.
    var note: String? {
        guard let missing = image.note else { return nil }
        return transferError.map { "\(missing); \($0.description)" } ?? missing
    }
}
