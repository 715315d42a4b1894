/// How many pixels share a sample of colour in a JPEG; every pixel has its own luminance.
public enum ChromaSubsampling: Hashable, Sendable, CaseIterable {
    /// 4:4:4, every pixel its own: for red text and thin coloured lines.
    case ratio444
    /// 4:2:2, two neighbours in a row.
    case ratio422
    /// 4:2:0, two by two: what cameras and the web use.
    case ratio420

    /// The quality from which on colour is worth its bytes: there 4:4:4 takes about a third more of them.
    static let minFullQuality = 90

    /// What a quality from 1 to 100 goes with.
    static func suiting(quality: Int) -> ChromaSubsampling {
        quality >= minFullQuality ? .ratio444 : .ratio420
    }

    /// Pixels to a sample, across.
    var horizontal: Int { self == .ratio444 ? 1 : 2 }
    /// Pixels to a sample, down.
    var vertical: Int { self == .ratio420 ? 2 : 1 }
}
