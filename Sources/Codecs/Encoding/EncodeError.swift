/// Why there is no file, in one line.
///
/// A description starts in lower case unless with a proper name, ends without a full stop, and is printable ASCII.
public struct EncodeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Who can do something about it.
    public enum Kind: Hashable, Sendable {
        /// A side is longer than the format allows.
        case tooLarge
        /// The memory for the file, or for the library's work, could not be had.
        case outOfMemory
        /// The library gave up, for a reason of its own.
        case library
    }

    /// Who can do something about it.
    public let kind: Kind
    /// One line for people.
    public let description: String

    /// An error of a kind with its line.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    static let outOfMemory = EncodeError(.outOfMemory, "not enough memory to encode it")
}
