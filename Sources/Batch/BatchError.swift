internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassJSON

/// Why one item failed, or why the batch cannot continue.
package struct BatchError: Error, Hashable, Sendable {
    /// The raw values are the report's `error.kind`.
    package enum Kind: String, Hashable, Sendable {
        case unreadable
        case empty
        case notAnImage = "not_an_image"
        case unsupported
        /// Not decodable, or truncated.
        case corrupt
        case limit
        /// The workers that decoded it died, twice.
        case crashed
        case fetch
        /// The server or the archive does not have it.
        case notFound = "not_found"
        /// `X-Robots-Tag` refuses its use.
        case robotsTag = "robots_tag"
        /// The bytes are not those of `--verify`.
        case hashMismatch = "hash_mismatch"
        /// Another item or an unrelated file has the output's name.
        case collision
        case unwritable
        /// An invalid manifest line or operand.
        case input
        case cancelled
        case `internal`

        /// The command line must change.
        case usage
        /// The output folder, the manifest or the search cannot be used; a retry may succeed.
        case unavailable

        /// A few words, at most 26 characters.
        package var words: String {
            switch self {
            case .unreadable: "not readable"
            case .empty: "empty file"
            case .notAnImage: "not an image"
            case .unsupported: "format not supported"
            case .corrupt: "damaged"
            case .limit: "above a limit"
            case .crashed: "decoder crashed"
            case .fetch: "not downloaded"
            case .notFound: "not found"
            case .robotsTag: "refused by a robots tag"
            case .hashMismatch: "hash differs"
            case .collision: "name already used"
            case .unwritable, .unavailable: "not writable"
            case .input, .usage: "invalid input"
            case .cancelled: "stopped"
            case .internal: "internal error"
            }
        }
    }

    package var kind: Kind
    /// The failure and its reason: one line without control characters.
    package var reason: String
    /// A hint for users of `resize`, such as `use --force`; other callers leave it out.
    package var remedy: String?

    package var message: String { reason + (remedy.map { "; \($0)" } ?? "") }

    package init(_ kind: Kind, _ reason: String, remedy: String? = nil) {
        (self.kind, self.reason, self.remedy) = (kind, reason, remedy)
    }
}

extension BatchError {
    init(_ error: CodecError, _ services: BatchServices) {
        let kind: Kind =
            switch error.kind {
            case .empty: .empty
            case .notAnImage: .notAnImage
            case .unsupported: .unsupported
            case .corrupt: .corrupt
            case .limit, .outOfMemory: .limit
            case .unreadable: .unreadable
            case .cancelled: .cancelled
            case .library: .internal
            case .crashed: .crashed
            }
        self.init(kind, services.decodeMessage(error))
    }

    init(_ error: FetchError, _ services: BatchServices) {
        let kind: Kind =
            switch error.kind {
            case .tooLarge: .limit
            case .notRecorded: .notFound
            default: .fetch
            }
        self.init(kind, services.fetchMessage(error))
    }

    init(status: Int, of address: WebAddress) {
        // RFC 9110 sections 15.5.5 and 15.5.11.
        self.init(status == 404 || status == 410 ? .notFound : .fetch, "\(address) returned HTTP \(status)")
    }

    init?(_ images: DecodedImage) {
        switch images.completeness {
        case .complete: return nil
        case .truncated(let rows, let all): self.init(.corrupt, "truncated: \(rows) of \(all) rows")
        case .degraded: self.init(.corrupt, "degraded: \(images.firstWarning ?? "parts are missing or damaged")")
        }
    }

    static let changed = BatchError(.unreadable, "changed while it was read")
    static let cancelled = BatchError(.cancelled, "the run was stopped")
}

extension String {
    /// The text as messages quote it: one line without control characters, and not longer than a line should be.
    var quoted: String {
        let limit = 120
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(limit) { text.append(scalar.isTextControl ? "\u{FFFD}" : scalar) }
        return "'\(String(text))\(unicodeScalars.count > limit ? "…" : "")'"
    }
}

extension Int {
    /// `1,234,567`.
    package var grouped: String {
        magnitude < 1000 ? "\(self)" : "\((self / 1000).grouped),\("\(1000 + magnitude % 1000)".dropFirst())"
    }
}
