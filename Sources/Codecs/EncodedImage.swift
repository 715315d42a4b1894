/// A picture as a file holds it: its bytes, or where they are.
public enum EncodedImage: Hashable, Sendable {
    /// Bytes in memory.
    case bytes([UInt8])
    /// A regular file, by its path. It is read through a window as it is decoded, never whole and never mapped, so that
    /// another process may change or truncate it meanwhile.
    case file(String)
}
