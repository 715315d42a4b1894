internal import SpyglassFetching
internal import SpyglassPixels

/// The key of a decoded image in memory and, as `thumbnailName`, on disk.
///
/// Trust is part of it: a response from the user's own network must not be shown to a service that names the same address.
/// Files and bytes have no key, since a change to them goes unnoticed.
public struct ImageKey: Hashable, Sendable {
    let address: WebAddress
    let trust: AddressTrust
    let target: TargetSize
    let isExact: Bool

    init?(_ request: ImageRequest) {
        guard case .address(let address, let trust) = request.source else { return nil }
        self.address = address
        self.trust = trust
        target = request.target
        isExact = request.isExact
    }

    /// Free of secrets; `nil` if the address identifies the user, since other images would have the same name.
    var thumbnailName: String? {
        guard !address.identifiesUser else { return nil }
        let trust = trust == .user ? "user" : "public"
        return "thumbnail \(CachedImage.recordVersion) \(target) \(isExact ? "exact" : "fast") \(trust) "
            + address.withoutSecrets.text
    }
}

struct TransferKey: Hashable, Sendable {
    let address: WebAddress
    let trust: AddressTrust
    let revalidates: Bool
}
