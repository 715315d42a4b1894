internal import SpyglassCodecs
internal import SpyglassFetching

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
