public import SpyglassFetching

/// One photograph (or video, or sound) of a source, with everything the source says about it.
///
/// Text is as the source gave it, less markup and surrounding white space: it may still hold anything that Unicode
/// can, so it goes through the terminal's sanitiser before it is printed.
public struct Photo: Hashable, Sendable, Identifiable {
    /// The source's own id, unique within the source.
    public var id: String
    /// The title; the id when the source has none.
    public var title: String
    /// Who took it.
    public var photographer: String?
    /// Who else is named as its maker.
    public var secondaryCreator: String?
    /// When, exactly as the source wrote it (`1969-07-20T00:00:00Z`).
    public var date: String?
    /// The NASA centre, or the like, that published it.
    public var center: String?
    /// Where it was taken.
    public var location: String?
    /// What it shows, as plain text.
    public var description: String?
    /// Search words.
    public var keywords: [String] = []
    /// The albums it is part of.
    public var albums: [String] = []
    /// What kind of thing it is.
    public var mediaType: MediaType = .image
    /// The preview picture, or `nil` when the source has none.
    public var thumbnail: WebAddress?
    /// Every known picture file, the preview among them, in the source's order.
    public var renditions: [Rendition] = []
    /// The page for people.
    public var page: WebAddress?
    /// The credit line.
    public var credit: String?
    /// How far its addresses may lead: they are the words of a service on the Internet, or of one of the user's own.
    public var trust = AddressTrust.publicService
    /// The name of the source: `nasa`, `demo`.
    public var source: String

    /// A photo of which only the id is known.
    public init(id: String, source: String) {
        self.id = id
        self.title = id
        self.source = source
    }
}

/// What kind of thing a source's item is.
public enum MediaType: String, Hashable, Sendable, CaseIterable {
    /// A still picture.
    case image
    /// A film; its thumbnail, when there is one, is a still.
    case video
    /// Sound; it has no picture.
    case audio
}

/// One file of a photo.
public struct Rendition: Hashable, Sendable {
    /// Where it is.
    public var address: WebAddress
    /// Pixels across, when the source says.
    public var width: Int?
    /// Pixels down, when the source says.
    public var height: Int?
    /// Bytes, when the source says; never to be trusted for an allocation.
    public var bytes: Int?
    /// Its relation to the photo, as the source names it: `preview`, `alternate`, `canonical`.
    public var rel: String?

    /// A file of which only the address is known, or more.
    public init(_ address: WebAddress, width: Int? = nil, height: Int? = nil, bytes: Int? = nil, rel: String? = nil) {
        self.address = address
        self.width = width
        self.height = height
        self.bytes = bytes
        self.rel = rel
    }
}
