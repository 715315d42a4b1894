internal import SpyglassThreads

/// Why a file was not decoded or encoded, in one line.
///
///     do { try decoder.decode(source, to: target) } catch { print("spyglass: \(name): \(error)") }
///
/// A description contains no file name and no full stop at its end. It starts in lower case unless with a proper name. It is
/// printable ASCII, except for the caller's own strings.
public struct CodecError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, by who can act on it.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// The file has no bytes.
        case empty
        /// The bytes are not an image: a web page, a text, a document, noise.
        case notAnImage
        /// The format, or this kind of it, is unsupported, or its library is missing.
        case unsupported
        /// The file is damaged beyond use.
        case corrupt
        /// The image exceeds a limit, or what its format can store.
        case limit
        /// The file cannot be read: missing, forbidden, not a regular file, or a disk error.
        case unreadable
        /// Memory ran out within the limits.
        case outOfMemory
        /// The caller cancelled.
        case cancelled
        /// A library failed for a reason of its own, or a worker cannot be started.
        case library
        /// The workers that decoded it died, twice.
        case crashed
    }

    /// The kind of failure, by who can act on it.
    public let kind: Kind
    /// One line for people.
    public let description: String
    /// The limit to raise, where a higher one would help.
    public let exceeded: ImageLimits.Exceeded?
    /// The file's format, if it is known and unsupported: `SVG`, `JPEG XL: CMYK`.
    package let unsupportedFormat: String?

    /// An error of a kind with its line.
    public init(_ kind: Kind, _ description: String) { self.init(kind, description, nil) }

    /// The error of a file that exceeds a limit, with its line.
    public init(_ exceeded: ImageLimits.Exceeded, _ description: String) { self.init(.limit, description, exceeded) }

    init(_ kind: Kind, _ description: String, _ exceeded: ImageLimits.Exceeded?, unsupportedFormat: String? = nil) {
        (self.kind, self.description, self.exceeded) = (kind, description, exceeded)
        self.unsupportedFormat = unsupportedFormat
    }

    static let cancelled = CodecError(.cancelled, "cancelled")
    /// Thrown by a process that may only use libavif, for a file that libheif may decode; compare with it.
    static let needsLibheif = CodecError(.unsupported, "AVIF: libavif cannot decode it, libheif may")
    static func outOfMemory(to action: String) -> CodecError {
        CodecError(.outOfMemory, "not enough memory to \(action) it")
    }

    init(_ refusal: WorkMemory.Refusal) {
        func mebibytes(_ count: Int) -> String { "\((count >> 20) + (count & 0xFFFFF == 0 ? 0 : 1)) MiB" }
        switch refusal {
        case .exceedsLimit(let needed, let limit):
            self.init(
                .workMemory(needing: needed),
                "needs \(mebibytes(needed)) of work memory, above the limit of \(mebibytes(limit))")
        case .unavailable(let needed):
            self.init(.outOfMemory, "not enough memory to decode it: the system does not grant \(mebibytes(needed))")
        case .cancelled: self = .cancelled
        }
    }

    static func corrupt(_ format: ImageFormat, _ message: String) -> CodecError {
        // libjpeg starts some messages with this.
        let prefix = "Corrupt JPEG data: "
        let detail = message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message
        return CodecError(.corrupt, "corrupt \(format): \(detail)")
    }

    static func unsupported(_ format: ImageFormat, _ message: String) -> CodecError {
        let name = "\(format): \(message)"
        return CodecError(.unsupported, "unsupported \(name)", nil, unsupportedFormat: name)
    }

    static func unsupported(bits: some StringProtocol) -> CodecError {
        let name = "\(bits)-bit JPEG"
        return CodecError(.unsupported, "\(name) is not supported", nil, unsupportedFormat: name)
    }

    static func unsupported(_ name: String) -> CodecError {
        CodecError(.unsupported, "not supported: \(name)", nil, unsupportedFormat: name)
    }
}

extension CodecError {
    /// The reason why a file is damaged, without the name of a format.
    var detail: String {
        guard description.hasPrefix("corrupt "), let colon = description.firstIndex(of: ":") else { return description }
        return String(description[colon...].dropFirst(2))
    }
}

extension ImageFormat {
    /// Names the format in errors of damaged files, also in those of code that several formats share.
    func naming<Result>(_ body: () throws(CodecError) -> Result) throws(CodecError) -> Result {
        do throws(CodecError) { return try body() } catch {
            throw error.kind == .corrupt ? .corrupt(self, error.detail) : error
        }
    }
}

extension String {
    /// A C library's message as printable ASCII; libpng quotes profile names, which may hold anything.
    init(libraryMessage message: UnsafePointer<CChar>) { self.init(printable: String(cString: message).unicodeScalars) }

    /// Text of a file as printable ASCII, with `?` for any other character.
    init(printable scalars: some Sequence<Unicode.Scalar>) {
        let bytes = scalars.map { (" "..."~").contains($0) ? UInt8(truncatingIfNeeded: $0.value) : UInt8(ascii: "?") }
        self.init(decoding: bytes, as: UTF8.self)
    }
}
