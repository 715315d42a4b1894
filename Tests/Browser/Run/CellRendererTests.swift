import SpyglassFetching
import SpyglassPipeline
import SpyglassPixels
import Testing

@testable import SpyglassBrowser
@testable import SpyglassTerminalUI

@Suite("CellRenderer")
struct CellRendererTests {
    private static let address = WebAddress("http://pictures.example/1.png")

    private static func traits(_ pixels: PixelMode = .half) -> TerminalTraits {
        var traits = TerminalTraits(size: .standard)
        (traits.pixels, traits.cellPixels) = (pixels, PixelSize(width: 10, height: 20))
        return traits
    }

    private func key(_ columns: Int, _ rows: Int, isFull: Bool = false) throws -> PictureKey {
        PictureKey(address: try #require(Self.address), box: CellSize(clamping: columns, rows), isFull: isFull)
    }

    @Test(
        "Parts of 2.5 pixels fill the same box, coarse and sharp, wherever they are",
        arguments: [.half, .kitty] as [PixelMode])
    func deepParts(mode: PixelMode) throws {
        let traits = Self.traits(mode)
        let renderer = CellRenderer(traits)
        let picture = PixelSize(width: 4000, height: 3000)
        let whole = try key(80, 22, isFull: true)
        var part = whole
        let box = ImageRenderer.Options(traits, isFull: true).pixelBox(for: whole.box)
        part.partSize = box
        let width = 2.5 * Double(box.width) / Double(box.height) / 4000
        for y in stride(from: 0.2, to: 0.8, by: 0.0011) {
            part.region = ImageRegion(x: y, y: y, width: width, height: 2.5 / 3000)
            #expect(renderer.target(for: part).size(for: part.region.area(in: picture).size) == box)
        }
        let image = renderer.enlarged(PixelBuffer(size: PixelSize(width: 58, height: 44)), of: whole, for: part)
        #expect(image.columns == 80 && image.rows == 22)
    }

    @Test("A turned photo has its left edge at the top, and the shape of its turned box")
    func turned() throws {
        let renderer = CellRenderer(TerminalTraits(size: .standard))
        var key = try key(40, 20, isFull: true)
        key.turns = 1
        let size = renderer.target(for: key).size(for: PixelSize(width: 400, height: 100))
        #expect(size.width > size.height)
        var pixels = PixelBuffer(size: size)
        for y in 0..<size.height { for x in 0..<size.width { pixels[x, y] = RGBA(x < size.width / 2 ? 255 : 0, 0, 0) } }
        let image = renderer.image(of: pixels, for: key)
        #expect(image.rows > image.columns / 2 && image.rows <= 20)
        let red = [image.cells.first, image.cells.last].map { $0?.style.background == .rgb(RGB(255, 0, 0)) }
        #expect(red == [true, false])
    }

    @Test("A cropped image fills its box, whatever its shape and size", arguments: [.half, .kitty] as [PixelMode])
    func cropped(mode: PixelMode) throws {
        let renderer = CellRenderer(Self.traits(mode))
        var key = try key(27, 9)
        key.isCropped = true
        for (width, height) in [(640, 480), (480, 640), (10, 100), (3000, 40), (1, 9_000), (2, 2)] {
            let size = renderer.target(for: key).size(for: PixelSize(width: width, height: height))
            let image = renderer.preview(of: PixelBuffer(size: size), for: key)
            #expect(image.columns == 27 && image.rows == 9, "\(width)x\(height)")
        }
    }

    @Test(
        "kitty's images are made at half the size, too, except for a terminal that shares memory",
        arguments: [true, false])
    func halves(sharesMemory: Bool) throws {
        var traits = Self.traits(.kitty)
        traits.sharesMemory = sharesMemory
        let renderer = CellRenderer(traits, PixelCodecs(png: { _ in [1] }, jpeg: { _, _ in [1] }))
        let image = renderer.image(of: PixelBuffer(size: PixelSize(width: 160, height: 120)), for: try key(16, 6))
        #expect((image.halfPayload == nil) == sharesMemory)
    }

    @Test("A large photo in sixels has the longest side that the terminal draws")
    func sixels() throws {
        var traits = Self.traits(.sixel)
        for (side, width, height) in [(1000, 1000, 996), (nil, 1500, 1200)] as [(Int?, Int, Int)] {
            traits.maxSixelSide = side
            let target = CellRenderer(traits).target(for: try key(150, 60, isFull: true))
            #expect(target == TargetSize(box: PixelSize(width: width, height: height), allowsUpscaling: true))
        }
    }

    @Test("Error diffusion is only for the final image of one photo in full")
    func diffusion() throws {
        var traits = TerminalTraits(size: .standard)
        traits.depth = .palette16
        let renderer = CellRenderer(traits)
        var flat = PixelBuffer(size: PixelSize(width: 20, height: 20))
        for y in 0..<20 { for x in 0..<20 { flat[x, y] = RGBA(90, 90, 90) } }
        var encoder = SymbolEncoder(depth: .palette16)
        let nearest = encoder.cells(of: flat)
        for isFull in [true, false] {
            let key = try key(20, 10, isFull: isFull)
            #expect(renderer.preview(of: flat, for: key) == nearest)
            #expect((renderer.image(of: flat, for: key) == nearest) == !isFull)
        }
    }

    @Test("Transparent cells keep the terminal's background, unless the user named one", arguments: [false, true])
    func transparent(isNamed: Bool) throws {
        var traits = TerminalTraits(size: .standard)
        traits.background = RGB(255, 255, 255)
        traits.drawsBackground = isNamed
        let renderer = CellRenderer(traits)
        var pixels = PixelBuffer(size: PixelSize(width: 4, height: 2))
        for y in 0..<2 { for x in 2..<4 { pixels[x, y] = RGBA(0, 0, 0, 128) } }
        for isFull in [true, false] {
            let key = try key(2, 1, isFull: isFull)
            let colors = renderer.image(of: pixels, for: key).cells.map(\.style.background)
            // Black of half the opacity on white, in linear light.
            #expect(colors == [isNamed ? .rgb(RGB(255, 255, 255)) : .terminalDefault, .rgb(RGB(187, 187, 187))])
        }
    }
}
