/// The colour profile that a file brings along.
enum EmbeddedProfile {
    case none
    /// The bytes of a profile, `maxBytes` at the most; whatever they are.
    case bytes([UInt8])
    /// There is one that cannot be used, and why.
    case unusable(String)

    /// What a profile may have: the largest that is in use, for printing on newspaper, has 2.6 MB.
    static let maxBytes = 4 << 20

    static let tooLarge = EmbeddedProfile.unusable("it has more than \(maxBytes >> 20) MiB")
}
