/// How many source pixels become one target pixel.
///
/// Both work in linear light, with premultiplied alpha.
public enum ResampleFilter: String, Hashable, Sendable, CaseIterable {
    /// The mean of the area that a target pixel covers: for previews, and the cheaper of the two.
    case area
    /// A windowed sinc over three lobes (Lanczos-3): for exports, sharper and without aliasing.
    case lanczos
}
