/// Why there is no picture, in one line.
///
///     do { try decoder.decode(source, to: target) } catch { print("spyglass: \(name): \(error)") }
///
/// A description says what failed; where a limit did, `exceeded` says which one to raise. A description holds no name of a file, starts in lower case
/// unless with a proper name, ends without a full stop, and is printable ASCII except for what the caller itself passed in.
public struct DecodeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Who can do something about it.
    public enum Kind: Hashable, Sendable {
        /// There are no bytes.
        case empty
        /// The bytes are not a picture: a web page, a text, a document, noise.
        case notAnImage
        /// A picture of a format, or of a kind of a format, that is not read.
        case unsupported
        /// The file is damaged beyond use.
        case corrupt
        /// The file asks for more than a limit allows.
        case limit
        /// The file cannot be read: missing, forbidden, not a regular file, or an error of the disk.
        case unreadable
        /// The memory that was allowed could not be had.
        case outOfMemory
        /// The caller no longer wants it.
        case cancelled
    }

    /// Who can do something about it.
    public let kind: Kind
    /// One line for people.
    public let description: String
    /// The limit that the file exceeds, if a higher one would let it pass.
    public let exceeded: ImageLimits.Exceeded?

    /// An error of a kind with its line.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
        exceeded = nil
    }

    /// The error of a file that exceeds a limit, with its line.
    public init(_ exceeded: ImageLimits.Exceeded, _ description: String) {
        kind = .limit
        self.description = description
        self.exceeded = exceeded
    }

    static let cancelled = DecodeError(.cancelled, "cancelled")
    static let outOfMemory = DecodeError(.outOfMemory, "not enough memory to decode it")

    /// A damaged file, in the library's own words.
    static func corrupt(_ format: ImageFormat, _ words: String) -> DecodeError {
        // What the libraries begin such words with.
        let said = "Corrupt JPEG data: "
        let rest = words.hasPrefix(said) ? String(words.dropFirst(said.count)) : words
        return DecodeError(.corrupt, "corrupt \(format): \(rest)")
    }

    /// A kind of file that the library does not read, in its own words.
    static func unsupported(_ format: ImageFormat, _ words: String) -> DecodeError {
        DecodeError(.unsupported, "a \(format) that is not supported: \(words)")
    }
}
