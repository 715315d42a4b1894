internal import SpyglassBrowser
internal import SpyglassCatalog
internal import SpyglassFetching
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
        photos = (0..<count).map(Self.photo)
        keys = Array(Self.script.prefix(max(Int(Double(Self.script.count) * scale), 1)))
    }

    /// Read down a list, look at some photos in full, change the view, ask for help.
    static let script: [Key] =
        keys(.down, 20) + keys(.pageDown, 8) + keys(.up, 6) + keys(.enter) + keys(.character("n"), 6) + keys(.escape)
        + keys(.character("v")) + keys(.down, 12) + keys(.pageDown, 6) + keys(.character("+"), 2) + keys(.end)
        + keys(.character("v")) + keys(.pageUp, 6) + keys(.character("?")) + keys(.escape) + keys(.character("/"))
        + "apollo 11".map { Key(.character($0)) } + keys(.escape) + keys(.home) + keys(.character("-"), 2)

    private static func keys(_ code: Key.Code, _ times: Int = 1) -> [Key] {
        [Key](repeating: Key(code), count: times)
    }

    var figures: [Figure] {
        [
            .timed("browse.session", .framesPerSecond) { (session(), nil) },
            .counted("browse.session.bytes", .bytesPerFrame) { (bytesOfSession(), nil) },
            .counted("browse.down.bytes", .bytesPerFrame) {
                let (full, down) = bytesOfStep()
                return (Double(down), ("full repaint", Double(full)))
            },
        ]
    }

    private func rehearsal() -> BrowserRehearsal {
        let shelf = PictureShelf(count: Self.pictureCount)
        return BrowserRehearsal(TerminalLook(size: Self.size), photos) { shelf.picture($0, $1) }
    }

    private func session() -> Work {
        let start = rehearsal()
        return Work(of: keys.count) {
            var rehearsal = start
            var painter = Painter(size: Self.size, depth: .truecolor)
            for key in keys {
                rehearsal.press(key)
                keep(painter.paint(rehearsal.screen))
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
        for key in Self.keys(.down, 20) { rehearsal.press(key) }
        var painter = Painter(size: Self.size, depth: .truecolor)
        let full = painter.paint(rehearsal.screen).bytes.raw.count
        rehearsal.press(Key(.down))
        return (full, painter.paint(rehearsal.screen).bytes.raw.count)
    }

    private static func photo(_ number: Int) -> Photo {
        var photo = Photo(id: "PIA\(10_000 + number)", source: "nasa")
        photo.title = "Photograph \(number) of a planet and its moons, seen from afar"
        photo.photographer = "NASA/Photographer \(number % 17)"
        photo.date = "19\(60 + number % 40)-0\(1 + number % 9)-12T00:00:00Z"
        photo.center = ["JPL", "JSC", "GSFC", "KSC"][number % 4]
        photo.description = "What is seen on photograph \(number), at some length, so that lines are broken and cut."
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
