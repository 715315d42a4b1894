/// The version of this program, as `--version` prints it and `User-Agent` names it.
enum Version {
    /// Semantic versioning (semver.org); 0 means that options may still change.
    static let number = "0.1.0"
}
