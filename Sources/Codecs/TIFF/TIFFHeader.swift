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
    let directory: TIFFDirectory

    init(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        directory = try TIFFDirectory(input)
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
        let configuration = try directory.numbers(284).first
        let isPlanar = samples > 1 && configuration == 2
        let isCompressed = try directory.numbers(259).first ?? 1 != 1
        let pixelBytes = (min(samples, 64) * min(bits, 64) + 7) / 8
        let partRows = min(max(tileRows ?? stripRows ?? size.height, 1), size.height)
        if tileRows == nil, photometric <= 3, !isPlanar {
            // Read row by row; a compressed strip is in memory.
            let stripBytes = min(try input.byteCount(), partRows * size.width * pixelBytes)
            partBytes = 2 * size.width * pixelBytes + (isCompressed ? stripBytes : 0)
        } else {
            // Raw, unpacked, as RGBA, and in a band of the image's width. Larger tiles are refused.
            let (width, rows) = (max(tileWidth, size.width), max(tileRows ?? partRows, 1))
            let maxPixels = 4 * max(size.pixelCount, 1 << 20)
            partBytes = (width > maxPixels / rows ? maxPixels : width * rows) * (2 * pixelBytes + 8)
        }
        profile = directory.range(34675)
    }

    private static let dngVersion = 50706
}
