internal import SpyglassCodecs
internal import SpyglassFetching

extension BatchError {
    /// What an error of a picture is in a report, in the words of `services`.
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
            }
        self.init(kind, services.decodeWords(error))
    }

    /// What an error of a transfer is in a report, in the words of `services`.
    init(_ error: FetchError, _ services: BatchServices) {
        let kind: Kind =
            switch error.kind {
            case .tooLarge: .limit
            case .notRecorded: .notFound
            default: .fetch
            }
        self.init(kind, services.fetchWords(error))
    }

    /// What an error of a result is in a report.
    init(ofResult error: CodecError) {
        self.init(error.kind == .library ? .internal : .limit, "the result: \(error)")
    }

    /// What a status that brings no picture is in a report.
    init(status: Int, of address: WebAddress) {
        // RFC 9110 sections 15.5.5 and 15.5.11.
        self.init(status == 404 || status == 410 ? .notFound : .fetch, "\(address) answered \(status)")
    }

    /// A picture of which not all is there: `nil` of a whole one.
    init?(_ images: DecodedImage) {
        switch images.completeness {
        case .complete: return nil
        case .truncated(let rows, let all): self.init(.corrupt, "cut: \(rows) of \(all) rows are there")
        case .degraded:
            self.init(.corrupt, "not whole: \(images.firstWarning ?? "parts of it are missing or damaged")")
        }
    }

    /// What a run that ends makes of an item that is under way.
    static let cancelled = BatchError(.cancelled, "the run was stopped")
}
