internal import SpyglassPixels

/// An image of a FITS file: one plane, or three of red, green and blue.
struct FITSImage {
    let header: FITSHeader
    let primary: FITSHeader
    let size: PixelSize
    let planes: Int
    /// The place of the first plane.
    let start: Int
    let bytes: FITSBytes

    /// Negative for floating-point numbers.
    var bits: Int { header.integer("BITPIX") ?? 8 }
    /// Values are this times the stored number, plus `zero`.
    var scale: Double { header.number("BSCALE") ?? 1 }
    var zero: Double { header.number("BZERO") ?? 0 }
    /// The stored integer that means no value.
    var blank: Int? { bits > 0 ? header.integer("BLANK") : nil }

    /// Returns a value of the image's header, or else of the file's first one.
    func text(_ name: String) -> String? { header.text(name) ?? primary.text(name) }
    func number(_ name: String) -> Double? { header.number(name) ?? primary.number(name) }

    /// Seconds of arc a pixel along the first axis (astropy's `proj_plane_pixel_scales`); `nil` unless the axes are on the sky.
    var pixelScale: Double? {
        guard let axis = header.text("CTYPE1"), ["RA-", "DEC", "GLO", "GLA", "ELO", "ELA"].contains(axis.prefix(3))
        else { return nil }
        // CD includes the steps of CDELT, which are 1 where PC is stated without them.
        let hasCD = ["CD1_1", "CD2_1"].contains { header.number($0) ?? 0 != 0 }
        let names = hasCD ? ["CD1_1", "CD2_1"] : ["PC1_1", "PC2_1"]
        guard (names + ["CDELT1"]).contains(where: { header.number($0) != nil }) else { return nil }
        let steps = hasCD ? [1, 1] : ["CDELT1", "CDELT2"].map { header.number($0) ?? 1 }
        let x = (header.number(names[0]) ?? (hasCD ? 0 : 1)) * steps[0]
        let y = (header.number(names[1]) ?? 0) * steps[1]
        let units: [String: Double] = ["deg": 3600, "arcmin": 60, "arcsec": 1, "mas": 0.001, "rad": 648_000 / .pi]
        guard let unit = units[header.text("CUNIT1") ?? "deg"] else { return nil }
        return unit * (x * x + y * y).squareRoot()
    }
}

/// The rows of a plane as numbers, NaN where there is none.
struct FITSRows {
    private let bytes: FITSBytes
    private let start: Int
    private var stored: [UInt8]
    private(set) var values: [Double]
    private let bits: Int
    private let scale: Double
    private let zero: Double
    private let blank: Int?

    init(_ image: FITSImage, _ plane: Int, _ bytes: FITSBytes) {
        (bits, self.bytes) = (image.bits, bytes)
        stored = [UInt8](repeating: 0, count: image.size.width * Int(bits.magnitude) / 8)
        start = image.start + plane * image.size.height * stored.count
        values = [Double](repeating: 0, count: image.size.width)
        (scale, zero, blank) = (image.scale, image.zero, image.blank)
    }

    /// Reads a row, counted from the bottom; returns false if the file ends before its end.
    mutating func read(_ y: Int) throws(CodecError) -> Bool {
        guard try bytes.read(into: &stored, at: start + y * stored.count) == stored.count else { return false }
        switch bits {
        case 8: convert(UInt8.self)
        case 16: convert(Int16.self)
        case 32: convert(Int32.self)
        case 64: convert(Int64.self)
        case -32: convert(UInt32.self) { Double(Float(bitPattern: $0)) }
        default: convert(UInt64.self) { Double(bitPattern: $0) }
        }
        return true
    }

    /// Returns where the file ends, after a row could not be read.
    func end() throws(CodecError) -> Int { try bytes.end() }

    /// Returns how many rows the file has whole, if it ends at `end`.
    func count(before end: Int) -> Int { max(end - start, 0) / stored.count }

    private mutating func convert<Number: FixedWidthInteger>(_ type: Number.Type) {
        guard let blank = blank.flatMap({ Number(exactly: $0) }) else { return convert(type) { Double($0) } }
        convert(type) { $0 == blank ? .nan : Double($0) }
    }

    private mutating func convert<Number: FixedWidthInteger>(_: Number.Type, _ value: (Number) -> Double) {
        let (scale, zero) = (scale, zero)
        stored.withUnsafeBytes { stored in
            var values = values.mutableSpan
            for x in values.indices {
                let number = stored.loadUnaligned(fromByteOffset: x * MemoryLayout<Number>.size, as: Number.self)
                values[x] = value(Number(bigEndian: number)) * scale + zero
            }
        }
    }
}
