internal import SpyglassCodecs
internal import SpyglassFiles
internal import SpyglassPipeline
internal import SpyglassPixels
internal import SpyglassTerminalUI

/// Identifies an image as it is drawn: its file, the part of it, and its box.
struct PictureKey: Hashable, Sendable {
    var source: ImageSource
    var region = ImageRegion.whole
    var box: CellSize
    /// The size of a part on the screen, in pixels of the box, which does not depend on where it is; `nil` for the whole.
    var partSize: PixelSize?
    /// Whether the image is the one photo in full, not one of a list.
    var isFull = false
    /// Whether the image fills its box, and the rest is cut off.
    var isCropped = false
}

/// A requested image, as far as it has come.
enum Picture: Hashable, Sendable {
    case loading
    /// Not final: a preview, or a coarser image, enlarged.
    case shown(CellImage, PictureFacts = PictureFacts(), isFinal: Bool, isStale: Bool)
    case failed(FailureKind)
}

/// Facts about the file that an image was decoded from.
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

/// The requested images, the most urgent first.
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

extension Picture {
    var hasFailed: Bool { if case .failed = self { true } else { false } }

    var isFinal: Bool { if case .shown(_, _, isFinal: true, _) = self { true } else { false } }

    /// The facts of the image's file, once something of it is shown.
    var facts: PictureFacts? { if case .shown(_, let facts, _, _) = self { facts } else { nil } }
}
