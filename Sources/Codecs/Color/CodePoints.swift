internal import Glibc

/// Colours by numbers (ITU-T H.273): the `cICP` chunk of a PNG (third edition, section 11.3.2.6), `nclx` of HEIC and AVIF, and
/// those of a JPEG XL.
struct CodePoints {
    private let primaries: [[Double]]
    /// From the encoded value to light, both 0 to 1.
    let curve: @Sendable (Double) -> Double
    let isSRGB: Bool

    /// `nil` for colours that are not known: what else the file states counts then.
    init?(primaries: Int, curve: Int, isGray: Bool) {
        guard let columns = Self.primaries[primaries], let light = Self.light(curve) else { return nil }
        (self.primaries, self.curve) = (isGray ? [] : columns, light)
        isSRGB = curve == 13 && (isGray || primaries == 1)
    }

    /// The primaries of BT.709, BT.2020 and Display P3, adapted to D50 (Bradford), as in profiles.
    private static let primaries: [Int: [[Double]]] = [
        1: [[0.43604, 0.22249, 0.01392], [0.38511, 0.71691, 0.09707], [0.14305, 0.06061, 0.71391]],
        9: [[0.67348, 0.27904, -0.00193], [0.16567, 0.67534, 0.02998], [0.12505, 0.04561, 0.79685]],
        12: [[0.51512, 0.24119, -0.00105], [0.29198, 0.69224, 0.04188], [0.15710, 0.06657, 0.78407]],
    ]

    /// From the light of the primaries to that of sRGB's, by rows; empty for grey.
    var toSRGB: [[Double]] {
        primaries.isEmpty
            ? [] : Self.fromD50.map { row in primaries.map { zip(row, $0).reduce(0) { $0 + $1.0 * $1.1 } } }
    }

    /// From XYZ (D50) to the light of sRGB's primaries: the inverse of those of BT.709.
    static let fromD50: [[Double]] = [
        [3.13421, -1.61719, -0.49072], [-0.97877, 1.91612, 0.03345], [0.07197, -0.22900, 1.40576],
    ]

    /// Returns the curve from encoded value to light, 1 at the white of a display without HDR.
    private static func light(_ curve: Int) -> (@Sendable (Double) -> Double)? {
        switch curve {
        case 1, 6, 14, 15: { $0 < 0.081 ? $0 / 4.5 : pow(($0 + 0.099) / 1.099, 1 / 0.45) }
        case 4: { pow($0, 2.2) }
        case 5: { pow($0, 2.8) }
        case 8: { $0 }
        case 13: { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
        case 16: { bent(pq($0) * 10_000 / white) }
        case 18: { bent(pow(hlg($0), 1.2) * 1000 / white) }
        default: nil
        }
    }

    /// Candelas per square metre of diffuse white (BT.2408, section 2.2).
    private static let white = 203.0

    /// Returns light with highlights compressed: linear up to half of the display's white, then approaching it.
    private static func bent(_ light: Double) -> Double { light <= 0.5 ? light : 1 - 0.5 * exp(1 - 2 * light) }

    /// BT.2100, table 4: 1 is 10,000 cd/m².
    private static func pq(_ value: Double) -> Double {
        let root = pow(value, 32.0 / 2523)
        return pow(max(root - 107.0 / 128, 0) / (2413.0 / 128 - 2392.0 / 128 * root), 16384.0 / 2610)
    }

    /// BT.2100, table 5.
    private static func hlg(_ value: Double) -> Double {
        value <= 0.5 ? value * value / 3 : (exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12
    }

    /// An ICC profile of the same colours, so that one path converts all (ICC.1:2022, sections 7 and 8.3).
    var profile: EmbeddedProfile {
        guard !isSRGB else { return .none }
        let samples = 4096
        let table = (0..<samples).flatMap {
            [UInt8](Int(curve(Double($0) / Double(samples - 1)) * 65_535 + 0.5), bytes: 2)
        }
        var tags = [("kTRC", Array("curv".utf8) + [UInt8](0, bytes: 4) + [UInt8](samples, bytes: 4) + table)]
        for (letter, column) in zip("rgb", primaries) {
            if letter == "r" { tags[0].0 = "rTRC" } else { tags.append(("\(letter)TRC", [])) }
            let numbers = column.flatMap { [UInt8](Int(($0 * 65_536).rounded()), bytes: 4) }
            tags.append(("\(letter)XYZ", Array("XYZ ".utf8) + [UInt8](0, bytes: 4) + numbers))
        }
        var content: [UInt8] = []
        var places: [UInt8] = []
        let start = 128 + 4 + 12 * tags.count
        for (name, bytes) in tags {
            // Curves share the first one's samples.
            let (offset, count) = bytes.isEmpty ? (0, tags[0].1.count) : (content.count, bytes.count)
            places += Array(name.utf8) + [UInt8](start + offset, bytes: 4) + [UInt8](count, bytes: 4)
            content += bytes
        }
        let fields = "mntr" + (primaries.isEmpty ? "GRAY" : "RGB ") + "XYZ "
        let header =
            [UInt8](start + content.count, bytes: 4) + [UInt8](0, bytes: 4) + [UInt8](0x0430_0000, bytes: 4)
            + Array(fields.utf8)
            + [UInt8](0, bytes: 12) + Array("acsp".utf8) + [UInt8](0, bytes: 28)
            + [0xF6D6, 0x1_0000, 0xD32D].flatMap { [UInt8]($0, bytes: 4) } + [UInt8](0, bytes: 48)
        return .bytes(header + [UInt8](tags.count, bytes: 4) + places + content)
    }
}
