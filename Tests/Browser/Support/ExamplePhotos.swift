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

    static let japanese: Photo = {
        var photo = made("jp", "国際宇宙ステーションから見た日本列島の夜景、東京湾と富士山")
        photo.photographer = "若田 光一"
        photo.date = "2014-03"
        photo.center = "JAXA"
        photo.description = "きぼうの窓から撮影。雲の切れ間に、街の明かりがはっきりと見える。"
        return photo
    }()

    static let combining: Photo = {
        var photo = made(
            "comb",
            "Cafe\u{301} Ze\u{301}ro\u{302} — a\u{308}o\u{308}u\u{308} n\u{303}: the observatory at Nan\u{303}co\u{301}n"
        )
        photo.date = "1998"
        photo.description = "Letters with marks of their own."
        return photo
    }()

    static let emoji: Photo = {
        var photo = made("emoji", "🚀 Lift-off! 👩🏽‍🚀👨‍🚀 🇯🇵🇺🇸 crew walks out to the pad ❤️")
        photo.photographer = "NASA/Joel Kowsky"
        photo.date = "2021-04-23"
        photo.center = "KSC"
        return photo
    }()

    static let longTitle: Photo = {
        var photo = made(
            "long",
            "A very long title that goes on about the composition of the regolith, the geometry of the illumination, the "
                + "processing of the mosaic, the names of all who took part, and yet more, so that it never fits into the three "
                + "lines that a title may have, whatever the screen, and pneumonoultramicroscopicsilicovolcanoconiosis besides, "
                + "which no line of a narrow screen can hold")
        photo.photographer = "Somebody With A Remarkably Long Name Of The Office Of Public Affairs And Communications"
        photo.date = "2003-09-30"
        photo.center = "GSFC"
        photo.description = "Short."
        return photo
    }()

    /// Only an id.
    static let bare = Photo(id: "PIA00001", source: "nasa")

    static let video: Photo = {
        var photo = made("video", "Perseverance rover lands on Mars")
        photo.mediaType = .video
        photo.date = "2021-02-18"
        photo.center = "JPL"
        return photo
    }()

    static let audio: Photo = {
        var photo = Photo(id: "audio", source: "nasa")
        photo.title = "Houston, we have a podcast: episode 12"
        photo.mediaType = .audio
        photo.center = "JSC"
        photo.description = "A transcript would stand here."
        return photo
    }()

    static let arabic: Photo = {
        var photo = made("arabic", "صورة القمر من محطة الفضاء الدولية")
        photo.photographer = "هزاع المنصوري"
        photo.date = "2019-09-26"
        return photo
    }()

    static func other(_ number: Int) -> Photo {
        var photo = made("n\(number)", "View of the lunar surface, frame \(number)")
        photo.photographer = "NASA"
        photo.date = "1969-07-\(number < 10 ? "0" : "")\(number)"
        photo.center = "JSC"
        photo.description = "One of a series of photographs taken from orbit."
        return photo
    }

    static func address(_ name: String) -> WebAddress? { WebAddress("https://images-assets.nasa.gov/image/\(name)") }

    private static func made(_ id: String, _ title: String) -> Photo {
        var photo = Photo(id: id, source: "nasa")
        photo.title = title
        photo.thumbnail = address("\(id)~thumb.jpg")
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
