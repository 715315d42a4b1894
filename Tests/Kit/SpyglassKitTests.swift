import SpyglassKit
import SpyglassTestSupport
import Testing

@Suite("SpyglassKit")
struct SpyglassKitTests {
    @Test("A literal with a web scheme is an address, any other a path")
    func literals() throws {
        let address = try WebAddress(validating: "https://images.example/1.jpg")
        let sources: [ImageSource] = ["https://images.example/1.jpg", "HTTPS://images.example/1.jpg"]
        #expect(sources == [.address(address), .address(address)])
        for (source, path) in [
            ("photo.jpg", "photo.jpg"), ("/srv/photo.jpg", "/srv/photo.jpg"),
            ("file:///photo.jpg", "file:///photo.jpg"),
            ("https.jpg", "https.jpg"), ("", ""), ("ftp://images.example/1.jpg", "ftp://images.example/1.jpg"),
        ] as [(ImageSource, String)] {
            #expect(source == .file(path))
        }
    }

    @Test("Only a static string can stand for a source")
    func literalType() {
        #expect(ImageSource.StringLiteralType.self == StaticString.self)
        #expect(ImageSource.self as Any.Type as? any ExpressibleByStringInterpolation.Type == nil)
    }

    @Test("One import loads an image that fits a box")
    func fitting() async throws {
        let file = ImageSource.file(TestData.fixture("images/jpeg/420.jpg"))
        let image = try await ImagePipeline().image(for: file, fitting: PixelSize(width: 16, height: 16))
        #expect(image.pixels.size == PixelSize(width: 16, height: 13))
        #expect(image.completeness == .complete && image.isFinal)
    }
}
