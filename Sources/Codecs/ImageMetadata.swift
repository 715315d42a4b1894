public import SpyglassPixels

/// An image file's header.
public struct ImageInfo: Hashable, Sendable {
    /// The format, by the first bytes.
    public let format: ImageFormat
    /// The size of the stored pixels.
    public let storedSize: PixelSize
    /// How to turn them, by EXIF; `up` without a valid entry.
    public let orientation: Orientation
    /// Whether the file starts with a coarse image: a progressive JPEG, an Adam7 PNG.
    public let isProgressive: Bool
    /// Whether pixels may be transparent.
    public let hasAlpha: Bool
    /// How colours are stored, as text: `YCbCr, 8 bits`, `palette, 4 bits`.
    public let colorDescription: String

    /// The size of the upright image.
    public var size: PixelSize { orientation.displayed(storedSize) }

    /// Makes a header; nothing is validated.
    package init(
        format: ImageFormat, storedSize: PixelSize, orientation: Orientation = .up, isProgressive: Bool = false,
        hasAlpha: Bool = false, colorDescription: String
    ) {
        (self.format, self.storedSize, self.orientation) = (format, storedSize, orientation)
        (self.isProgressive, self.hasAlpha, self.colorDescription) = (isProgressive, hasAlpha, colorDescription)
    }
}

/// Properties of an image as its file states them: the header, and camera, exposure and date by EXIF.
///
///     let metadata = try ImageDecoder().metadata(of: .file("m31.jpg"))
///     print(metadata.camera ?? "unknown camera", metadata.date ?? "")
///
/// Texts are the file's, of at most 128 bytes, and may hold any characters: sanitise them before printing. The position
/// (GPS) is never read.
public struct ImageMetadata: Hashable, Sendable {
    /// The file's header.
    public let info: ImageInfo
    /// The name of the embedded colour profile, in ASCII.
    public var profile: String?
    /// The camera: its model, after its maker unless the model names it.
    public var camera: String?
    /// The lens, named like the camera.
    public var lens: String?
    /// The program that wrote the file.
    public var software: String?
    /// When the picture was taken, else digitized, else changed: `2024-05-17T12:30:45`, with an offset (`+02:00`) if it is known.
    public var date: String?
    /// Exposure time in seconds, above 0.
    public var exposureTime: Double?
    /// The f-number of the aperture, above 0.
    public var fNumber: Double?
    /// The sensitivity, ISO 12232.
    public var iso: Int?
    /// Focal length in millimetres, above 0.
    public var focalLength: Double?
    /// Focal length in millimetres of the same angle of view on 35 mm film.
    public var focalLengthOn35mmFilm: Int?
    /// The target of an astronomical image.
    package var object: String?
    /// The filter before the camera.
    package var filter: String?
    /// Seconds of arc a pixel, above 0.
    package var pixelScale: Double?

    /// Creates the metadata of a file that has only a header.
    package init(info: ImageInfo) { self.info = info }
}

extension ImageMetadata {
    init(_ info: ImageInfo, _ profile: EmbeddedProfile) {
        self.init(info: info)
        if case .bytes(let bytes) = profile { self.profile = (try? ColorProfile(bytes))?.description }
    }

    /// Reads an untrusted EXIF block (CIPA DC-008, sections 4.6.4 and 4.6.5), at most 65,535 entries for each value.
    package mutating func read(exif block: ArraySlice<UInt8>) {
        guard let tiff = TIFFBlock(block), let main = tiff.firstDirectory else { return }
        func text(_ tag: Int, in directory: Int) -> String? { tiff.entry(tag, in: directory).flatMap(tiff.text) }
        camera = Self.name(text(0x0110, in: main), by: text(0x010F, in: main))
        software = text(0x0131, in: main)
        // A scan may have no other date.
        date = Self.date(text(0x0132, in: main), offset: nil)
        guard let exif = tiff.integer(Exif.exifDirectory, in: main) else { return }
        func fraction(_ tag: Int) -> Double? { tiff.entry(tag, in: exif).flatMap(tiff.fraction) }
        func integer(_ tag: Int) -> Int? { tiff.integer(tag, in: exif).flatMap { $0 > 0 ? $0 : nil } }
        lens = Self.name(text(0xA434, in: exif), by: text(0xA433, in: exif))
        date =
            Self.date(text(0x9003, in: exif), offset: text(0x9011, in: exif))
            ?? Self.date(text(0x9004, in: exif), offset: text(0x9012, in: exif))
            ?? Self.date(text(0x0132, in: main), offset: text(0x9010, in: exif))
        exposureTime = fraction(0x829A)
        fNumber = fraction(0x829D)
        iso = integer(0x8827)
        focalLength = fraction(0x920A)
        focalLengthOn35mmFilm = integer(0xA405)
    }

    /// The range of an EXIF fraction, which callers rely on.
    static func inRange(_ value: Double) -> Double? { (0x1p-32...0x1p32).contains(value) ? value : nil }

    /// `NIKON D850` by `NIKON CORPORATION` is `NIKON D850`; `X-T3` by `FUJIFILM` is `FUJIFILM X-T3`.
    static func name(_ model: String?, by maker: String?) -> String? {
        guard let model else { return maker }
        guard let maker, let word = maker.split(separator: " ").first, !model.lowercased().hasPrefix(word.lowercased())
        else { return model }
        return maker + " " + model
    }

    /// `2024:05:17 12:30:45` (section 4.6.5) as ISO 8601; `nil` for anything else, such as zeros or blanks.
    private static func date(_ text: String?, offset: String?) -> String? {
        let limits = [9999, 12, 31, 23, 59, 60]
        guard let text, let numbers = numbers(text, like: "0000:00:00 00:00:00"), numbers[0...2].allSatisfy({ $0 > 0 }),
            zip(numbers, limits).allSatisfy({ $0 <= $1 })
        else { return nil }
        let (day, time) = (String(text.prefix(10).map { $0 == ":" ? "-" : $0 }), text.suffix(8))
        guard let offset, let zone = Self.numbers(offset, like: "+00:00") ?? Self.numbers(offset, like: "-00:00"),
            zone[0] <= 23, zone[1] <= 59
        else { return "\(day)T\(time)" }
        return "\(day)T\(time)\(offset)"
    }

    /// The numbers of a text that has digits where `pattern` has zeros, and is equal elsewhere.
    private static func numbers(_ text: String, like pattern: String) -> [Int]? {
        let (zero, nine) = (UInt8(ascii: "0"), UInt8(ascii: "9"))
        let isLike = text.utf8.elementsEqual(pattern.utf8) { $1 == zero ? (zero...nine).contains($0) : $0 == $1 }
        return isLike ? text.utf8.split { !(zero...nine).contains($0) }.compactMap { Int(Substring($0)) } : nil
    }
}
