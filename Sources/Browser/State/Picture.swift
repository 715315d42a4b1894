internal import SpyglassFetching
internal import SpyglassTerminalUI

struct PictureKey: Hashable, Sendable {
    var address: WebAddress
    var box: CellSize
}

enum Picture: Hashable, Sendable {
    case loading
    /// Not final: a preview or an enlarged thumbnail.
    case shown(CellImage, isFinal: Bool, isStale: Bool)
    case failed(PictureFailure)
}

struct PictureRequest: Hashable, Sendable {
    var key: PictureKey
    var trust: AddressTrust
    /// The thumbnail to enlarge until previews come; for large images.
    var thumbnail: PictureKey?
    var revalidates = false
}

/// All images needed now; others are cancelled.
struct PictureRequests: Hashable, Sendable {
    var visible: [PictureRequest] = []
    /// One screen on each side, rendered to cells.
    var near: [PictureRequest] = []
    /// Further in the direction of travel: only loaded into memory.
    var ahead: [PictureRequest] = []
}

enum PictureFailure: Hashable, Sendable {
    case notFound
    case status(Int)
    case unreachable
    case timedOut
    case tooLarge
    /// A disallowed address: another protocol, a private network.
    case refused
    case notRecorded
    case notCached
    case unavailable
    case notAPicture
    case unsupported
    case damaged
    case outOfMemory
    case unknown
}
