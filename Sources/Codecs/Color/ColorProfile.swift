internal import Glibc

/// An ICC profile (ICC.1:2022), whose offsets and counts are untrusted: values outside of the profile count as missing.
struct ColorProfile {
    enum Space: String {
        case gray = "grey"
        case rgb = "RGB"
        case cmyk = "CMYK"
    }

    let space: Space
    let content: BinaryReader

    private static let headerBytes = 128
    private static let entryBytes = 12
    /// `MAX_TABLE_TAG` of lcms2, which takes no more.
    private static let maxTags = 100

    /// Reads the header (section 7.2).
    init(_ bytes: [UInt8]) throws(CodecError) {
        content = BinaryReader(bytes)
        guard bytes.count >= Self.headerBytes + 4, content.name(at: 36) == "acsp" else {
            throw CodecError(.unsupported, "not an ICC profile")
        }
        let kinds: [FourCC] = ["mntr", "scnr", "prtr", "spac"]
        guard let kind = content.name(at: 12), kinds.contains(kind) else {
            throw CodecError(.unsupported, "not an image profile")
        }
        switch content.name(at: 16) {
        case "GRAY": space = .gray
        case "RGB ": space = .rgb
        case "CMYK": space = .cmyk
        default: throw CodecError(.unsupported, "not for grey, RGB or CMYK")
        }
    }

    /// Whether the profile has a lookup table (perceptual intent), which also maps colours into a smaller gamut.
    var hasTable: Bool { entry(of: "A2B0") != nil }

    /// Returns the content of a tag (section 7.3); `nil` if it is not within the bytes.
    func tag(_ tag: FourCC) -> BinaryReader? {
        guard let entry = entry(of: tag), let start = try? content.size(4, at: entry + 4),
            let count = try? content.size(4, at: entry + 8)
        else { return nil }
        return try? content.part(count, at: start.value)
    }

    private func entry(of tag: FourCC) -> Int? { entries.first { content.name(at: $0) == tag } }

    private var entries: StrideTo<Int> {
        let start = Self.headerBytes + 4
        let room = min(Self.maxTags, (content.count - start) / Self.entryBytes)
        let count = (try? content.size(4, at: Self.headerBytes))?.upTo(room) ?? 0
        return stride(from: start, to: start + count * Self.entryBytes, by: Self.entryBytes)
    }

    /// The bytes without the optional floating-point tables, which lcms2 would prefer and whose cost is unbounded.
    var bytesWithoutFloatTables: [UInt8] {
        let tags: [FourCC] = ["D2B0", "D2B1", "D2B2", "D2B3"]
        var bytes = Array(content.bytes)
        for entry in entries where content.name(at: entry).map(tags.contains) == true { bytes[entry] = 0 }
        return bytes
    }
}

extension ColorProfile {
    var description: String? {
        guard let tag = tag("desc") else { return nil }
        let scalars =
            switch tag.name(at: 0) {
            // `textDescriptionType` of version 2 (ICC.1:2001-04, section 6.5.17): a count, and as many bytes.
            case "desc": tag.bytes.dropFirst(12).prefix(Self.maxDescription).map { Unicode.Scalar($0) }
            case "mluc": (try? localizedText(tag)) ?? []
            default: [Unicode.Scalar]()
            }
        let name = String(printable: scalars.prefix { $0 != "\0" })
        return name.utf8.allSatisfy { $0 == UInt8(ascii: " ") } ? nil : name
    }

    private static let maxDescription = 60

    /// `multiLocalizedUnicodeType` (ICC.1:2022, section 10.15): the English text, or else the first, in UTF-16.
    private func localizedText(_ tag: BinaryReader) throws(CodecError) -> [Unicode.Scalar] {
        let (first, recordBytes) = (16, 12)
        let count = try tag.size(4, at: 8).upTo(max(tag.count - first, 0) / recordBytes)
        guard count > 0 else { return [] }
        let records = (0..<count).lazy.map { first + $0 * recordBytes }
        let record = records.first { tag.matches(Array("en".utf8), at: $0) } ?? first
        let text = try tag.part(tag.size(4, at: record + 4), at: tag.size(4, at: record + 8).value)
        let units = (0..<min(text.count / 2, Self.maxDescription)).compactMap {
            (try? text.integer(2, at: 2 * $0)).map { UInt16($0) }
        }
        return Array(String(decoding: units, as: UTF16.self).unicodeScalars)
    }
}

extension ColorProfile {
    /// Whether primaries and curves equal IEC 61966-2-1's, to about one of 255 steps; false for profiles with a table.
    var isSRGB: Bool {
        guard space == .rgb, content.name(at: 20) == "XYZ ", !hasTable else { return false }
        for (tag, wanted) in Self.primaries {
            guard let color = self.tag(tag), color.count >= 20, color.name(at: 0) == "XYZ " else { return false }
            for (index, value) in wanted.enumerated() {
                guard let found = try? color.fixed(at: 8 + 4 * index), abs(found - value) <= Self.primaryTolerance
                else { return false }
            }
        }
        guard let red = tag("rTRC"), let green = tag("gTRC"), let blue = tag("bTRC") else { return false }
        func isCurve(_ tag: BinaryReader) -> Bool { ToneCurve(tag).map(Self.isCurveOfSRGB) ?? false }
        // Usually all three share one.
        return isCurve(red) && [green, blue].allSatisfy { $0.bytes.indices == red.bytes.indices || isCurve($0) }
    }

    private static func isCurveOfSRGB(_ curve: ToneCurve) -> Bool {
        (0...curveSamples).allSatisfy { sample in
            let value = Double(sample) / Double(curveSamples)
            return abs(encoded(curve.light(value)) - value) <= curveTolerance
        }
    }

    /// IEC 61966-2-1: light 0...1 to sRGB-encoded 0...1.
    private static func encoded(_ light: Double) -> Double {
        light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    /// The primaries of sRGB, adapted to D50 (Bradford), as in profiles.
    private static let primaries: [(FourCC, [Double])] = [
        ("rXYZ", [0.43607, 0.22249, 0.01392]), ("gXYZ", [0.38515, 0.71687, 0.09708]),
        ("bXYZ", [0.14307, 0.06061, 0.71410]),
    ]
    /// Tolerance in linear light; the primaries of Display P3 differ by 0.08.
    private static let primaryTolerance = 0.002
    private static let curveSamples = 32
    /// Tolerance of the encoded value; gamma 2.2 differs by 7 steps in the shadows.
    private static let curveTolerance = 1.0 / 255
}

/// A profile's tone curve, from encoded value to light, both 0 to 1 (ICC.1:2022, sections 10.6 and 10.18).
enum ToneCurve {
    case gamma(Double)
    /// Equally spaced samples of 16 bits, at least two.
    case samples(BinaryReader)
    case function(Int, [Double])

    private static let parameters = [1, 3, 4, 5, 7]

    init?(_ tag: BinaryReader) {
        guard tag.count >= 12 else { return nil }
        switch tag.name(at: 0) {
        case "curv":
            guard let count = try? tag.size(4, at: 8), let bytes = try? count * 2,
                let samples = try? tag.part(bytes, at: 12)
            else { return nil }
            switch count {
            case 0: self = .gamma(1)
            case 1: self = .gamma(Double((try? samples.integer(2, at: 0)) ?? 0) / 256)
            default: self = .samples(samples)
            }
        case "para":
            guard let type = try? tag.integer(2, at: 8), type < Self.parameters.count,
                tag.count >= 12 + 4 * Self.parameters[type]
            else { return nil }
            self = .function(type, (0..<Self.parameters[type]).compactMap { try? tag.fixed(at: 12 + 4 * $0) })
        default: return nil
        }
    }

    func light(_ value: Double) -> Double {
        switch self {
        case .gamma(let exponent): return pow(value, exponent)
        case .samples(let samples):
            let count = samples.count / 2
            let position = value * Double(count - 1)
            let index = min(max(Int(position), 0), count - 2)
            guard let low = try? samples.integer(2, at: 2 * index),
                let high = try? samples.integer(2, at: 2 * index + 2)
            else { return .nan }
            let part = position - Double(index)
            return (Double(low) * (1 - part) + Double(high) * part) / 65_535
        case .function(let type, let p):
            switch type {
            case 0: return pow(value, p[0])
            case 1: return value >= -p[2] / p[1] ? pow(p[1] * value + p[2], p[0]) : 0
            case 2: return value >= -p[2] / p[1] ? pow(p[1] * value + p[2], p[0]) + p[3] : p[3]
            case 3: return value >= p[4] ? pow(p[1] * value + p[2], p[0]) : p[3] * value
            default: return value >= p[4] ? pow(p[1] * value + p[2], p[0]) + p[5] : p[3] * value + p[6]
            }
        }
    }
}

extension BinaryReader {
    /// Returns an `s15Fixed16Number` (ICC.1:2022, section 4.6): from -32,768 to 32,768 in steps of 1/65,536.
    func fixed(at offset: Int) throws(CodecError) -> Double {
        Double(Int32(truncatingIfNeeded: try integer(4, at: offset))) / 65_536
    }
}
