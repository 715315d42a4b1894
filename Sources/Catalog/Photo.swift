public import SpyglassFetching
package import SpyglassFiles

/// One photo, video or sound of a source, with its metadata.
///
/// Text is the source's, without markup and surrounding white space. It may hold any Unicode characters: sanitise it
/// before printing.
public struct Photo: Hashable, Sendable, Identifiable {
    /// The id, unique within the source.
    public var id: String
    /// The title; the id if there is none.
    public var title: String
    /// The photographer.
    public var photographer: String?
    /// A second maker.
    public var secondaryCreator: String?
    /// The date, exactly as the source wrote it (`1969-07-20T00:00:00Z`).
    public var date: String?
    /// The publisher, such as a NASA centre.
    public var center: String?
    /// The place it shows, or where it was taken.
    public var location: String?
    /// The description, as plain text.
    public var description: String?
    /// The keywords.
    public var keywords: [String] = []
    /// The albums that contain it.
    public var albums: [String] = []
    /// The kind of item.
    public var mediaType: MediaType = .image
    /// The preview; `nil` if there is none.
    public var thumbnail: WebAddress?
    /// All known image files, including the preview, in the source's order.
    public var renditions: [Rendition] = []
    /// Its web page.
    public var page: WebAddress?
    /// The credit line.
    public var credit: String?
    /// The name of its licence, such as `CC BY-SA 4.0`; `nil` if the source states none.
    public var license: String?
    /// The text of its licence.
    public var licenseURL: WebAddress?
    /// Which networks its addresses may lead to.
    public var trust = NetworkReach.publicAddresses
    /// The name of the source: `nasa`, `demo`.
    public var source: String
    /// The file or folder on disk.
    package var file: LocalFile?
    /// Whether `date` is the file's own, not one that its metadata states.
    package var isDatedByFile = false
    /// The format of a file that cannot be decoded, by its name: `GIF`.
    package var unsupportedFormat: String?
    /// The pages of a local file, which are pictures of the photo.
    package var pageCount = 1
    /// The camera, as the file names it.
    package var camera: String?
    /// The format of the file, by its first bytes: `JPEG`.
    package var format: String?
    /// The exposure, as the file names it.
    package var exposure: Exposure?
    /// The contents of a folder, once it was counted.
    package var contents: FolderContents?
    /// The pixels of the original, if they are known.
    package var width: Int?
    package var height: Int?
    /// Whether `PhotoSource.renditions(of:)` names files smaller than the original, which its page lacks.
    package var lacksFiles = false

    /// A photo with only an id.
    public init(id: String, source: String) {
        self.id = id
        self.title = id
        self.source = source
    }
}

/// The kind of an item.
@nonexhaustive
public enum MediaType: String, Hashable, Sendable, CaseIterable {
    /// A still image.
    case image
    /// A video; its thumbnail is a still.
    case video
    /// Sound; it has no image.
    case audio
    /// A folder of pictures; its image is a contact sheet.
    case folder

    /// The kinds that an archive on the web has.
    static let published: [MediaType] = [.image, .video, .audio]
}

/// How a picture was exposed, as far as its file tells.
package struct Exposure: Hashable, Sendable {
    /// In seconds, above 0.
    package var time: Double?
    package var fNumber: Double?
    /// The sensitivity, ISO 12232.
    package var iso: Int?
    /// In millimetres, above 0.
    package var focalLength: Double?

    package init(time: Double?, fNumber: Double?, iso: Int?, focalLength: Double?) {
        (self.time, self.fNumber, self.iso, self.focalLength) = (time, fNumber, iso, focalLength)
    }
}

/// The numbers of photos and folders directly in a folder, without hidden names, links and files of other kinds.
package struct FolderContents: Hashable, Sendable {
    package var photos = 0
    package var folders = 0
    /// Whether there is more than was counted.
    package var isPartial = false

    package init(photos: Int = 0, folders: Int = 0) { (self.photos, self.folders) = (photos, folders) }
}

/// One file of a photo.
public struct Rendition: Hashable, Sendable {
    /// Its address.
    public var address: WebAddress
    /// Width in pixels, if known.
    public var width: Int?
    /// Height in pixels, if known.
    public var height: Int?
    /// Size in bytes according to the source; do not allocate by it.
    public var bytes: Int?
    /// The source's name of its relation to the photo: `preview`, `alternate`, `canonical`.
    public var rel: String?

    /// A file with an address and what is known about it.
    public init(_ address: WebAddress, width: Int? = nil, height: Int? = nil, bytes: Int? = nil, rel: String? = nil) {
        self.address = address
        self.width = width
        self.height = height
        self.bytes = bytes
        self.rel = rel
    }
}

// A post with several pictures is one photo. The files of the first have the names above, each other one has a file named
// `picture-2`, `picture-3`, ...
extension Rendition {
    private static let picturePrefix = "picture-"

    static func rel(ofPicture number: Int) -> String { "\(picturePrefix)\(number)" }

    /// True for another picture than the photo's first.
    package var isOtherPicture: Bool { rel?.hasPrefix(Self.picturePrefix) ?? false }
}

extension Photo {
    /// The number of its pictures, at least 1.
    package var pictureCount: Int { pageCount + renditions.count { $0.isOtherPicture } }

    /// The photo with the files of one of its pictures, from 1, as if it had no other; the first for an invalid number.
    package func picture(_ number: Int) -> Photo {
        var photo = self
        if 1...pageCount ~= number { photo.file?.page = number - 1 }
        let others = renditions.filter(\.isOtherPicture)
        guard number > 1, number - 2 < others.count else {
            photo.renditions = renditions.filter { !$0.isOtherPicture }
            return photo
        }
        var file = others[number - 2]
        file.rel = "canonical"
        photo.renditions = [file]
        photo.thumbnail = file.address
        photo.width = file.width
        photo.height = file.height
        return photo
    }
}
