import SpyglassCodecs
import SpyglassFetching
@testable import SpyglassPipeline
import SpyglassPixels
import SpyglassThreads
import Testing

@Suite("PreviewDecoder")
struct PreviewDecoderTests {
    private let request = ImageRequest(
        .address(.picture()), target: TargetSize(box: PixelSize(width: 40, height: 40)))

    private func feed(bodyLimit: Int = 64 << 20) -> PreviewDecoder {
        let feed = PreviewDecoder(request, ImageDecoder(), bodyLimit: bodyLimit, now: { .zero })
        _ = feed.append(.started(status: 200, headers: HTTPHeaders()))
        return feed
    }

    @Test("The image continues from the bytes read, whatever the chunks", arguments: [1, 7, 1000, 65_536])
    func pieces(_ size: Int) throws {
        let body = Fixture.progressive
        let feed = feed()
        for start in stride(from: 0, to: body.count * 2 / 3, by: size) {
            let chunk = Array(body[start..<min(start + size, body.count)])
            #expect(feed.append(.bytes(chunk)))
            if start.isMultiple(of: 7 * size) { _ = try feed.preview() }
        }
        _ = try feed.preview()
        let image = try #require(try feed.finish(.bytes(body)))
        let expected = try ImageDecoder().decode(.bytes(body), to: request.target)
        #expect(image.pixels == expected.pixels)
        #expect(image.completeness == .complete)
    }

    @Test("A body that differs in one byte is decoded from scratch")
    func otherBody() throws {
        var body = Fixture.progressive
        let feed = feed()
        _ = feed.append(.bytes(Array(body.prefix(4000))))
        _ = try feed.preview()
        body[3999] ^= 1
        #expect(try feed.finish(.bytes(body)) == nil)
        #expect(try feed.finish(.bytes(Array(body.prefix(3000)))) == nil)
    }

    @Test("Without bytes read the image is nil")
    func unread() throws {
        let feed = feed()
        _ = feed.append(.bytes(Fixture.progressive))
        #expect(try feed.finish(.bytes(Fixture.progressive)) == nil)
    }

    @Test("Bytes above the limit are not buffered")
    func limit() {
        let feed = feed(bodyLimit: 1000)
        #expect(feed.append(.bytes([0xff, 0xd8] + [UInt8](repeating: 0, count: 998))))
        #expect(!feed.append(.bytes([0])))
    }

    @Test("A cancelled preview leaves the decoder usable")
    func cancelledPreview() throws {
        let body = Fixture.progressive
        let feed = feed()
        _ = feed.append(.bytes(Array(body.prefix(body.count * 3 / 4))))
        let cancellation = Cancellation()
        cancellation.cancel()
        #expect(try cancellation.run { try feed.preview() } == nil)
        let image = try #require(try feed.finish(.bytes(body)))
        #expect(image.pixels == (try ImageDecoder().decode(.bytes(body), to: request.target)).pixels)
    }
}
