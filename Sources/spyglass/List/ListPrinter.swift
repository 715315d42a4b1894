import SpyglassCatalog
import SpyglassTerminalUI

/// Prints the items of a list, each in one write, and keeps account of what failed.
struct ListPrinter {
    /// The two forms of a list.
    enum Writer: Sendable {
        case text(ListComposer)
        case json
    }

    private var writer: Writer
    private let console: Console
    private let statistics: Statistics
    private var failures: FailureLog
    /// Items printed so far.
    private(set) var count = 0

    init(_ writer: Writer, _ console: Console, _ statistics: Statistics) {
        self.writer = writer
        self.console = console
        self.statistics = statistics
        failures = FailureLog(console, statistics)
    }

    /// 1 when any picture failed or was partial.
    var code: ExitCode { failures.code }

    /// Prints one item, and says in one line what is wrong with its picture.
    mutating func print(_ photo: Photo, _ thumbnail: Thumbnail) throws(TerminalError) {
        count += 1
        switch writer {
        case .json: try console.print(PhotoJSON.line(for: photo) + "\n")
        case .text(var composer):
            let bytes = composer.item(photo, thumbnail)
            writer = .text(composer)
            try console.print(bytes)
        }
        switch thumbnail {
        case .absent: break
        case .picture(_, let note, _):
            statistics.printedImage()
            if let note { failures.add("\(photo.id): \(note)") }
        case .failed(let reason): failures.add("\(photo.id): \(reason)")
        }
    }
}
