import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite("Attention")
struct AttentionTests {
    @Test("Windows are those of libvips, by half, for nine of ten photographs")
    func windows() throws {
        let box = PixelSize(width: 160, height: 160)
        var shares: [Double] = []
        for line in TestData.bytes(of: TestData.fixture("focus/windows.tsv")).split(separator: 10) {
            let fields = String(decoding: line, as: UTF8.self).split(separator: "\t")
            let file = "\(TestData.root)/\(fields[0])"
            // Some are beside the project.
            guard TestData.exists(file) else { continue }
            let image = try ImageDecoder().decode(.file(file), to: TargetSize(box: box, fit: .cover)).pixels
            let window = image.window(box, on: .attention)
            let (left, top) = try (#require(Int(fields[1])), #require(Int(fields[2])))
            let (right, down) = (abs(window.x - left), abs(window.y - top))
            shares.append(Double(max(box.width - right, 0) * max(box.height - down, 0)) / Double(box.pixelCount))
        }
        #expect(shares.count >= 60 || TestData.shared == nil)
        #expect(shares.count { $0 >= 0.5 } * 10 >= shares.count * 9, "\(shares)")
    }
}
