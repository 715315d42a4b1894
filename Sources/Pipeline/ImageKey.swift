internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassPixels

/// The key of a decoded image in memory and, as `thumbnailName`, on disk.
///
/// Trust is part of it: a response from the user's own network must not be shown to a service that names the same address.
/// Bytes and files by their path alone have no key, since a change to them goes unnoticed.
package struct ImageKey: Hashable, Sendable {
    let source: ImageSource
    let region: ImageRegion
    let target: TargetSize
    let isExact: Bool

    init?(_ request: ImageRequest) {
        switch request.source {
        case .address, .localFile, .folder: source = request.source
        case .file, .bytes: return nil
        }
        region = request.region
        target = request.target
        isExact = request.isExact
    }

    /// Free of secrets; `nil` for a part of an image, or if the address identifies the user: other images would have the same name.
    var thumbnailName: String? {
        guard region == .whole else { return nil }
        let place: String
        switch source {
        case .address(let address, let trust):
            guard address.isStorable else { return nil }
            place = "\(trust == .user ? "user" : "public") \(address.withoutSecrets.text)"
        case .localFile(let file): place = "file \(file.cacheName)"
        case .file, .folder, .bytes: return nil
        }
        return "thumbnail \(CachedImage.recordVersion) \(target) \(isExact ? "exact" : "fast") \(place)"
    }
}

struct TransferKey: Hashable, Sendable {
    let address: WebAddress
    let trust: AddressTrust
    let revalidates: Bool
}

extension ImageRequest {
    /// The transfer that a part of an image needs.
    var originalKey: TransferKey? {
        guard region != .whole, case .address(let address, let trust) = source else { return nil }
        return TransferKey(address: address, trust: trust, revalidates: revalidates)
    }
}
