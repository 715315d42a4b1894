import Glibc
import SpyglassCodecs
import SpyglassPixels
import SpyglassTestSupport
import Testing

@Suite("EncodedImage")
struct EncodedImageTests {
    private let decoder = ImageDecoder()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func made(_ name: String, _ bytes: [UInt8]) throws -> String {
        try folder.write(name, bytes)
        return folder.path(name)
    }

    @Test("A file gives the same image as its bytes, also of a span")
    func file() throws {
        let bytes = PNGFile.gray(width: 200, height: 900) { x, y in UInt8(truncatingIfNeeded: x ^ y) }
        let path = try made("picture", bytes)
        let image = EncodedImage(bytes.span)
        #expect(bytes.count > 2 * 65_536 && image == .bytes(bytes))
        let fromFile = try decoder.decode(.file(path), to: .original)
        let expected = try decoder.decode(image, to: .original).pixels
        #expect(fromFile.completeness == .complete && fromFile.pixels == expected)
    }

    @Test("The name is ignored: a PNG named .jpg is a PNG")
    func mislabelled() throws {
        let path = try made("photo.jpg", PNGFile.gray(width: 2, height: 1) { _, _ in 7 })
        #expect(try decoder.probe(.file(path)).format == .png)
    }

    @Test("A missing file, and what is not a file, is unreadable without blocking")
    func unreadable() {
        #expect(mkfifo(folder.path("fifo"), 0o600) == 0)
        for (path, message) in [
            (folder.path("none.png"), "cannot open: No such file or directory"),
            (folder.path, "is a folder, not a file"), (folder.path("fifo"), "is a FIFO, not a file"),
            ("/dev/zero", "is a device, not a file"), ("/dev/null", "is a device, not a file"),
        ] { #expect(decoder.failure(.file(path)) == CodecError(.unreadable, message)) }
    }

    @Test("An empty file is reported as empty")
    func empty() throws {
        #expect(try decoder.failure(.file(made("empty", [])))?.kind == .empty)
        #expect(decoder.failure(.bytes([]))?.kind == .empty)
    }

    @Test("A link is followed, a circular one is unreadable")
    func links() throws {
        let target = try made("target", PNGFile.gray(width: 1, height: 1) { _, _ in 0 })
        let link = "\(folder.path)/link"
        let loop = "\(folder.path)/loop"
        #expect(symlink(target, link) == 0 && symlink(loop, loop) == 0)
        #expect(try decoder.probe(.file(link)).size == PixelSize(width: 1, height: 1))
        #expect(decoder.failure(.file(loop))?.kind == .unreadable)
    }

    @Test("An impossible name is unreadable", arguments: ["", "a\0b"])
    func badName(path: String) {
        #expect(decoder.failure(.file(path))?.kind == .unreadable)
    }

    @Test("No outcome leaves a descriptor open")
    func descriptors() throws {
        let open = { names(in: "/proc/self/fd").count }
        let bad = try made("bad.png", Array(PNGFile.gray(width: 9, height: 9) { _, _ in 1 }.prefix(60)))
        let paths = try [bad, folder.path, made("empty", []), made("text", [0x61])]
        let before = open()
        for _ in 0..<50 { for path in paths { _ = decoder.failure(.file(path)) } }
        // Other tests open files concurrently, but far fewer.
        #expect(open() < before + 50)
    }
}
