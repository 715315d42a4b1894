internal import SpyglassBrowser
internal import SpyglassCatalog
internal import SpyglassPixels
internal import SpyglassTerminalUI

/// The browser's own work between a key and the bytes of its frame, in a session that is always the same.
struct BrowseBench {
    private let photos: [Photo]
    private let keys: [Key]

    /// The screen on which the design counts bytes.
    private static let size = CellSize(clamping: 120, 40)
    private static let photoCount = 1_000
    /// Different pictures of a size.
    private static let pictureCount = 8

    init(scale: Double) {
        let count = max(Int(Double(Self.photoCount) * scale), 300)
        photos = SamplePhotos.list(count)
        keys = Array(Self.script.prefix(max(Int(Double(Self.script.count) * scale), 1)))
    }

    /// Read down a list, look at some photos in full, change the view, ask for help.
    static let script: [Key] = steps.flatMap { $0 }

    private static let steps: [[Key]] = [
        .pressing(.down, 20), .pressing(.pageDown, 8), .pressing(.up, 6), .pressing(.enter),
        .pressing(.character("n"), 6), .pressing(.escape), .pressing(.character("v")), .pressing(.down, 12),
        .pressing(.pageDown, 6), .pressing(.character("+"), 2), .pressing(.end), .pressing(.character("v")),
        .pressing(.pageUp, 6), .pressing(.character("?")), .pressing(.escape), .pressing(.character("/")),
        "apollo 11".map { Key(.character($0)) }, .pressing(.escape), .pressing(.home), .pressing(.character("-"), 2),
    ]

    var benchmarks: [Benchmark] {
        [
            .timed("browse.session", .framesPerSecond) { (session(), nil) },
            .counted("browse.session.bytes", .bytesPerFrame) { (bytesOfSession(), nil) },
            .counted("browse.down.bytes", .bytesPerFrame) {
                let (full, down) = bytesOfStep()
                return (Double(down), ("full repaint", Double(full)))
            },
        ]
    }

    private func rehearsal() -> HeadlessBrowser {
        let shelf = CellImagePool(count: Self.pictureCount)
        return HeadlessBrowser(TerminalTraits(size: Self.size), photos) { shelf.picture($0, $1) }
    }

    private func session() -> Workload {
        let start = rehearsal()
        return Workload(of: keys.count) {
            var rehearsal = start
            var painter = Painter(size: Self.size, depth: .truecolor)
            for key in keys {
                rehearsal.press(key)
                blackHole(painter.paint(rehearsal.screen))
            }
        }
    }

    private func bytesOfSession() -> Double {
        var rehearsal = rehearsal()
        var painter = Painter(size: Self.size, depth: .truecolor)
        var bytes = 0
        for key in keys {
            rehearsal.press(key)
            bytes += painter.paint(rehearsal.screen).bytes.raw.count
        }
        return Double(bytes) / Double(keys.count)
    }

    /// The bytes of a whole screen, and of one photo further down where the list has begun to scroll.
    private func bytesOfStep() -> (full: Int, down: Int) {
        var rehearsal = rehearsal()
        for key in [Key].pressing(.down, 20) { rehearsal.press(key) }
        var painter = Painter(size: Self.size, depth: .truecolor)
        let full = painter.paint(rehearsal.screen).bytes.raw.count
        rehearsal.press(Key(.down))
        return (full, painter.paint(rehearsal.screen).bytes.raw.count)
    }
}
