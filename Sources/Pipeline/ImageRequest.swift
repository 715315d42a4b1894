internal import SpyglassCodecs
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
    /// When a cached image is shown without asking the server.
    public var cachePolicy = CachePolicy.http
    /// Header fields to send with the request of an address.
    ///
    /// Requests with different ones share nothing, and nothing is stored on disk.
    public var headers = HeaderFields()
    /// The name of the image in caches, in place of its source: for addresses that change, such as signed ones.
    ///
    /// Give a name to one image only. Bytes that have one are kept in memory.
    public var cacheKey: String?
    /// Change the pixels after decoding, in this order; their identifiers are part of every cache key.
    public var processors: [any ImageProcessing] {
        get { processing.processors }
        set { processing.processors = newValue }
    }
    private(set) var processing = ProcessorList()
    /// Whether `ImageTask.frames` starts with previews, where the image is a progressive JPEG that arrives slowly, or a large
    /// local JPEG that carries a small image of itself.
    ///
    /// Previews belong to the transfer: a request that joins one started without them gets the final frame only.
    public var includesPreviews: Bool
    /// Whether the frame of an address comes with its animation, so that playing it needs no second transfer.
    package var findsAnimation = false

    /// Makes a request; `headers`, `processors`, `cachePolicy` and `cacheKey` are set afterwards.
    public init(
        _ source: ImageSource, region: ImageRegion = .whole, target: TargetSize, isExact: Bool = false,
        priority: FetchPriority = .visible, includesPreviews: Bool = false
    ) {
        self.source = source
        self.region = region
        self.target = target
        self.isExact = isExact
        self.priority = priority
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

extension ImageRequest {
    /// When a cached image is shown without asking the server.
    @nonexhaustive
    public enum CachePolicy: Hashable, Sendable {
        /// As long as its response allows (RFC 9111); an image without a lifetime is fetched each time.
        case http
        /// For at least this time after it was fetched, even if the response has no lifetime or forbids it.
        case atLeast(Duration)
        /// For ever: the address always means the same image.
        case immutable
        /// Never: the server is asked, even if a cache has a fresh image.
        case reload
        /// Always, even if stale. Nothing is fetched: an image in no cache throws `ImageError.fetch` of kind `notCached`.
        ///
        /// A transport of your own sees `Cache-Control: only-if-cached`.
        case cacheOnly
    }

    var revalidates: Bool { cachePolicy == .reload }
}

/// Changes decoded pixels: a filter, a watermark, rounded corners.
///
///     struct Grayscale: ImageProcessing {
///         var identifier: String { "grayscale" }
///         func process(_ image: consuming PixelBuffer, _ context: ProcessingContext) throws -> PixelBuffer { ... }
///     }
public protocol ImageProcessing: Sendable {
    /// Names the change with all its parameters: `blur 2.5`. Processors with equal identifiers make equal pixels.
    var identifier: String { get }

    /// Returns the changed pixels, of any size; on a decoding thread.
    ///
    /// - Throws: any error, which becomes an `ImageError` with its description.
    func process(_ image: consuming PixelBuffer, _ context: ProcessingContext) throws -> PixelBuffer
}

/// The image that a processor changes.
public struct ProcessingContext: Sendable {
    /// Where the image is from.
    public let source: ImageSource
    /// The size for which it was decoded.
    public let target: TargetSize
    /// False for a preview.
    public let isFinal: Bool
}

/// Processors, equal if their identifiers are.
struct ProcessorList: Hashable, Sendable {
    var processors: [any ImageProcessing] = []
    var identifiers: [String] { processors.map(\.identifier) }

    static func == (left: ProcessorList, right: ProcessorList) -> Bool { left.identifiers == right.identifiers }
    func hash(into hasher: inout Hasher) { hasher.combine(identifiers) }
}

/// Where an encoded image is.
///
///     let local: ImageSource = "photo.jpg"
///     let remote: ImageSource = "https://images.example/photo.jpg"
///     let found = ImageSource.address(try WebAddress(validating: textFromFeed), .publicAddresses)
///
/// Only a string literal converts implicitly: a string from a feed cannot open a file by accident.
@nonexhaustive
public enum ImageSource: Hashable, Sendable, CustomStringConvertible {
    /// A web address, fetched through the pipeline's transport; its origin decides which networks it may reach.
    case address(WebAddress, NetworkReach = .any)
    /// A file, by its path in UTF-8; looked up when the request runs, so a missing one fails then.
    case file(String)
    /// A file with the contents that it had when it was looked at; kept in memory and among the thumbnails.
    case localFile(LocalFile)
    /// A small contact sheet of a folder's first pictures; kept in memory.
    case folder(LocalFile)
    /// Bytes in memory.
    case bytes([UInt8])

    /// An http or https address in a string, such as one from a feed.
    ///
    /// - Throws: `ImageError`, if it is not a valid address.
    public init(address text: String) throws(ImageError) {
        do { self = .address(try WebAddress(validating: text)) } catch { throw .fetch(error) }
    }

    /// A file with the contents that it has now, looked up at once; `.file(path)` is looked up when its request runs.
    ///
    /// - Throws: `ImageError`, if the path does not lead to a file (`stat`).
    public init(file path: String) throws(ImageError) {
        guard let file = LocalFile(path: path) else {
            throw .decode(CodecError(.unreadable, "no such file, or not accessible"), .file(path))
        }
        guard !file.isFolder else { throw .decode(CodecError(.unreadable, "a folder, not a file"), .file(path)) }
        self = .localFile(file)
    }

    /// The address or the path in one line, without control characters; `12 bytes` for bytes.
    public var description: String {
        switch self {
        case .address(let address, _): "\(address)"
        case .file(let path): path.onOneLine
        case .localFile(let file), .folder(let file): "\(file)"
        case .bytes(let bytes): "\(bytes.count) bytes"
        }
    }

    /// The text that names the source in messages; `nil` for bytes.
    var name: String? {
        switch self {
        case .address(let address, _): "\(address)"
        case .file(let path): path
        case .localFile(let file), .folder(let file): file.name
        case .bytes: nil
        }
    }
}

extension EncodedImage {
    var source: ImageSource {
        switch self {
        case .bytes(let bytes): .bytes(bytes)
        case .localFile(let file): .localFile(file)
        case .file(let path): .file(path)
        }
    }
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
/// Bytes and files by their path alone have no key, since a change to them goes unnoticed, unless the request names them.
package struct ImageKey: Hashable, Sendable {
    /// `nil` if the request has a name of its own.
    let source: ImageSource?
    let name: String?
    let region: ImageRegion
    let target: TargetSize
    let isExact: Bool
    let headers: HeaderFields
    let processors: [String]

    init?(_ request: ImageRequest) {
        name = request.cacheKey
        switch request.source {
        case _ where request.cacheKey != nil: source = nil
        case .address, .localFile, .folder: source = request.source
        case .file, .bytes: return nil
        }
        headers = request.headers
        processors = request.processing.identifiers
        region = request.region
        target = request.target
        isExact = request.isExact
    }

    /// Free of secrets; `nil` for a part of an image, or if the address identifies the user: other images would have the same name.
    var thumbnailName: String? {
        guard region == .whole, headers.fields.isEmpty else { return nil }
        let place: String
        switch source {
        case nil: place = "named \(name ?? "")"
        case .address(let address, let trust):
            guard address.isCacheable, let address = address.storable else { return nil }
            place = "\(trust == .any ? "user" : "public") \(address.text)"
        case .localFile(let file): place = "file \(file.cacheName)"
        case .file, .folder, .bytes: return nil
        }
        let changes = processors.map { " \($0.utf8.count) \($0)" }.joined()
        return "thumbnail \(CachedImage.recordVersion) \(target) \(isExact ? "exact" : "fast")\(changes) \(place)"
    }
}

struct TransferKey: Hashable, Sendable {
    let address: WebAddress
    let trust: NetworkReach
    var headers = HeaderFields()
    let revalidates: Bool
}

extension ImageRequest {
    /// The transfer that a part of an image needs.
    var originalKey: TransferKey? {
        guard region != .whole, case .address(let address, let trust) = source else { return nil }
        return transferKey(address, trust)
    }

    func transferKey(_ address: WebAddress, _ trust: NetworkReach, revalidates: Bool? = nil) -> TransferKey {
        var key = TransferKey(
            address: address, trust: trust, headers: headers, revalidates: revalidates ?? self.revalidates)
        if !headers.fields.isEmpty { key.headers.add(name: "Cache-Control", value: "no-store") }
        if cachePolicy == .cacheOnly { key.headers.add(name: "Cache-Control", value: "only-if-cached") }
        return key
    }
}
