/// The version of this package: what `--version` prints and `User-Agent` says.
public enum SpyglassVersion {
    /// The version, by the rules of semver.org.
    public static let current = "0.1.0"
    /// What a server is told: `Spyglass/0.1.0`.
    public static let userAgent = "Spyglass/\(current)"
}
