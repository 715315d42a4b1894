internal import SpyglassPixels

/// The first directory of a TIFF or BigTIFF file, read without the library (TIFF 6.0, section 2).
struct TIFFHeader {
    let size: PixelSize
    let orientation: Orientation
    let hasAlpha: Bool
    let isGray: Bool
    let colorDescription: String
    /// Bytes that the library needs for a strip or a row of tiles, raw and as pixels.
    let partBytes: Int
    /// Where the profile is.
    let profile: Range<Int>?

    init(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        let directory = try Directory(input)
        guard let width = try directory.numbers(256).first, let height = try directory.numbers(257).first else {
            throw .corrupt(.tiff, "a directory without a size")
        }
        size = try limits.size(UInt32(clamping: width), UInt32(clamping: height))
        if directory.contains(Self.dngVersion) { throw .unsupported(.tiff, "DNG (camera RAW)") }
        // The first image of camera files is a reduced one.
        if let kind = try directory.numbers(254).first, kind & 1 == 1 {
            throw .unsupported(.tiff, "a reduced image comes first (camera RAW)")
        }
        orientation = try directory.numbers(274).first.flatMap(Orientation.init) ?? .up
        let samples = try directory.numbers(277).first ?? 1
        let photometric = try directory.numbers(262).first ?? 1
        let colors = photometric == 2 || photometric == 6 || photometric == 8 ? 3 : photometric == 5 ? 4 : 1
        isGray = photometric <= 1
        // The first extra sample is alpha, also if its kind is not stated (ExtraSamples); kind 0 is not alpha.
        let extra = try directory.numbers(338).first ?? 2
        hasAlpha = samples > colors && photometric <= 2 && extra != 0
        let bits = try directory.numbers(258).first ?? 1
        let space = [0: "grey", 1: "grey", 2: "RGB", 3: "palette", 5: "CMYK", 6: "YCbCr", 8: "CIELab"][photometric]
        colorDescription = "\(space ?? "other")\(hasAlpha ? " and alpha" : ""), \(bits) bit\(bits == 1 ? "" : "s")"
        let (tileWidth, tileRows) = (try directory.numbers(322).first ?? 0, try directory.numbers(323).first)
        let stripRows = try directory.numbers(278).first
        // Rows that are not compressed are read one by one.
        let compression = try directory.numbers(259).first ?? 1
        let isPlain = tileRows == nil && photometric <= 3 && compression == 1
        let partRows = isPlain ? 1 : min(max(tileRows ?? stripRows ?? size.height, 1), size.height)
        let pixelBytes = (min(samples, 64) * min(bits, 64) + 7) / 8
        partBytes =
            partRows * min(max(tileWidth, size.width), 4 * size.width + 1 << 20)
            * (pixelBytes + (photometric <= 3 ? 4 : 8))
        profile = directory.range(34675)
    }

    private static let dngVersion = 50706

    private struct Directory {
        private let input: ByteReader
        private let isBigEndian: Bool
        private let isBig: Bool
        private var bytes: [UInt8]

        init(_ input: ByteReader) throws(CodecError) {
            self.input = input
            bytes = try input.bytes(16, at: 0)
            guard bytes.count >= 8 else { throw .corrupt(.tiff, "the file ends inside its header") }
            isBigEndian = bytes[0] == UInt8(ascii: "M")
            isBig = bytes[isBigEndian ? 3 : 2] == 43
            let start = isBig ? number(at: 8, bytes: 8) : number(at: 4, bytes: 4)
            guard let start, start >= 8 else { throw .corrupt(.tiff, "a header without a directory") }
            bytes = try input.bytes(isBig ? 8 : 2, at: start)
            guard let count = number(at: 0, bytes: bytes.count == 8 ? 8 : 2), bytes.count == (isBig ? 8 : 2) else {
                throw .corrupt(.tiff, "the file ends before its directory")
            }
            // Tags in use are below a hundred.
            bytes = try input.bytes(min(count, 4096) * (isBig ? 20 : 12), at: start + bytes.count)
        }

        private func number(at offset: Int, bytes count: Int) -> Int? {
            Self.number(bytes, at: offset, bytes: count, isBigEndian)
        }

        private static func number(_ bytes: [UInt8], at offset: Int, bytes count: Int, _ isBigEndian: Bool) -> Int? {
            guard offset >= 0, offset <= bytes.count - count else { return nil }
            var value: UInt64 = 0
            for digit in 0..<count {
                value = value << 8 | UInt64(bytes[offset + (isBigEndian ? digit : count - 1 - digit)])
            }
            return value < 1 << 48 ? Int(value) : nil
        }

        private func entry(_ tag: Int) -> Int? {
            stride(from: 0, to: bytes.count, by: isBig ? 20 : 12).first { number(at: $0, bytes: 2) == tag }
        }

        func contains(_ tag: Int) -> Bool { entry(tag) != nil }

        /// Where the bytes of an entry are in the file, unless they are in the entry.
        func range(_ tag: Int) -> Range<Int>? {
            guard let entry = entry(tag), let type = number(at: entry + 2, bytes: 2), let width = Self.widths[type],
                let count = number(at: entry + 4, bytes: isBig ? 8 : 4),
                let offset = number(at: entry + (isBig ? 12 : 8), bytes: isBig ? 8 : 4),
                count * width > (isBig ? 8 : 4)
            else { return nil }
            return offset..<offset + count * width
        }

        /// The first integers of an entry, four at most.
        func numbers(_ tag: Int) throws(CodecError) -> [Int] {
            guard let entry = entry(tag), let type = number(at: entry + 2, bytes: 2),
                [3, 4, 16].contains(type), let width = Self.widths[type]
            else { return [] }
            var stored = bytes
            var at = entry + (isBig ? 12 : 8)
            var count = min(number(at: entry + 4, bytes: isBig ? 8 : 4) ?? 0, 4)
            if let range = range(tag) {
                stored = try input.bytes(count * width, at: range.lowerBound)
                at = 0
                count = min(count, stored.count / width)
            }
            return (0..<count).compactMap { Self.number(stored, at: at + $0 * width, bytes: width, isBigEndian) }
        }

        /// Bytes per value of each type.
        private static let widths = [
            1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8,
        ]
    }
}
