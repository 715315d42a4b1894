internal import SpyglassBrowser
internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassTerminalUI
internal import SpyglassThreads

/// The browser's own work between a key and the bytes of its frame, in a fixed session.
struct BrowseBench {
    private let photos: [Photo]
    private let keys: [Key]
    private let filteredPhotos: [Photo]

    private static let size = CellSize(clamping: 120, 40)
    private static let photoCount = 1_000
    private static let filteredCount = 10_000
    /// The bytes of a description; in NASA's archive they have about so many.
    private static let descriptionLength = 800
    private static let imageCount = 8

    init(scale: Double) {
        photos = SamplePhotos.list(max(Int(Double(Self.photoCount) * scale), 300))
        filteredPhotos = SamplePhotos.list(
            max(Int(Double(Self.filteredCount) * scale), 300), descriptionLength: Self.descriptionLength)
        keys = Array(Self.script.prefix(max(Int(Double(Self.script.count) * scale), 1)))
    }

    /// Scroll a list, open some photos, change the view, open the help.
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
            .timed("browse.session", .framesPerSecond) { (pressing(keys, in: browser(photos)), nil) },
            .timed("browse.filter", .framesPerSecond) { (filter(), nil) },
            .counted("browse.down.bytes", .bytesPerFrame) {
                let (full, down) = stepBytes()
                return (Double(down), ("full repaint", Double(full)))
            },
        ]
    }

    private func browser(_ photos: [Photo], pageCount: Int = 100) -> HeadlessBrowser {
        let pool = CellImagePool(count: Self.imageCount)
        return HeadlessBrowser(TerminalTraits(size: Self.size), photos, pageCount: pageCount) { pool.image($0, $1) }
    }

    private func pressing(_ keys: [Key], in start: HeadlessBrowser) -> Workload {
        Workload(of: keys.count) {
            var browser = start
            var painter = Painter(size: Self.size, depth: .truecolor)
            for key in keys {
                browser.press(key)
                blackHole(painter.paint(browser.screen))
            }
        }
    }

    /// Types a word that is in no text, then deletes it.
    private func filter() -> Workload {
        var start = browser(filteredPhotos, pageCount: filteredPhotos.count)
        start.press(Key(.character("&")))
        let letters = "setae".map { Key(.character($0)) }
        return pressing(letters + .pressing(.backspace, letters.count), in: start)
    }

    /// The bytes of a whole screen, and of one step down in a list that scrolls.
    private func stepBytes() -> (full: Int, down: Int) {
        var browser = browser(photos)
        for key in [Key].pressing(.down, 20) { browser.press(key) }
        var painter = Painter(size: Self.size, depth: .truecolor)
        let full = painter.paint(browser.screen).bytes.raw.count
        browser.press(Key(.down))
        return (full, painter.paint(browser.screen).bytes.raw.count)
    }
}

extension [Key] {
    static func pressing(_ code: Key.Code, _ times: Int = 1) -> [Key] { [Key](repeating: Key(code), count: times) }
}

final class CellImagePool: Sendable {
    private let count: Int
    private let images = Mutex<[CellSize: [CellImage]]>([:])

    init(count: Int) { self.count = count }

    func image(_ number: Int, _ box: CellSize) -> CellImage {
        images.withLock { images in
            if let made = images[box] { return made[number % count] }
            var blocks = SymbolEncoder(depth: .truecolor)
            let made = (1...count).map { blocks.cells(of: SampleImage(filling: box, seed: UInt64($0)).pixels()) }
            images[box] = made
            return made[number % count]
        }
    }
}

enum SamplePhotos {
    /// Photos with titles, makers and descriptions; the descriptions are repeated up to a length.
    static func list(_ count: Int, descriptionLength: Int = 0) -> [Photo] {
        (0..<count).map { photo($0, descriptionLength: descriptionLength) }
    }

    private static func photo(_ number: Int, descriptionLength: Int) -> Photo {
        var photo = Photo(id: "PIA\(10_000 + number)", source: "nasa")
        photo.title = "Photograph \(number) of a planet and its moons, seen from afar"
        photo.photographer = "NASA/Photographer \(number % 17)"
        photo.date = "19\(60 + number % 40)-0\(1 + number % 9)-12T00:00:00Z"
        photo.center = ["JPL", "JSC", "GSFC", "KSC"][number % 4]
        let sentence = "What is seen on photograph \(number), at some length, so that lines are broken and cut."
        let count = max(descriptionLength / sentence.utf8.count, 1)
        photo.description = [String](repeating: sentence, count: count).joined(separator: " ")
        photo.keywords = ["planet", "moon \(number % 60)"]
        photo.page = WebAddress("https://images.nasa.gov/details/\(photo.id)")
        photo.thumbnail = WebAddress("https://images-assets.nasa.gov/image/\(photo.id)~thumb.jpg")
        for (name, width) in [("thumb", 640), ("medium", 1280), ("orig", 4000)] {
            guard let address = WebAddress("https://images-assets.nasa.gov/image/\(photo.id)~\(name).jpg") else {
                continue
            }
            photo.renditions.append(Rendition(address, width: width, height: width * 3 / 4))
        }
        return photo
    }
}
