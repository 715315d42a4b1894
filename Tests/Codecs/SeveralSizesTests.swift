import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite("ImageDecoder, several sizes")
struct SeveralSizesTests {
    private let decoder = ImageDecoder()
    private static let files = [
        "jpeg/420.jpg", "jpeg/progressive-420.jpg", "jpeg/cmyk.jpg", "png/rgba-8.png", "png/rgb-8-adam7.png",
    ]

    @Test(
        "One decode gives the result of each size alone, in order", arguments: files,
        ResampleFilter.allCases)
    func alike(name: String, filter: ResampleFilter) throws {
        let file = EncodedImage.file(TestData.fixture("images/\(name)"))
        let sizes = [TargetSize.box(10, 10), .original, .box(4, 7), .box(10, 10)]
        let images = try decoder.decode(file, to: sizes, filter: filter, isExact: true)
        #expect(images.completeness == .complete)
        try #require(images.buffers.count == sizes.count)
        for (picture, size) in zip(images.buffers, sizes) {
            #expect(try picture == decoder.decode(file, to: [size], filter: filter, isExact: true).pixels)
        }
        if filter == .area { #expect(try images.buffers[1] == decoder.decode(file, to: .original).pixels) }
    }

    @Test("Without sizes the completeness is still reported")
    func none() throws {
        let whole = try decoder.decode(.file(TestData.fixture("images/jpeg/420.jpg")), to: [])
        #expect(whole.completeness == .complete && whole.buffers.isEmpty)
        let cut = try decoder.decode(.file(TestData.fixture("images/damaged/cut-444-60.jpg")), to: [])
        #expect(cut.completeness != .complete)
    }

    @Test("The most demanding size decides a JPEG's scale, in any order")
    func scale() {
        let source = PixelSize(width: 6_400, height: 6_400)
        let (small, large) = (PixelSize(width: 100, height: 100), PixelSize(width: 800, height: 800))
        #expect(DCTScale.fitting(source, to: [small], .area).eighths == 1)
        #expect(DCTScale.fitting(source, to: [small, large], .area).eighths == 8)
        #expect(
            DCTScale.fitting(source, to: [large, small], .area) == DCTScale.fitting(source, to: [small, large], .area))
    }

    @Test("Sizes within the limit can exceed it together")
    func limit() {
        var limits = ImageLimits()
        limits.pixels = 1_500
        let file = EncodedImage.file(TestData.fixture("images/jpeg/420.jpg"))  // 33 x 27
        let decoder = ImageDecoder(limits: limits)
        #expect(throws: Never.self) { try decoder.decode(file, to: [.original]) }
        #expect(
            throws: CodecError(
                .pixels(needing: 1_782), "the sizes together are 1782 pixels, above the limit of 1500")
        ) { try decoder.decode(file, to: [.original, .original]) }
    }

    @Test("EXIF is returned as a TIFF block without prefix, only on request")
    func exif() throws {
        let file = EncodedImage.file(TestData.fixture("images/exif/6-big.jpg"))
        #expect(try decoder.decode(file, to: [.original]).exif == nil)
        let block = try #require(try decoder.decode(file, to: [.original], readsMetadata: true).exif)
        #expect(block.starts(with: Array("MM\0*".utf8)))
        #expect(Exif.orientation(in: block[...]) == .right)
        let png = EncodedImage.file(TestData.fixture("images/png/exif-6.png"))
        #expect(try decoder.decode(png, to: [.original], readsMetadata: true).exif.map { $0.count > 8 } == true)
        let none = EncodedImage.file(TestData.fixture("images/exif/no-tiff.jpg"))
        #expect(try decoder.decode(none, to: [.original], readsMetadata: true).exif == nil)
    }
}
