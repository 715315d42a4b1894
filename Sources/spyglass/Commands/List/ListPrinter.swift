import SpyglassCatalog
import SpyglassTerminalUI

/// Prints the items of a list, each in one write, and counts failures.
struct ListPrinter {
    enum Writer: Sendable {
        case text(ListComposer)
        case json
    }

    private var writer: Writer
    private let console: Console
    private let statistics: Statistics
    private(set) var count = 0

    init(_ writer: Writer, _ console: Console, _ statistics: Statistics) {
        self.writer = writer
        self.console = console
        self.statistics = statistics
    }

    mutating func print(_ photo: Photo, _ thumbnail: Thumbnail) throws {
        count += 1
        var thumbnail = thumbnail
        switch writer {
        case .json: try console.print(PhotoJSON.line(for: photo) + "\n")
        case .text(var composer):
            let bytes: TerminalBytes
            do { bytes = try composer.item(photo, thumbnail) } catch {
                thumbnail = .failed("cannot encode the image: \(error)")
                bytes = try composer.item(photo, thumbnail)
            }
            writer = .text(composer)
            try console.print(bytes)
        }
        switch thumbnail {
        case .absent: break
        case .image(_, let note, _):
            statistics.printedImage()
            if let note { console.failed("\(photo.id): \(note)", statistics) }
        case .failed(let reason): console.failed("\(photo.id): \(reason)", statistics)
        }
    }
}
