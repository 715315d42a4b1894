import SpyglassFetching
import SpyglassPipeline
import SpyglassPixels
import Testing

@testable import SpyglassBrowser
@testable import SpyglassTerminalUI

@Suite("CellRenderer")
struct CellRendererTests {
    @Test(
        "Parts of 2.5 pixels fill the same box, coarse and sharp, wherever they are",
        arguments: [.half, .kitty] as [PixelMode])
    func deepParts(mode: PixelMode) throws {
        var traits = TerminalTraits(size: .standard)
        traits.pixels = mode
        traits.cellPixels = PixelSize(width: 10, height: 20)
        let renderer = CellRenderer(traits)
        let picture = PixelSize(width: 4000, height: 3000)
        let address = try #require(WebAddress("http://pictures.example/1.png"))
        let whole = PictureKey(address: address, box: CellSize(clamping: 80, 22), isFull: true)
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
        let address = try #require(WebAddress("http://pictures.example/1.png"))
        let key = PictureKey(
            source: .address(address, .any), box: CellSize(clamping: 40, 20), isFull: true, turns: 1)
        let size = renderer.target(for: key).size(for: PixelSize(width: 400, height: 100))
        #expect(size.width > size.height)
        var pixels = PixelBuffer(size: size)
        for y in 0..<size.height { for x in 0..<size.width { pixels[x, y] = RGBA(x < size.width / 2 ? 255 : 0, 0, 0) } }
        let image = renderer.image(of: pixels, for: key)
        #expect(image.rows > image.columns / 2 && image.rows <= 20)
        #expect(image.cells.first?.style.background == .rgb(RGB(255, 0, 0)))
        #expect(image.cells.last?.style.background != .rgb(RGB(255, 0, 0)))
    }

    @Test("A cropped image fills its box, whatever its shape and size", arguments: [.half, .kitty] as [PixelMode])
    func cropped(mode: PixelMode) throws {
        var traits = TerminalTraits(size: .standard)
        traits.pixels = mode
        traits.cellPixels = PixelSize(width: 10, height: 20)
        let renderer = CellRenderer(traits)
        let address = try #require(WebAddress("http://pictures.example/1.png"))
        var key = PictureKey(address: address, box: CellSize(clamping: 27, 9))
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
        var traits = TerminalTraits(size: .standard)
        (traits.pixels, traits.sharesMemory) = (.kitty, sharesMemory)
        traits.cellPixels = PixelSize(width: 10, height: 20)
        let key = PictureKey(
            address: try #require(WebAddress("http://pictures.example/1.png")), box: CellSize(clamping: 16, 6))
        let renderer = CellRenderer(traits, PixelCodecs(png: { _ in [1] }, jpeg: { _, _ in [1] }))
        let image = renderer.image(of: PixelBuffer(size: PixelSize(width: 160, height: 120)), for: key)
        #expect((image.halfPayload == nil) == sharesMemory)
    }

    @Test("A large photo in sixels has the longest side that the terminal draws")
    func sixels() throws {
        var traits = TerminalTraits(size: .standard)
        traits.pixels = .sixel
        traits.cellPixels = PixelSize(width: 10, height: 20)
        let address = try #require(WebAddress("http://pictures.example/1.png"))
        let key = PictureKey(address: address, box: CellSize(clamping: 150, 60), isFull: true)
        #expect(
            CellRenderer(traits).target(for: key)
                == TargetSize(box: PixelSize(width: 1000, height: 996), allowsUpscaling: true))
        traits.maxSixelSide = nil
        #expect(
            CellRenderer(traits).target(for: key)
                == TargetSize(box: PixelSize(width: 1500, height: 1200), allowsUpscaling: true))
    }

    @Test("Error diffusion is only for the final image of one photo in full")
    func diffusion() throws {
        var traits = TerminalTraits(size: .standard)
        traits.depth = .palette16
        let renderer = CellRenderer(traits)
        var flat = PixelBuffer(size: PixelSize(width: 20, height: 20))
        for y in 0..<20 { for x in 0..<20 { flat[x, y] = RGBA(90, 90, 90) } }
        let address = try #require(WebAddress("http://pictures.example/1.png"))
        var encoder = SymbolEncoder(depth: .palette16)
        let nearest = encoder.cells(of: flat)
        for isFull in [true, false] {
            let key = PictureKey(address: address, box: CellSize(clamping: 20, 10), isFull: isFull)
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
        let address = try #require(WebAddress("http://pictures.example/1.png"))
        for isFull in [true, false] {
            let key = PictureKey(address: address, box: CellSize(clamping: 2, 1), isFull: isFull)
            let colors = renderer.image(of: pixels, for: key).cells.map(\.style.background)
            // Black of half the opacity on white, in linear light.
            #expect(colors == [isNamed ? .rgb(RGB(255, 255, 255)) : .terminalDefault, .rgb(RGB(187, 187, 187))])
        }
    }
}
