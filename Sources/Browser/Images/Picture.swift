internal import SpyglassCodecs
internal import SpyglassFiles
internal import SpyglassPipeline
internal import SpyglassPixels
internal import SpyglassTerminalUI

struct PictureKey: Hashable, Sendable {
    var source: ImageSource
    var region = ImageRegion.whole
    var box: CellSize
    /// A part's size on the screen, in pixels of the box: the same wherever the part is; `nil` for the whole image.
    var partSize: PixelSize?
    /// Whether it is the one photo in full, not one of a list.
    var isFull = false
    /// Whether it fills its box, and what is beyond the box is cut off.
    var isCropped = false
}

enum Picture: Hashable, Sendable {
    case loading
    /// Not final: a preview, or a coarser image, enlarged.
    case shown(CellImage, PictureFacts = PictureFacts(), isFinal: Bool, isStale: Bool)
    case failed(FailureKind)
}

/// What is known of the file that an image was decoded from.
struct PictureFacts: Hashable, Sendable {
    /// The whole upright image in pixels; `nil` if unknown.
    var size: PixelSize?
    /// Whether its format can hold an animation.
    var mayMove = false
    /// How much of the image the file holds.
    var completeness = DecodedImage.Completeness.complete

    /// Width by height.
    var ratio: Double? { size.flatMap { $0.height > 0 ? Double($0.width) / Double($0.height) : nil } }
}

struct PictureRequest: Hashable, Sendable {
    var key: PictureKey
    /// Coarser images of the whole photo, the best first: until frames come, the first in memory is cut to the region and enlarged.
    var coarse: [PictureKey] = []
    var revalidates = false
}

struct PictureRequests: Hashable, Sendable {
    var visible: [PictureRequest] = []
    /// One screen on each side, rendered to cells.
    var near: [PictureRequest] = []
    /// Further in the direction of travel: only loaded into memory.
    var ahead: [PictureRequest] = []

    /// The folders whose contact sheets are drawn.
    var folders: Set<[UInt8]> {
        Set((visible + near).compactMap { if case .folder(let folder) = $0.key.source { folder.path } else { nil } })
    }
}

enum FailureKind: Hashable, Sendable {
    case notFound
    case status(Int)
    case unreachable, timedOut, tooLarge
    /// A disallowed address: another scheme, a private network, too many redirects.
    case refused
    case notRecorded, notCached, unavailable, notAPicture, unsupported, damaged, outOfMemory, unknown
    /// An unsupported format, by its name.
    case format(String)

    /// Whether another try may succeed: limits and formats stay while the program runs.
    var canRetry: Bool {
        switch self {
        case .tooLarge, .unsupported, .format: false
        default: true
        }
    }
}
