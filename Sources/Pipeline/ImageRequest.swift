public import SpyglassFetching
public import SpyglassFiles
public import SpyglassPixels

/// An image to load: its source, its size, and how urgently.
///
///     let request = ImageRequest("photo.jpg", target: TargetSize(box: PixelSize(width: 60, height: 40)))
///
/// The target size is known before anything is read, so the cost of decoding follows it and not the file.
public struct ImageRequest: Hashable, Sendable {
    /// Where the image is.
    public var source: ImageSource
    /// The part of the upright image that is wanted.
    public var region: ImageRegion
    /// The output size of that part.
    public var target: TargetSize
    /// Whether a JPEG is decoded at full resolution and averaged in linear light only (`ImageDecoder.decode`).
    public var isExact: Bool
    /// How urgent it is; requests that differ only in priority are equal to every cache.
    public var priority: FetchPriority
    /// Whether the server is asked even if a cache has a fresh image; skips memory and the thumbnails on disk.
    public var revalidates: Bool
    /// Whether `ImageTask.frames` starts with previews, where the image is a progressive JPEG that arrives slowly, or a large
    /// local JPEG that carries a small image of itself.
    ///
    /// Previews belong to the transfer: a request that joins one started without them gets the final frame only.
    public var includesPreviews: Bool
    /// Whether the frame of an address comes with its animation, so that playing it needs no second transfer.
    package var findsAnimation = false

    /// A request.
    public init(
        _ source: ImageSource, region: ImageRegion = .whole, target: TargetSize, isExact: Bool = false,
        priority: FetchPriority = .visible, revalidates: Bool = false, includesPreviews: Bool = false
    ) {
        self.source = source
        self.region = region
        self.target = target
        self.isExact = isExact
        self.priority = priority
        self.revalidates = revalidates
        self.includesPreviews = includesPreviews
    }

    /// Equal for requests that can share a decode; `nil` for bytes, which would cost a comparison.
    var workKey: ImageRequest? {
        if case .bytes = source { return nil }
        var key = self
        key.priority = .prefetch
        key.includesPreviews = false
        return key
    }
}

/// Where an encoded image is.
///
///     let local: ImageSource = "photo.jpg"
///     let remote: ImageSource = "https://images.example/photo.jpg"
///     let found = ImageSource.address(try WebAddress(validating: textFromFeed), .publicService)
///
/// Only a string literal converts implicitly: a string from a feed cannot open a file by accident.
@nonexhaustive
public enum ImageSource: Hashable, Sendable {
    /// A web address, fetched through the pipeline's transport; its origin decides which networks it may reach.
    case address(WebAddress, AddressTrust = .user)
    /// A file, by its path in UTF-8.
    case file(String)
    /// A file with the contents that it had when it was looked at; kept in memory and among the thumbnails.
    case localFile(LocalFile)
    /// A small contact sheet of a folder's first pictures; kept in memory.
    case folder(LocalFile)
    /// Bytes in memory.
    case bytes([UInt8])
}

extension ImageSource: ExpressibleByStringLiteral {
    /// An http or https address if the literal starts like one, otherwise a path; traps if the address is invalid.
    public init(stringLiteral literal: StaticString) {
        let text = literal.description
        guard ["http://", "https://"].contains(where: text.lowercased().hasPrefix) else {
            self = .file(text)
            return
        }
        guard let address = WebAddress(text) else { preconditionFailure("not a valid web address: \(text)") }
        self = .address(address)
    }
}

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
