/// WebP, PNG, GIF, BMP and JPEG XL.
extension ContainerWriter {
    // MARK: JPEG XL (ISO 18181-2)

    mutating func jxl() {
        hexadecimal("0000000c4a584c200d0a870a")
        box("ftyp") { $0.text("jxl \0\0\0\0jxl ") }
        let isFirst = oneOf([false, true])
        func exif(_ file: inout ContainerWriter) {
            file.box("Exif") { box in
                box.number(0, 4)
                box.exif()
            }
        }
        if isFirst { repeated([1]) { file, _ in exif(&file) } }
        box("jxlc") { $0.hexadecimal("ff0a41404071210802010054004b188b15c241015e20028048000000000000000000") }
        if !isFirst { exif(&self) }
    }

    // MARK: WebP (RFC 9649)

    private mutating func chunk(_ name: String, _ content: (inout ContainerWriter) -> Void) {
        text(name)
        let start = bytes.count
        sized(4, content)
        zeros((bytes.count - start) % 2)
    }

    mutating func webp() {
        isBigEndian = false
        let (isExtended, isAnimated, hasAlpha) = (oneOf([false, true]), oneOf([false, true]), oneOf([false, true]))
        text("RIFF")
        sized(4) { file in
            file.text("WEBP")
            guard isExtended else { return file.webpImage(hasAlpha: false) }
            file.chunk("VP8X") { chunk in
                chunk.plain(0x28 | (isAnimated ? 0x02 : 0) | (hasAlpha ? 0x10 : 0), 4)
                chunk.number(7, 3)
                chunk.number(7, 3)
            }
            file.repeated([1]) { file, _ in file.chunk("ICCP") { $0.zeros(128) } }
            if isAnimated {
                file.chunk("ANIM") { chunk in
                    chunk.zeros(4)
                    chunk.number(0, 2)
                }
                file.repeated { file, _ in
                    file.chunk("ANMF") { frame in
                        for value in [0, 0, 7, 7, 100] { frame.number(value, 3) }
                        frame.zeros(1)
                        frame.webpImage(hasAlpha: hasAlpha)
                    }
                }
            } else {
                file.webpImage(hasAlpha: hasAlpha)
            }
            file.chunk("EXIF") { $0.exif() }
        }
    }

    private mutating func webpImage(hasAlpha: Bool) {
        if hasAlpha { chunk("ALPH") { $0.hexadecimal("010750c088084444ff03") } }
        if !hasAlpha, oneOf([false, true]) {
            chunk("VP8L") { $0.hexadecimal("2f07c001000750b22257a6ff8188e87f00") }
        } else {
            chunk("VP8 ") { chunk in
                chunk.hexadecimal("7001009d012a")
                chunk.number(8, 2)
                chunk.number(8, 2)
                chunk.hexadecimal("07409625a0027401400000fccaeb8b9b230d7a95843764c80000")
            }
        }
    }

    // MARK: PNG and APNG (PNG specification, third edition)

    private mutating func pngChunk(_ name: String, _ content: (inout ContainerWriter) -> Void) {
        let start = bytes.count + 4
        sized(4, plus: -4) { chunk in
            chunk.text(name)
            content(&chunk)
        }
        plain(Int(PNGTarget.checksum(bytes[start...])), 4)
    }

    mutating func png() {
        let (color, channels) = oneOf([(0, 1), (2, 3), (3, 1), (6, 4)])
        let rows = [UInt8]((0..<8).flatMap { _ in [0] + [UInt8](repeating: 0, count: 8 * channels) })
        let isAnimated = oneOf([false, true])
        add([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        pngChunk("IHDR") { chunk in
            chunk.number(8, 4)
            chunk.number(8, 4)
            chunk.add([8, UInt8(color), 0, 0, 0])
        }
        if oneOf([false, true]) {
            pngChunk("iCCP") { chunk in
                chunk.text("a profile\0\0")
                chunk.zlib([UInt8](repeating: 0, count: 128))
            }
        }
        if color == 3 {
            pngChunk("PLTE") { $0.repeated([4], upTo: 257) { chunk, _ in chunk.add([1, 2, 3]) } }
            pngChunk("tRNS") { $0.repeated([4], upTo: 257) { chunk, _ in chunk.add([9]) } }
        }
        pngChunk("eXIf") { $0.exif() }
        var sequence = 0
        if isAnimated {
            pngChunk("acTL") { chunk in
                chunk.number(2, 4)
                chunk.number(0, 4)
            }
            frameControl(&sequence)
        }
        repeated([1]) { file, _ in file.pngChunk("IDAT") { $0.zlib(rows) } }
        if isAnimated {
            frameControl(&sequence)
            repeated([1]) { file, _ in
                file.pngChunk("fdAT") { chunk in
                    chunk.number(sequence, 4)
                    chunk.zlib(rows)
                }
            }
        }
        pngChunk("IEND") { _ in }
    }

    private mutating func frameControl(_ sequence: inout Int) {
        let number = sequence
        pngChunk("fcTL") { chunk in
            for value in [number, 8, 8, 0, 0] { chunk.number(value, 4) }
            chunk.number(1, 2)
            chunk.number(10, 2)
            chunk.add([0, 0])
        }
        sequence += 1
    }

    /// A zlib stream of one stored block (RFC 1950, RFC 1951 section 3.2.4).
    mutating func zlib(_ data: [UInt8]) {
        let outer = isBigEndian
        isBigEndian = false
        add([0x78, 0x01, 0x01])
        number(data.count, 2)
        plain(~data.count, 2)
        add(data)
        isBigEndian = true
        let sums = data.reduce((1, 0)) { sums, byte in
            let first = (sums.0 + Int(byte)) % 65_521
            return (first, (sums.1 + first) % 65_521)
        }
        plain(sums.1 << 16 | sums.0, 4)
        isBigEndian = outer
    }

    /// What `zlib` adds.
    static let zlibBytes = 11

    // MARK: GIF (GIF89a specification)

    mutating func gif() {
        isBigEndian = false
        text("GIF89a")
        number(8, 2)
        number(8, 2)
        // 128 colours.
        add([0x86, 0, 0])
        add((0..<128).flatMap { [UInt8($0), 0, 0] })
        if oneOf([false, true]) {
            add([0x21, 0xFF])
            sized(1) { $0.text("NETSCAPE2.0") }
            sized(1) { block in
                block.plain(1, 1)
                block.number(0, 2)
            }
            zeros(1)
        }
        repeated { file, _ in
            file.add([0x21, 0xF9])
            file.sized(1) { block in
                block.plain(block.oneOf([0, 4, 8, 12]), 1)
                block.number(10, 2)
                block.number(0, 1)
            }
            file.zeros(1)
            file.add([0x2C])
            for value in [0, 0, 8, 8] { file.number(value, 2) }
            file.zeros(1)
            // Codes of eight bits as long as the table has fewer than 256: clear, 64 pixels, end.
            file.number(7, 1)
            file.repeated([1]) { file, _ in
                file.sized(1) { $0.add([128] + [UInt8](repeating: 5, count: 64) + [129]) }
            }
            file.zeros(1)
        }
        add([0x3B])
    }

    // MARK: BMP

    mutating func bmp() {
        isBigEndian = false
        let headerBytes = oneOf([12, 40, 52, 56, 64, 108, 124])
        let isCore = headerBytes == 12
        let (bits, compression) = oneOf(
            isCore ? [(1, 0), (4, 0), (8, 0), (24, 0)] : [(1, 0), (4, 0), (8, 0), (8, 1), (16, 0), (24, 0), (32, 0)])
        let hasMasks = headerBytes == 40 && bits > 8 && bits != 24 && oneOf([false, true])
        text("BM")
        number(0, 4)
        zeros(4)
        offset("pixels", 4)
        let start = bytes.count
        number(headerBytes, 4)
        number(8, isCore ? 2 : 4)
        number(oneOf(isCore ? [8] : [8, -8]), isCore ? 2 : 4)
        plain(1, 2)
        number(bits, 2)
        if !isCore {
            plain(hasMasks ? 3 : compression, 4)
            number(0, 4)
            zeros(8)
            number(bits <= 8 ? 1 << bits : 0, 4)
            number(0, 4)
            zeros(headerBytes - (bytes.count - start))
        }
        if hasMasks { for mask in [0x7C00, 0x3E0, 0x1F] { number(mask, 4) } }
        if bits <= 8 { repeated([1 << bits], upTo: 257) { file, _ in file.number(0, isCore ? 3 : 4) } }
        mark("pixels")
        guard compression == 1 else {
            repeated([8]) { file, _ in file.zeros((8 * bits + 31) / 32 * 4) }
            return
        }
        // A run of eight pixels and the end of the row, for each row; the end of the image.
        repeated([8]) { file, _ in
            file.number(8, 1)
            file.add([5, 0, 0])
        }
        add([0, 1])
    }
}
