import SpyglassCodecs
import SpyglassPixels
import SpyglassTerminalUI

/// Decodes pictures for the screen and prints them, and keeps account of what failed.
struct PicturePrinter {
    let statistics: Statistics?
    private let console: Console
    private let world: World
    private let stats: StatsForm?
    private let decoder: ImageDecoder
    private let isExact: Bool
    private let target: TargetSize
    private var blocks: HalfBlock
    private var code = ExitCode.success

    init(_ settings: Settings, _ world: World, _ console: Console) {
        self.console = console
        stats = settings.stats
        statistics = settings.stats.map { _ in Statistics(clock: world.clock) }
        self.world = world
        decoder = ImageDecoder(settings)
        isExact = settings.isExact
        let terminal = settings.terminal(of: world)
        console.explain(terminal)
        target = TargetSize(
            box: HalfBlock.pixelBox(for: settings.cells ?? terminal.drawingBox), enlarge: settings.enlarges,
            pixelAspect: terminal.aspect.value.halfBlockPixel)
        blocks = HalfBlock(
            depth: terminal.color.value, glyphs: terminal.glyphs.value, background: settings.background ?? .black)
    }

    /// Prints a picture, or says why not.
    ///
    /// What is there of a damaged one is printed, and it counts as failed.
    mutating func print(_ source: Result<EncodedImage, ItemError>, name: String) throws(StreamError) {
        do {
            let image = try decoder.decode(try source.get(), to: target, isExact: isExact) { false }
            statistics?.decoded()
            try print(image, name)
        } catch let error as StreamError {
            throw error
        } catch let error as ItemError {
            fail(error.message(name))
        } catch let error as DecodeError {
            fail("\(name): \(error.advice(decoder.limits))")
        } catch {
            fail("\(name): \(error)")
        }
    }

    private mutating func print(_ image: DecodedImage, _ name: String) throws(StreamError) {
        console.detail("\(name): \(image.info.size) \(image.info.format), \(image.info.colorDescription)")
        try console.print(blocks.encode(image.pixels))
        statistics?.printedImage()
        if let note = image.note {
            fail("\(name): \(note)")
        } else if image.warnings > 0 {
            console.detail("\(name): \(image.firstWarning ?? "damaged"), warnings: \(image.warnings)")
        }
    }

    private mutating func fail(_ message: String) {
        console.complain(message)
        statistics?.failed()
        code = .someFailed
    }

    /// The exit code, after the report.
    func end() -> ExitCode {
        if let statistics { console.report(statistics, stats, world) }
        return code
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
