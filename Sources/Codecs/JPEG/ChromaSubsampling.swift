/// How many pixels of a JPEG share a colour sample; each has its own luminance.
public enum ChromaSubsampling: Hashable, Sendable, CaseIterable {
    /// 4:4:4, one each: for red text and thin coloured lines.
    case ratio444
    /// 4:2:2, two in a row.
    case ratio422
    /// 4:2:0, two by two: usual for cameras and the web.
    case ratio420

    /// The quality from which 4:4:4 is worth about a third more bytes.
    static let minFullQuality = 90

    /// The default for a quality from 1 to 100.
    static func suiting(quality: Int) -> ChromaSubsampling {
        quality >= minFullQuality ? .ratio444 : .ratio420
    }

    /// Pixels per sample, horizontally.
    var horizontal: Int { self == .ratio444 ? 1 : 2 }
    /// Pixels per sample, vertically.
    var vertical: Int { self == .ratio420 ? 2 : 1 }
}
