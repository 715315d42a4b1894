public import SpyglassFetching
public import SpyglassPixels

/// What tells one decoded picture from another: where it is, who named the place, and how it was decoded.
///
/// Who named it counts: what the user's own network answered to the user must not be shown to a service that named the same address.
/// Pictures in files and in memory have no key, since nobody says when they change.
public struct ImageKey: Hashable, Sendable {
    /// Where the encoded picture is.
    public let address: WebAddress
    /// Who named the address.
    public let trust: AddressTrust
    /// The size that was wanted.
    public let target: TargetSize
    /// Whether it was decoded in full.
    public let isExact: Bool

    /// The key of a request; `nil` for a file or bytes.
    public init?(_ request: ImageRequest) {
        guard case .address(let address, let trust) = request.source else { return nil }
        self.address = address
        self.trust = trust
        target = request.target
        isExact = request.isExact
    }
}

/// What two requests share when one decode serves both.
enum DecodeKey: Hashable, Sendable {
    case picture(ImageKey, revalidates: Bool)
    case file(String, TargetSize, isExact: Bool)

    /// `nil` for bytes: telling whether two are the same would cost the caller a walk over them.
    init?(_ request: ImageRequest) {
        switch request.source {
        case .bytes: return nil
        case .file(let path): self = .file(path, request.target, isExact: request.isExact)
        case .address:
            guard let key = ImageKey(request) else { return nil }
            self = .picture(key, revalidates: request.revalidates)
        }
    }
}

/// What two decodes share when one transfer serves both.
struct TransferKey: Hashable, Sendable {
    let address: WebAddress
    let trust: AddressTrust
    let revalidates: Bool
}
