internal import SpyglassFetching
internal import SpyglassTerminalUI

/// Which picture, at what size on the screen.
struct PictureKey: Hashable, Sendable {
    var address: WebAddress
    /// The box it fits into.
    var box: CellSize
}

/// A picture as far as it has come.
enum Picture: Hashable, Sendable {
    case loading
    /// Cells to draw; a preview or a smaller picture enlarged is followed by something better.
    case shown(CellImage, isFinal: Bool, isStale: Bool)
    /// Why there is none.
    case failed(PictureFailure)
}

/// A picture that is wanted.
struct PictureRequest: Hashable, Sendable {
    var key: PictureKey
    var trust: AddressTrust
    /// Whether coarse forms are shown while it comes, and what stands in until then: for one large picture.
    var standIn: PictureKey?
    /// Whether the server is asked whether it has changed.
    var revalidates = false
}

/// Everything that is wanted; what is not in it is cancelled.
struct PictureRequests: Hashable, Sendable {
    /// On the screen, the most important first.
    var visible: [PictureRequest] = []
    /// A screen on each side: drawn when it is there.
    var near: [PictureRequest] = []
    /// Further on in the direction of travel: brought into memory and not drawn.
    var ahead: [PictureRequest] = []
}
