/// A format that is decoded here.
public enum ImageFormat: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// JPEG, ITU-T T.81.
    case jpeg
    /// PNG, ISO/IEC 15948; of an animated one the default image.
    case png

    /// As it is written: `JPEG`, `PNG`.
    public var description: String { rawValue.uppercased() }
}
