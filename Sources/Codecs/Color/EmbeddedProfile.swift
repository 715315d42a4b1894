/// The colour profile in a file.
enum EmbeddedProfile {
    case none
    /// The bytes, not validated, `maxBytes` at most.
    case bytes([UInt8])
    /// It cannot be used, and why.
    case unusable(String)

    /// The maximum size; the largest profile in use, for newspapers, has 2.6 MB.
    static let maxBytes = 4 << 20

    static let tooLarge = EmbeddedProfile.unusable("it has more than \(maxBytes >> 20) MiB")
}
