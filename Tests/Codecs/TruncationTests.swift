import SpyglassCodecs
import SpyglassPixels
import SpyglassTestSupport
import Testing

/// Decodes truncations of a file: each gives an error in one line, or at least the rows of shorter ones, and says what is missing.
///
/// Before `headerBytes` an error may be of any kind. Returns the rows of the longest truncation.
@discardableResult
func cutEverywhere(
    _ file: [UInt8], at counts: some Sequence<Int>, headerBytes: Int = 0, decoder: ImageDecoder = ImageDecoder(),
    _ check: (Int, DecodedImage) throws -> Void = { _, _ in }
) throws -> Int {
    var rows = 0
    for count in counts {
        let result = Result { () throws(CodecError) in try decoder.decode(.bytes(Array(file[..<count])), to: .original)
        }
        switch result {
        case .success(let image):
            let isExplained = image.firstWarning != nil || image.completeness == .complete
            #expect(image.rows >= rows && isExplained, "\(count) bytes")
            rows = image.rows
            try check(count, image)
        case .failure(let error):
            let isExpected = isOneLine(error.description) && (error.kind == .corrupt || count < headerBytes)
            #expect(rows == 0 && isExpected, "\(count) bytes: \(error)")
        }
    }
    return rows
}

@Suite("Truncated files")
struct TruncationTests {
    private let decoder = ImageDecoder()

    /// Files whose rows arrive once.
    static let inOneGo = [
        "jpeg/420.jpg", "jpeg/444.jpg", "jpeg/cmyk.jpg", "jpeg/restart-blocks.jpg", "jpeg/arithmetic.jpg",
        "png/rgb-8.png",
        "png/palette-4.png", "png/idat-9.png", "png/grey-1.png", "png/apng.png",
    ]
    /// Files that are refined by every scan or pass.
    static let inSeveral = [
        "jpeg/sequential-scans.jpg", "jpeg/progressive-420.jpg", "jpeg/arithmetic-progressive.jpg",
        "png/rgb-8-adam7.png",
        "png/palette-8-trns-adam7.png",
    ]

    private func bytes(_ name: String) -> [UInt8] { contents(TestData.fixture("images/\(name)")) }

    private func result(_ bytes: [UInt8]) -> Result<DecodedImage, CodecError> {
        do throws(CodecError) {
            return .success(try decoder.decode(.bytes(bytes), to: .original))
        } catch {
            return .failure(error)
        }
    }

    /// Tries every truncation; `check` gets those that give an image.
    private func cutEverywhere(_ file: [UInt8], _ check: (Int, DecodedImage) -> Void) throws {
        let rows = try SpyglassCodecsTests.cutEverywhere(file, at: file.indices, headerBytes: 12, check)
        let whole = try result(file).get()
        #expect(rows > 0 && whole.completeness == .complete && whole.warnings == 0)
    }

    @Test(
        "Every truncation gives an error or rows, more from longer files",
        arguments: inOneGo)
    func everyLength(name: String) throws {
        let file = bytes(name)
        let whole = try result(file).get().pixels
        try cutEverywhere(file) { count, image in
            let end = image.rows * whole.stride
            let isEmpty = image.pixels.bytes[end...].allSatisfy { $0 == 0 }
            #expect(isEmpty && image.pixels.bytes[..<end] == whole.bytes[..<end], "\(count) bytes")
        }
    }

    @Test("Every truncation of a progressive file gives an error or an image", arguments: inSeveral)
    func everyLengthOfFiner(name: String) throws {
        let file = bytes(name)
        try cutEverywhere(file) { count, image in
            // May be missing: a PNG's last chunk, the checksums of its data and its zlib stream.
            if image.completeness == .complete { #expect(count >= file.count - (12 + 4 + 4 + 2)) }
        }
    }

    @Test(
        "A file that lacks only its end marker is complete",
        arguments: [
            ("jpeg/420.jpg", 2), ("jpeg/420.jpg", 1), ("jpeg/progressive-420.jpg", 2), ("png/rgb-8.png", 12),
            ("png/rgb-8-adam7.png", 12),
        ])
    func lacksItsEnd(name: String, bytesMissing: Int) throws {
        let file = bytes(name)
        let whole = try result(file).get()
        let image = try result(Array(file.dropLast(bytesMissing))).get()
        #expect(image.completeness == .complete && image.pixels == whole.pixels)
    }

    @Test(
        "Without the last byte of data the last rows are missing",
        arguments: ["jpeg/420.jpg", "jpeg/444.jpg"])
    func lacksItsLastByte(name: String) throws {
        let image = try result(Array(bytes(name).dropLast(8))).get()
        #expect(image.rows < 27 && image.completeness == .truncated(rows: image.rows, of: 27))
    }

    @Test("A progressive file truncated after its first scan is degraded")
    func coarse() throws {
        let file = bytes("jpeg/progressive-420.jpg")
        let image = try result(Array(file[..<(file.count / 2)])).get()
        #expect(image.completeness == .degraded && image.pixels.isOpaque)
    }

    @Test("A large PNG in one chunk gives every row whose bytes are present")
    func exactRows() throws {
        // Stored uncompressed, so that the bytes of a row can be counted.
        let (width, height) = (100, 300)
        let file = PNGFile.gray(width: width, height: height) { x, y in UInt8(truncatingIfNeeded: x &* y) }
        let dataAt = 8 + 25 + 8 + 2 + 5
        for rows in [1, 2, 81, 82, 150, 299] {
            for count in [rows * (width + 1), (rows + 1) * (width + 1) - 1] {
                let image = try result(Array(file[..<(dataAt + count)])).get()
                #expect(image.completeness == .truncated(rows: rows, of: height))
            }
        }
    }

    @Test("A block row without hundreds of restart markers costs no earlier row", arguments: [1, 2, 5])
    func cutBetweenRestarts(rowsOfBlocks: Int) throws {
        let (width, height) = (8 * 300, 64)
        let file = JPEGFile(width: width, height: height)
        let count = file.dataStart + (rowsOfBlocks * width / 8 + 7) * JPEGFile.blockBytes
        let image = try result(Array(file.bytes[..<count])).get()
        #expect(image.completeness == .truncated(rows: rowsOfBlocks * 8, of: height) && image.warnings < 10)
        #expect(try result(file.bytes).get().completeness == .complete)
    }

    @Test("Bytes between the markers of a JPEG are a warning, however many places have them")
    func extraneous() throws {
        let plain = JPEGFile(width: 8, height: 8 * 150)
        var bytes = Array(plain.bytes[..<plain.dataStart])
        for block in 0..<150 {
            let start = plain.dataStart + block * JPEGFile.blockBytes
            // The library takes up to eight bytes ahead.
            bytes += [plain.bytes[start]] + [UInt8](repeating: 0x11, count: 29)
            bytes += plain.bytes[start + 1..<start + JPEGFile.blockBytes]
        }
        let image = try result(bytes).get()
        #expect(image.completeness == .complete && image.warnings >= 149)
        #expect(image.firstWarning?.contains("extraneous bytes before marker 0xd0") == true)
        #expect(image.pixels.bytes == (try result(plain.bytes).get().pixels.bytes))
    }

    @Test("A short segment before a restart marker loses no row: a warning")
    func shortSegment() throws {
        var file = JPEGFile(width: 8, height: 8 * 9)
        file.bytes.remove(at: file.dataStart + 3 * JPEGFile.blockBytes)
        let image = try result(file.bytes).get()
        #expect(image.completeness == .complete && image.warnings == 1)
    }

    @Test("A JPEG whose library fails after the first rows gives those rows")
    func givenUp() throws {
        var limits = ImageLimits()
        limits.warnings = 1
        var file = JPEGFile(width: 64, height: 64)
        let third = file.dataStart + 2 * 8 * JPEGFile.blockBytes
        file.bytes[third + 2] ^= 1
        let image = try ImageDecoder(limits: limits).decode(.bytes(file.bytes), to: .original)
        #expect(image.completeness == .truncated(rows: 16, of: 64))
        file.bytes[file.dataStart + 2] ^= 1
        #expect(ImageDecoder(limits: limits).failure(.bytes(file.bytes))?.kind == .corrupt)
    }

    @Test("Data without its checksum, or with a wrong one, has all of its rows", arguments: [false, true])
    func checksum(interlaced: Bool) throws {
        let data: [UInt8] = [0, 200, 0, 100]
        let stream = PNGFile.zlib(data)
        for end in [[], [1, 2, 3, 4]] as [[UInt8]] {
            var file = PNGFile(width: 1, height: 2, interlaced: interlaced)
            file.chunk("IDAT", stream.dropLast(4) + end)
            let image = try result(file.ended()).get()
            #expect(image.completeness == .complete && image.pixels.colors == [200, 100].map { RGBA($0, $0, $0) })
        }
    }

    @Test("A window that the data does not keep to does not end the image")
    func smallWindow() throws {
        // Two rows of 278 pixels: 300 bytes as they are, and 258 bytes that repeat those 300 bytes before them.
        let start = [0] + (0..<278).map { UInt8($0 % 251) } + [0] + (0..<20).map { UInt8($0) }
        let repetition: [UInt8] = [0x1B, 0x0D, 0x2B, 0x00]
        // The stream states a window of 256.
        let stream: [UInt8] = [0x08, 0x1D, 0, 0x2C, 0x01, 0xD3, 0xFE] + start + repetition
        var file = PNGFile(width: 278, height: 2)
        file.chunk("IDAT", stream + [0, 0, 0, 0])
        let image = try result(file.ended()).get()
        #expect(image.completeness == .complete && image.pixels[277, 1].red == start[257])
    }

    @Test("Image data far beyond the last row is not unpacked", arguments: [false, true])
    func tail(interlaced: Bool) throws {
        var file = PNGFile(width: 1, height: 1, interlaced: interlaced)
        file.pixels([[200] + [UInt8](repeating: 0, count: 1_000_000)])
        let lengthAt = 8 + 25
        // Reading the tail would find the wrong checksum, and the image would be incomplete.
        let end = lengthAt + 8 + file.bytes[lengthAt..<lengthAt + 4].reduce(0) { $0 << 8 | Int($1) }
        file.bytes[end] ^= 1
        let image = try result(file.ended()).get()
        #expect(image.completeness == .complete && image.pixels[0, 0] == RGBA(200, 200, 200))
    }

    @Test("A reduced truncated image ends at the same row")
    func reduced() throws {
        let file = contents(TestData.fixture("images/jpeg/large-420.jpg"))
        let half = Array(file[..<(file.count / 2)])
        let image = try decoder.decode(.bytes(half), to: .box(10, 8))
        let full = try decoder.decode(.bytes(half), to: .original, isExact: true)
        #expect(image.rows > 0 && image.rows < 180 && abs(image.rows - full.rows) <= 2)
        #expect(image.pixels[0, 0].alpha == 255 && image.pixels[0, image.pixels.size.height - 1].alpha == 0)
    }
}
