/// An encoded image: bytes, or a file.
public enum EncodedImage: Hashable, Sendable {
    /// Bytes in memory.
    case bytes([UInt8])
    /// A regular file, by its path.
    ///
    /// It is read through a window while decoding, never whole and never mapped, so another process may change it
    /// meanwhile.
    case file(String)
}
