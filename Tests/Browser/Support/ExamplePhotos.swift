import SpyglassCatalog
import SpyglassFetching
import SpyglassPixels
import SpyglassTerminalUI

@testable import SpyglassBrowser

/// Typical photos, and difficult ones for layouts.
enum ExamplePhotos {
    static let all: [Photo] = [
        full, japanese, combining, emoji, longTitle, bare, video, audio, arabic, other(9), other(10), other(11),
        other(12),
    ]

    static let full: Photo = {
        var photo = made("as11-40-5874", "Apollo 11 Mission image - Astronaut Edwin Aldrin poses beside the flag")
        photo.photographer = "NASA/Neil Armstrong"
        photo.date = "1969-07-20T00:00:00Z"
        photo.center = "JSC"
        photo.location = "Sea of Tranquility, Moon"
        photo.keywords = ["APOLLO 11 FLIGHT", "MOON", "LUNAR SURFACE", "EXTRAVEHICULAR ACTIVITY", "FLAGS"]
        photo.description = """
            Astronaut Edwin E. Aldrin Jr., lunar module pilot of the first lunar landing mission, poses for a photograph beside \
            the deployed United States flag during an Apollo 11 extravehicular activity on the lunar surface. The lunar module \
            is on the left, and the footprints of the astronauts are clearly visible in the soil of the Moon.

            Astronaut Neil A. Armstrong, commander, took this picture with a 70mm Hasselblad lunar surface camera. While \
            astronauts Armstrong and Aldrin descended in the lunar module to explore the Sea of Tranquility region, astronaut \
            Michael Collins remained with the command and service modules in lunar orbit.
            """
        photo.credit = "NASA Johnson"
        photo.page = WebAddress("https://images.nasa.gov/details/as11-40-5874")
        photo.renditions = [
            address("as11-40-5874~orig.jpg").map {
                Rendition($0, width: 4096, height: 4096, bytes: 3_214_567, rel: "canonical")
            }
        ].compactMap(\.self)
        return photo
    }()

    static let japanese = made(
        "jp", "国際宇宙ステーションから見た日本列島の夜景、東京湾と富士山", by: "若田 光一", on: "2014-03", at: "JAXA",
        "きぼうの窓から撮影。雲の切れ間に、街の明かりがはっきりと見える。")

    static let combining = made(
        "comb",
        "Cafe\u{301} Ze\u{301}ro\u{302} — a\u{308}o\u{308}u\u{308} n\u{303}: the observatory at Nan\u{303}co\u{301}n",
        on: "1998", "Letters with marks of their own.")

    static let emoji = made(
        "emoji", "🚀 Lift-off! 👩🏽‍🚀👨‍🚀 🇯🇵🇺🇸 crew walks out to the pad ❤️", by: "NASA/Joel Kowsky", on: "2021-04-23", at: "KSC")

    static let longTitle = made(
        "long",
        "A very long title that goes on about the composition of the regolith, the geometry of the illumination, the "
            + "processing of the mosaic, the names of all who took part, and yet more, so that it never fits into the three "
            + "lines that a title may have, whatever the screen, and pneumonoultramicroscopicsilicovolcanoconiosis besides, "
            + "which no line of a narrow screen can hold",
        by: "Somebody With A Remarkably Long Name Of The Office Of Public Affairs And Communications", on: "2003-09-30",
        at: "GSFC", "Short.")

    /// Only an id.
    static let bare = Photo(id: "PIA00001", source: "nasa")

    static let video = made("video", "Perseverance rover lands on Mars", on: "2021-02-18", at: "JPL", type: .video)

    static let audio = made(
        "audio", "Houston, we have a podcast: episode 12", at: "JSC", "A transcript would stand here.", type: .audio)

    static let arabic = made("arabic", "صورة القمر من محطة الفضاء الدولية", by: "هزاع المنصوري", on: "2019-09-26")

    static func other(_ number: Int) -> Photo {
        made(
            "n\(number)", "View of the lunar surface, frame \(number)", by: "NASA",
            on: "1969-07-\(number < 10 ? "0" : "")\(number)", at: "JSC",
            "One of a series of photographs taken from orbit.")
    }

    static func address(_ name: String) -> WebAddress? { WebAddress("https://images-assets.nasa.gov/image/\(name)") }

    /// A sound has no preview.
    private static func made(
        _ id: String, _ title: String, by maker: String? = nil, on date: String? = nil, at center: String? = nil,
        _ description: String? = nil, type: MediaType = .image
    ) -> Photo {
        var photo = Photo(id: id, source: "nasa")
        photo.title = title
        photo.photographer = maker
        photo.date = date
        photo.center = center
        photo.description = description
        photo.mediaType = type
        photo.thumbnail = type == .audio ? nil : address("\(id)~thumb.jpg")
        return photo
    }

    /// A planet on black, of the given shape, in a box.
    static func picture(in box: CellSize, traits: TerminalTraits, width: Int = 4, height: Int = 3) -> CellImage {
        let pixels = SymbolSet.half.pixelBox(for: box)
        let shape = PixelSize(width: width, height: height)
        let size = TargetSize(box: pixels, allowsUpscaling: true, pixelAspect: 0.5)
            .inCells(of: SymbolSet.half.grid).size(for: shape)
        var picture = PixelBuffer(size: size)
        let radius = min(Double(size.width) / 2, Double(size.height)) * 0.42
        for y in 0..<size.height {
            for x in 0..<size.width {
                let dx = (Double(x) - Double(size.width) / 2) / 2
                let dy = Double(y) - Double(size.height) / 2
                let distance = (dx * dx + dy * dy).squareRoot()
                let light = max(0, (radius - distance) / radius) * (0.6 + 0.4 * (dx - dy) / (2 * radius))
                func channel(_ scale: Double) -> UInt8 { UInt8(min(max(12 + light * scale, 0), 255)) }
                picture[x, y] = RGBA(channel(240), channel(200), channel(150), 255)
            }
        }
        var blocks = SymbolEncoder(depth: traits.depth, glyphs: traits.glyphs)
        return blocks.cells(of: picture)
    }
}
