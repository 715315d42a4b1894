/// How source pixels are combined into a target pixel, in linear light with premultiplied alpha.
public enum ResampleFilter: String, Hashable, Sendable, CaseIterable {
    /// The mean of the covered area: for previews, and the cheaper one.
    case area
    /// A windowed sinc with three lobes (Lanczos-3): for exports, sharper and without aliasing.
    case lanczos
}
