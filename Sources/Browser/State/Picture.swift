internal import SpyglassPipeline
internal import SpyglassPixels
internal import SpyglassTerminalUI

struct PictureKey: Hashable, Sendable {
    var source: ImageSource
    var region = ImageRegion.whole
    var box: CellSize
    /// Whether it is the one photo in full, not one of a list.
    var isFull = false
}

enum Picture: Hashable, Sendable {
    case loading
    /// Not final: a preview or an enlarged thumbnail.
    case shown(CellImage, isFinal: Bool, isStale: Bool)
    case failed(FailureKind)
}

extension Picture {
    /// Width by height; `nil` unless it is shown.
    func ratio(in traits: TerminalTraits) -> Double? {
        guard case .shown(let image, _, _) = self, image.rows > 0, image.columns > 0 else { return nil }
        return Double(image.columns * traits.aspect.width) / Double(image.rows * traits.aspect.height)
    }
}

struct PictureRequest: Hashable, Sendable {
    var key: PictureKey
    /// The thumbnail to enlarge until previews come; for large images.
    var thumbnail: PictureKey?
    var revalidates = false
}

struct PictureRequests: Hashable, Sendable {
    var visible: [PictureRequest] = []
    /// One screen on each side, rendered to cells.
    var near: [PictureRequest] = []
    /// Further in the direction of travel: only loaded into memory.
    var ahead: [PictureRequest] = []
}

enum FailureKind: Hashable, Sendable {
    case notFound
    case status(Int)
    case unreachable, timedOut, tooLarge
    /// A disallowed address: another scheme, a private network, too many redirects.
    case refused
    case notRecorded, notCached, unavailable, notAPicture, unsupported, damaged, outOfMemory, unknown
}
