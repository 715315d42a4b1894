internal import SpyglassCatalog
internal import SpyglassCodecs
internal import SpyglassFiles
internal import SpyglassPipeline
internal import SpyglassPixels
internal import SpyglassTerminalUI

/// The images of the screen and around it: requests, results, failures, transfers and animations.
struct ImageStore: Sendable {
    var pictures: [PictureKey: Picture] = [:]
    private(set) var requests = PictureRequests()
    /// Images on the screen after the last event; a failed image is retried when it becomes visible.
    private(set) var seen: Set<PictureKey> = []
    var revalidating: Set<PictureKey> = []
    /// Transfers of originals for a part of a photo.
    private(set) var progress: [PictureKey: ImageTask.Progress] = [:]
    /// Failed large images, replaced by previews until the user retries.
    private(set) var lostRenditions: Set<ImageSource> = []
    /// Failed previews, replaced by a spare one if the photo has it, until the user retries.
    private(set) var lostPreviews: Set<ImageSource> = []
    /// Files that no part of a photo could be decoded from; the whole photo may decode.
    private(set) var lostParts: Set<ImageSource> = []
    var animates = AnimationChoice.selected
    private(set) var playing: [PictureKey] = []
    /// The frames that are shown instead of the pictures.
    private var frames: [PictureKey: CellImage] = [:]

    /// The last photo's image in full, shown until the next one's is final or `holdTime` is over.
    private var held: (key: PictureKey, image: CellImage)?
    static let holdTime = Duration.milliseconds(150)

    func picture(for key: PictureKey) -> Picture? {
        if let held, held.key == key, let picture = pictures[key], !picture.isFinal, !picture.hasFailed {
            return .shown(held.image, isFinal: false, isStale: false)
        }
        guard let frame = frames[key], case .shown(_, let facts, let isFinal, let isStale)? = pictures[key] else {
            return pictures[key]
        }
        return .shown(frame, facts, isFinal: isFinal, isStale: isStale)
    }

    /// The images of the requests, the most urgent first.
    var urgent: [CellImage] { (requests.visible + requests.near).compactMap { pictures[$0.key]?.image } }

    // MARK: Results

    /// Stores a result; returns whether it changes requests, and why a part is lost; `nil` if it changes nothing.
    mutating func receive(
        _ picture: Picture, for key: PictureKey
    ) -> (changesRequests: Bool, lostPart: FailureKind?)? {
        guard let present = pictures[key] else { return nil }
        let isAnswer = picture.hasFailed || picture.isFinal
        if isAnswer { progress[key] = nil }
        switch (present, picture) {
        case (.shown, .loading): return nil
        // A revalidation sends previews again.
        case (.shown(_, _, isFinal: true, _), .shown(_, _, isFinal: false, _)): return nil
        case (.shown(let image, let facts, let isFinal, _), .failed):
            // A stale image is better than a failure.
            pictures[key] = .shown(image, facts, isFinal: isFinal, isStale: true)
        case (.shown(_, let facts, _, _), .shown(let image, let newFacts, isFinal: false, let isStale))
        where newFacts.size == nil:
            pictures[key] = .shown(image, facts, isFinal: false, isStale: isStale)
        default: pictures[key] = picture
        }
        let wasAsked = isAnswer && revalidating.remove(key) != nil
        let changesRequests = wasAsked || pictures[key]?.hasFailed == true
        guard case .failed(let failure) = picture else { return (changesRequests, nil) }
        guard key.isFull else {
            if lostPreviews.count < PagedPhotos.rememberedIDs { lostPreviews.insert(key.source) }
            return (changesRequests, nil)
        }
        // A complete image stays if its revalidation fails.
        guard !present.isFinal else { return (changesRequests, nil) }
        if key.region == .whole {
            lostRenditions.insert(key.source)
            return (true, nil)
        }
        lostParts.insert(key.source)
        return (true, failure)
    }

    mutating func receive(_ transfer: ImageTask.Progress, of key: PictureKey) {
        if pictures[key] != nil { progress[key] = transfer }
    }

    // MARK: Requests

    /// Replaces the requests and drops all other images; returns the new requests if they have changed.
    ///
    /// `stand` is shown in place of an image that has not come.
    mutating func setRequests(
        _ wanted: PictureRequests, isCovered: Bool, stand: (key: PictureKey, picture: Picture)?
    ) -> PictureRequests? {
        var wanted = wanted
        let visible = isCovered ? [] : Set(wanted.visible.map(\.key))
        var kept: [PictureKey: Picture] = [:]
        for request in wanted.visible + wanted.near {
            let isNewInView = visible.contains(request.key) && !seen.contains(request.key)
            let picture = pictures[request.key] ?? (stand?.key == request.key ? stand?.picture : nil) ?? .loading
            kept[request.key] = picture.hasFailed && isNewInView ? .loading : picture
        }
        pictures = kept
        progress = progress.filter { kept[$0.key] != nil }
        seen = visible
        revalidating = revalidating.filter { kept[$0] != nil }
        wanted.visible.removeAll { kept[$0.key]?.hasFailed == true }
        wanted.near.removeAll { kept[$0.key]?.hasFailed == true }
        guard wanted != requests else { return nil }
        requests = wanted
        return wanted
    }

    /// Holds the image of one photo in full until the next one's comes; returns whether it does.
    mutating func hold(for next: PictureKey?) -> Bool {
        guard let next, let last = requests.visible.first?.key, last.isFull, last.region == .whole, next.isFull,
            next.region == .whole, last.source != next.source, pictures[next]?.isFinal != true,
            case .shown(let image, _, isFinal: true, _)? = pictures[last], image.columns <= next.box.columns,
            image.rows <= next.box.rows
        else { return false }
        held = (next, image)
        return true
    }

    mutating func endHold() { held = nil }

    mutating func forgetAll() { (pictures, requests, seen) = ([:], PictureRequests(), []) }

    mutating func retry(_ key: PictureKey) {
        if pictures[key]?.hasFailed == true { pictures[key] = .loading }
        revalidating.insert(key)
    }

    mutating func retryFailed() {
        forgetLost()
        for (key, picture) in pictures where picture.hasFailed { retry(key) }
    }

    mutating func forgetLost() { (lostRenditions, lostParts, lostPreviews) = ([], [], []) }

    /// Tries a large image again when its photo comes into view.
    mutating func forgetLost(of sources: [ImageSource]) {
        guard !lostRenditions.isEmpty || !lostParts.isEmpty else { return }
        if !seen.contains(where: { $0.isFull && sources.contains($0.source) }) { forgetLost() }
    }

    /// Requests the contact sheets of folders again: a file in one may have changed alone.
    mutating func renewSheets(of folders: Set<[UInt8]>) {
        for key in pictures.keys {
            if case .folder(let folder) = key.source, folders.contains(folder.path) { retry(key) }
        }
    }

    // MARK: Animations

    /// Plays these animations and no others; returns whether they have changed.
    mutating func play(_ wanted: [PictureKey]) -> Bool {
        guard wanted != playing else { return false }
        playing = wanted
        frames = frames.filter { wanted.contains($0.key) }
        return true
    }

    mutating func show(frame: CellImage, of key: PictureKey) {
        guard playing.contains(key), case .shown(let still, _, _, _)? = pictures[key] else { return }
        frames[key] = still.playing(frame)
    }
}

// MARK: - The state

extension AppState {
    /// The key of a photo's image in a list.
    func thumbnailKey(of photo: Photo, in geometry: ListGeometry) -> PictureKey? {
        guard options.showsImages, let box = geometry.thumbnail ?? geometry.preview?.picture, let source = photo.preview
        else { return nil }
        let spare = images.lostPreviews.contains(source) ? photo.sparePreview : nil
        // The sheet of a folder is made for its box.
        return PictureKey(source: spare ?? source, box: box, isCropped: geometry.crops && photo.mediaType != .folder)
    }

    /// The key of a tiny image of an own file in a table; it is not drawn, but decoding it shows whether the file is damaged.
    func checkKey(of photo: Photo, in geometry: ListGeometry) -> PictureKey? {
        guard options.showsImages, geometry.thumbnail == nil, photo.file?.isFolder == false, let source = photo.preview
        else { return nil }
        return PictureKey(source: source, box: CellSize(clamping: 2, 1), isDrawn: false)
    }

    func request(_ key: PictureKey, coarse: [PictureKey] = []) -> PictureRequest {
        PictureRequest(key: key, coarse: coarse, revalidates: images.revalidating.contains(key))
    }

    mutating func receive(_ picture: Picture, for key: PictureKey, _ effects: inout Effects) {
        guard let arrival = images.receive(picture, for: key) else { return }
        let isNews = learn(from: key)
        if let failure = arrival.lostPart { notice = .cannotEnlarge(failure) }
        // Home shows another picture instead.
        let isLostAtHome = picture.hasFailed && list == nil
        if isNews || arrival.changesRequests || isLostAtHome { reconcileImages(&effects) }
        reconcileAnimations(&effects)
        reconcileSlideshow(&effects)
    }

    /// Requests the images of the screen and around it if they have changed.
    mutating func reconcileImages(_ effects: inout Effects) {
        if !coversContent, case .detail = content, let photo = list?.selectedPhoto {
            images.forgetLost(of: photo.sources)
        }
        let wanted = options.showsImages ? content.feature.imageRequests(in: self) : PictureRequests()
        let first = wanted.visible.first?.key
        let stand = first.flatMap { key in heldPicture(for: key).map { (key: key, picture: $0) } }
        if images.hold(for: first) { effects.append(.timer(.hold, ImageStore.holdTime)) }
        if let requests = images.setRequests(wanted, isCovered: coversContent, stand: stand) {
            effects.append(.requestPictures(requests))
        }
    }
}

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
    /// Whether the image is drawn, not only decoded to check its file.
    var isDrawn = true
    /// Quarter turns clockwise; the region and the box are those of the turned image.
    var turns = 0
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
    /// One screen on each side, the neighbours of one photo in full, and in a table the images that check files, rendered to cells.
    var near: [PictureRequest] = []
    /// Further in the direction of travel: only loaded into memory.
    var ahead: [PictureRequest] = []

    /// The folders whose contact sheets are drawn.
    var folders: Set<[UInt8]> {
        Set((visible + near).compactMap { if case .folder(let folder) = $0.key.source { folder.path } else { nil } })
    }
}

extension Picture {
    var image: CellImage? { if case .shown(let image, _, _, _) = self { image } else { nil } }
    var hasFailed: Bool { if case .failed = self { true } else { false } }
    var isFinal: Bool { if case .shown(_, _, isFinal: true, _) = self { true } else { false } }
    var facts: PictureFacts? { if case .shown(_, let facts, _, _) = self { facts } else { nil } }
}
