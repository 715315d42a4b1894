import Testing

@testable import SpyglassCodecs

@Suite("File extensions")
struct FileExtensionTests {
    @Test(
        "A name's last part names the format, in any case",
        arguments: [
            ("a.jpg", FileKind.image(.jpeg)), ("a.JPEG", .image(.jpeg)), ("x.y.jpe", .image(.jpeg)),
            (".jfif", .image(.jpeg)), ("Ä.PnG", .image(.png)), ("a.gif", .image(.gif)),
            ("a.WEBP", .image(.webp)), ("a.heic", .image(.heif)), ("a.avif", .image(.avif)),
            ("a.jxl", .otherImage("JPEG XL")),
        ])
    func known(name: String, kind: FileKind) {
        #expect(FileKind(extensionOf: name.utf8) == kind)
        #expect(FileKind(extensionOf: Array(name.utf8)) == kind)
        #expect((ImageFormat(extensionOf: name.utf8) != nil) == ImageFormat.allCases.contains { kind == .image($0) })
    }

    @Test("An HEVC image is called HEIC, as its files are")
    func heic() { #expect("\(ImageFormat.heif)" == "HEIC" && ImageFormat.heif.rawValue == "heif") }

    @Test(
        "Other names are no images",
        arguments: ["", ".", "jpg", "a.", "a.jpgx", "a.xjpg", "a.jpg.", "a.toolong", "a.jp g", "a.\u{0}jpg"])
    func unknown(name: String) { #expect(FileKind(extensionOf: name.utf8) == nil) }
}
