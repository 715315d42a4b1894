/// A format that can be decoded.
@nonexhaustive
public enum ImageFormat: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// JPEG, ITU-T T.81.
    case jpeg
    /// PNG, ISO/IEC 15948; of an animated one the default image.
    case png

    /// The usual spelling: `JPEG`, `PNG`.
    public var description: String { rawValue.uppercased() }
}
