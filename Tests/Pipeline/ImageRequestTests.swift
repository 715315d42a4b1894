import SpyglassPipeline
import SpyglassPixels
import Testing

@Suite("ImageRequest")
struct ImageRequestTests {
    @Test("Requests for the same image at the same size are equal")
    func equality() {
        let target = TargetSize(box: PixelSize(width: 60, height: 40))
        #expect(ImageRequest(.file("a.jpg"), target: target) == ImageRequest(.file("a.jpg"), target: target))
        #expect(ImageRequest(.file("a.jpg"), target: target) != ImageRequest(.file("a.jpg"), target: .original))
    }
}
