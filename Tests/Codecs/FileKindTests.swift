import Testing

@testable import SpyglassCodecs

@Suite("FileKind")
struct FileKindTests {
    private func sniff(_ bytes: [UInt8]) -> FileKind { FileKind.sniff(bytes.span) }
    private func sniff(_ text: String) -> FileKind { sniff(Array(text.utf8)) }

    @Test(
        "Formats are recognised by their first bytes",
        arguments: [
            ([0xFF, 0xD8, 0xFF, 0xE0], ImageFormat.jpeg), (PNGFile(width: 1, height: 1).bytes, .png),
            // A PNG with a damaged signature is left to the library.
            ([0x89, 0x50, 0x4E, 0x47, 0x0A, 0x1A, 0x0A], .png), ([9] + PNGFile(width: 1, height: 1).bytes[1...], .png),
            (Array("GIF87a".utf8), .gif), (Array("GIF89a".utf8), .gif),
            (Array("BM".utf8) + [UInt8](repeating: 0, count: 12) + [40, 0, 0, 0], .bmp), (Array("qoif".utf8), .qoi),
            (Array("SIMPLE  =     T".utf8), .fits), ([0, 0, 1, 0], .ico),
        ] as [([UInt8], ImageFormat)])
    func supported(start: [UInt8], format: ImageFormat) {
        #expect(sniff(start) == .image(format))
    }

    @Test(
        "A PNM file is recognised by what follows its number",
        arguments: ["P1 ", "P2\t", "P3 4 4 255 ", "P4\n8 1\n\0", "P5#", "P6\n4 4\n255\n", "P7\nWIDTH 4\n"])
    func pnm(start: String) {
        #expect(sniff(start) == .image(.pnm))
    }

    @Test(
        "HEIF and AVIF are told apart by their brand",
        arguments: [("avif", ImageFormat.avif), ("avis", .avif), ("heic", .heif), ("heix", .heif), ("mif1", .heif)])
    func brands(brand: String, format: ImageFormat) {
        #expect(sniff("\0\0\0\u{18}ftyp\(brand)") == .image(format))
    }

    @Test(
        "A HEIF or AVIF file with an unusual major brand is recognised by its compatible brands",
        arguments: [
            ("heis", ["mif1", "heic"], ImageFormat.heif), ("mif1", ["heic"], .heif), ("miaf", ["mif1", "avif"], .avif),
            ("mif1", ["miaf", "avif"], .avif), ("iso8", ["msf1", "heic"], .heif), ("heic", ["mif1", "avif"], .heif),
        ])
    func compatibleBrands(major: String, others: [String], format: ImageFormat) {
        let size = UnicodeScalar(UInt8(16 + 4 * others.count))
        #expect(sniff("\0\0\0\(size)ftyp\(major)\0\0\0\0\(others.joined())") == .image(format))
        // Bytes after the box are no brands.
        #expect(sniff("\0\0\0\u{14}ftypisom\0\0\0\0mp41\(others.joined())") == .notAnImage("a video"))
    }

    @Test(
        "Other image formats are named",
        arguments: [
            ("8BPS", "Photoshop"), ("Pf\n4 4\n-1.0\n", "PFM"), ("\0\0\u{2}\0\u{1}", "CUR"),
            ("II\u{1A}\0\0\0HEAPCCDR", "CRW (camera RAW)"), ("\0MRM", "MRW (camera RAW)"), ("FOVb", "X3F (camera RAW)"),
            ("<svg xmlns='http://www.w3.org/2000/svg'>", "SVG"),
            ("<?xml version='1.0'?>\n<!-- drawn -->\n<SVG>", "SVG"), ("\u{FEFF}  <svg>", "SVG"),
        ])
    func others(start: String, name: String) {
        #expect(sniff(start) == .otherImage(name))
    }

    @Test("JPEG XL and JPEG 2000 are recognised, bare or in boxes")
    func newerJPEGs() {
        let box: (String) -> [UInt8] = { [0, 0, 0, 12] + Array($0.utf8) + [0x0D, 0x0A, 0x87, 0x0A] }
        #expect([[0xFF, 0x0A, 0xFA], box("JXL ")].map(sniff) == [.image(.jxl), .image(.jxl)])
        let others = [[0xFF, 0x4F, 0xFF, 0x51], box("jP  ")]
        #expect(others.map(sniff) == [.otherImage("JPEG 2000"), .otherImage("JPEG 2000")])
    }

    @Test(
        "RAW files with signatures of their own are recognised",
        arguments: [
            "II*\0\u{10}\0\0\0CR\u{2}", "\0\0\0\u{18}ftypcrx ", "IIRO", "IIRS", "MMOR", "IIU\0", "FUJIFILMCCD-RAW 0201",
        ])
    func raw(start: String) {
        #expect(sniff(start) == .image(.raw))
    }

    @Test(
        "Anything but an image is named with its article",
        arguments: [
            ("<!DOCTYPE html><title>404", "a web page"), ("\n\n<html lang=en>", "a web page"),
            ("<?xml version='1.0'?><Error>", "XML"),
            ("{\"reason\": \"none\"}", "JSON"), ("[]", "JSON"), ("Not found", "text"), ("Größe", "text"),
            (" \n", "blank text"),
            ("%PDF-1.7", "a PDF document"), ("PK\u{3}\u{4}", "a ZIP archive"), ("\0\0\0\u{18}ftypisom", "a video"),
            ("RIFF\0\0\0\0AVI LIST", "an AVI video"), ("OggS\0", "an Ogg file"), ("P6x", "text"),
            ("BM and other words that are long enough", "text"), ("RIFF\0\0\0\0WEB", "an unknown file format"),
        ])
    func notImages(start: String, what: String) {
        #expect(sniff(start) == .notAnImage(what))
    }

    @Test("A character truncated at the end of the sample is still text")
    func cutCharacter() {
        for cut in ["Größe".utf8.prefix(3), "a 😀".utf8.dropLast()] { #expect(sniff(Array(cut)) == .notAnImage("text")) }
    }

    @Test(
        "Noise is an unknown file format", arguments: [[0], [0xFF], [0x80, 0x81], [0x41, 0x00, 0x42], [0xC3, 0x28]])
    func noise(bytes: [UInt8]) {
        #expect(sniff(bytes) == .notAnImage("an unknown file format"))
    }

    @Test("Every truncation of every signature is safe")
    func cuts() {
        for text in ["GIF89a", "RIFF\0\0\0\0WEBP", "\0\0\0\u{1C}ftypavif", "<?xml?><svg", "<!doctype html", "P6\n"] {
            let bytes = Array(text.utf8)
            for count in 1...bytes.count { _ = sniff(Array(bytes[..<count])) }
        }
        #expect(sniff([]) == .empty)
    }
}

@Suite("File extensions")
struct FileExtensionTests {
    @Test(
        "A name's last part names the format, in any case",
        arguments: [
            ("a.jpg", FileKind.image(.jpeg)), ("a.JPEG", .image(.jpeg)), ("x.y.jpe", .image(.jpeg)),
            (".jfif", .image(.jpeg)), ("Ä.PnG", .image(.png)), ("a.gif", .image(.gif)),
            ("a.WEBP", .image(.webp)), ("a.heic", .image(.heif)), ("a.avif", .image(.avif)),
            ("a.fits", .image(.fits)), ("a.FITS.gz", .image(.fits)), ("a.fit", .image(.fits)),
            ("a.jxl", .image(.jxl)), ("a.CR2", .image(.raw)), ("a.dng", .image(.raw)),
            ("a.x3f", .otherImage("X3F (camera RAW)")),
        ])
    func known(name: String, kind: FileKind) {
        #expect([FileKind(extensionOf: name.utf8), FileKind(extensionOf: Array(name.utf8))] == [kind, kind])
        #expect((ImageFormat(extensionOf: name.utf8) != nil) == ImageFormat.allCases.contains { kind == .image($0) })
    }

    @Test("An HEVC image is called HEIC, as its files are")
    func heic() { #expect("\(ImageFormat.heif)" == "HEIC" && ImageFormat.heif.rawValue == "heif") }

    @Test(
        "Other names are no images",
        arguments: ["", ".", "jpg", "a.", "a.jpgx", "a.xjpg", "a.jpg.", "a.toolong", "a.jp g", "a.\u{0}jpg"])
    func unknown(name: String) { #expect(FileKind(extensionOf: name.utf8) == nil) }
}
