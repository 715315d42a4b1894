internal import Glibc
internal import SpyglassPixels

/// Decodes a page of a FITS file by rows, which are stored from the bottom.
///
/// Black and white are the limits of ZScale, of all planes together; pixels without a value are black.
struct FITSDecoding: ~Copyable, RowDecoding {
    let info: ImageInfo
    let input: ByteReader
    let limits: ImageLimits
    private let image: FITSImage
    private let stretch: Stretch

    init(_ input: ByteReader, _ limits: ImageLimits, _ options: ReadingOptions) throws(CodecError) {
        (self.input, self.limits, stretch) = (input, limits, options.stretch)
        image = try FITSFile(input, limits).image(page: options.page)
        let bits = image.bits.magnitude
        info = ImageInfo(
            format: .fits, storedSize: image.size, orientation: .downMirrored,
            colorDescription: "\(image.planes == 3 ? "RGB" : "grey"), \(bits) bits\(image.bits < 0 ? ", float" : "")")
    }

    var colors: ImageColors { image.planes == 3 ? .rgb : .gray }
    func start() throws(CodecError) -> RowLayout { image.planes == 3 ? .rgb : .gray }

    /// A row of each plane, stored and as numbers, and the counts of values in rows.
    func workBytes(_ spec: DecodeSpec) -> Int {
        image.planes * (2 * MemoryLayout<Double>.size * image.size.width + MemoryLayout<Int>.size * image.size.height)
    }

    func readRows(
        of area: PixelArea, _ layout: RowLayout, _ spec: DecodeSpec, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> RowsRead {
        let (black, white) = try image.zScale()
        let tones = stretch.tones
        let scale = Double(tones.count - 1) / (white > black ? white - black : 1)
        // Each plane has a place of its own in compressed data.
        var planes: [FITSRows] = []
        for plane in 0..<image.planes { planes.append(try FITSRows(image, plane, image.bytes.again())) }
        var row = [UInt8](repeating: 0, count: info.storedSize.width * layout.channels)
        for y in area.y..<area.endY {
            for plane in planes.indices {
                guard try planes[plane].read(y) else {
                    // The last plane decides how many rows have all colours.
                    let end = try planes[plane].end()
                    let rows = y > area.y ? y : min(planes[planes.count - 1].count(before: end), y)
                    return try endEarly(after: rows)
                }
                var at = plane
                for value in planes[plane].values {
                    let tone = (value - black) * scale + 0.5
                    // A NaN is not above 0.
                    row[at] = tone > 0 ? tones[tone < Double(tones.count) ? Int(tone) : tones.count - 1] : tones[0]
                    at += layout.channels
                }
            }
            take(row.span)
        }
        return RowsRead()
    }

    var metadata: ImageMetadata {
        var metadata = ImageMetadata(info: info)
        metadata.object = image.text("OBJECT")
        metadata.camera = ImageMetadata.name(image.text("INSTRUME"), by: image.text("TELESCOP"))
        metadata.filter = image.text("FILTER")
        metadata.date = image.text("DATE-OBS").map(Self.date)
        metadata.exposureTime = image.number("EXPTIME").flatMap(ImageMetadata.inRange)
        metadata.pixelScale = image.pixelScale.flatMap(ImageMetadata.inRange)
        return metadata
    }
}

extension FITSDecoding {
    /// A time as EXIF's has it; before 1998 a date was `19/05/94` (FITS 4.0, section 9.1).
    fileprivate static func date(_ text: String) -> String {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ $0.utf8.count == 2 && Int($0) != nil }) else {
            return String(text.prefix(19))
        }
        return "19\(parts[2])-\(parts[1])-\(parts[0])"
    }
}

/// A curve from the values of astronomical images to brightness, as astropy has them.
package enum Stretch: String, Hashable, Sendable, CaseIterable {
    case linear, asinh, log

    /// The bytes of values from black to white, fine enough for the steepest part of `log`.
    fileprivate var tones: [UInt8] {
        (0...65_535).map { step in
            let value = Double(step) / 65_535
            let tone =
                switch self {
                case .linear: value
                case .asinh: Glibc.asinh(value / 0.1) / Glibc.asinh(10)
                case .log: log1p(1000 * value) / log1p(1000)
                }
            return UInt8((tone * 255).rounded())
        }
    }
}
