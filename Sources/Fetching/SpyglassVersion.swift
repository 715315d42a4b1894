/// The version of this package, for `--version` and `User-Agent`.
public enum SpyglassVersion {
    /// The semantic version.
    public static let current = "0.1.0"
    /// The default `User-Agent`: `Spyglass/0.1.0`.
    public static let userAgent = "Spyglass/\(current)"
}
