package import SpyglassCatalog
package import SpyglassPipeline
package import SpyglassTerminalUI

/// The browser without terminal, network and clock, for benchmarks: keys in, screens out.
///
///     var browser = HeadlessBrowser(traits, photos) { _, box in cells(for: box) }
///     browser.press(Key(.down))
///     painter.paint(browser.screen)
///
/// Pages, images and details come immediately; other effects are dropped.
package struct HeadlessBrowser: Sendable {
    private var state: AppState
    private let photos: [Photo]
    private let picture: @Sendable (_ number: Int, _ box: CellSize) -> CellImage
    private let numbers: [ImageSource: Int]
    private let pageCount: Int

    /// Shows the list of all `photos`; `picture` returns the image of a photo, by its position, for a box.
    package init(
        _ traits: TerminalTraits, _ photos: [Photo], pageCount: Int = 100,
        picture: @escaping @Sendable (_ number: Int, _ box: CellSize) -> CellImage
    ) {
        state = AppState(traits: traits)
        (self.photos, self.picture, self.pageCount) = (photos, picture, pageCount)
        let sources = photos.enumerated().flatMap { number, photo in photo.sources.map { ($0, number) } }
        numbers = Dictionary(sources) { $1 }
        update(.started(search: "benchmark", at: .first))
    }

    package mutating func press(_ key: Key) { update(.input(.key(key))) }
    package var screen: CellGrid { BrowserView.frame(of: state).grid }

    private mutating func update(_ event: BrowserEvent) {
        var events = [event][...]
        while let event = events.popFirst() {
            for effect in state.update(event) { events += answers(to: effect) }
        }
    }

    private func answers(to effect: BrowserEffect) -> [BrowserEvent] {
        switch effect {
        case .search(let generation, _, _, let start, _):
            let start = min(max(start.position ?? 0, 0), photos.count) / pageCount * pageCount
            return [page(generation, .next, start..<start + pageCount, isFirst: true)]
        case .loadPage(let generation, .next):
            let start = state.list?.loaded.upperBound ?? 0
            return [page(generation, .next, start..<start + pageCount)]
        case .loadPage(let generation, .previous):
            let end = state.list?.loaded.lowerBound ?? 0
            return [page(generation, .previous, end - pageCount..<end)]
        case .loadDetails(let generation, let photo):
            return [.details(generation: generation, photoID: photo.key, .success(photo))]
        case .requestPictures(let requests):
            return (requests.visible + requests.near).compactMap { request in
                if case .shown = state.images.pictures[request.key] { return nil }
                let image = picture(numbers[request.key.source] ?? 0, request.key.box)
                return .picture(request.key, .shown(image, isFinal: true, isStale: false))
            }
        default: return []
        }
    }

    private func page(
        _ generation: Int, _ direction: PageDirection, _ wanted: Range<Int>, isFirst: Bool = false
    ) -> BrowserEvent {
        let positions = wanted.clamped(to: photos.indices)
        let answer = PageAnswer(
            photos: Array(photos[positions]), firstPosition: isFirst ? positions.lowerBound : nil,
            total: .exact(photos.count), isAtStart: positions.lowerBound == 0,
            isAtEnd: positions.upperBound == photos.count)
        return .page(generation: generation, direction, .success(answer))
    }
}

/// One photo in full without terminal and clock, for benchmarks: from a key to the bytes of a frame.
///
///     let viewer = HeadlessViewer(traits, photo, pipeline)
///     try await viewer.show([Key(.enter)], untilFinal: true)
///     try await viewer.show([Key(.character("+"))], untilFinal: false)
///
/// Images come from the pipeline; other effects are dropped.
package actor HeadlessViewer {
    private var state: AppState
    private var painter: Painter
    private var loader: PictureLoader
    private let queue = EventQueue()
    private let photo: Photo

    package init(_ traits: TerminalTraits, _ photo: Photo, _ pipeline: ImagePipeline) {
        state = AppState(traits: traits)
        painter = Painter(size: traits.size, depth: traits.depth)
        loader = PictureLoader(traits, nil, queue)
        loader.use(pipeline)
        self.photo = photo
    }

    /// Presses keys; returns once a new image of the photo is drawn, or the final one.
    ///
    /// - Throws: `BrowserError` if it fails.
    package func show(_ keys: [Key], untilFinal: Bool) async throws(BrowserError) {
        if state.list == nil { begin() }
        var isNew = false
        for key in keys { isNew = update(.input(.key(key))) || isNew }
        _ = painter.paint(BrowserView.frame(of: state).grid)
        while failure == nil, untilFinal ? !isFinal : !isNew {
            for case .picture(let key, let picture, let load, let isLast) in await queue.next() {
                guard loader.accept(key, load: load, isLast: isLast) else { continue }
                isNew = update(.picture(key, picture)) || isNew
            }
            _ = painter.paint(BrowserView.frame(of: state).grid)
        }
        if let failure { throw BrowserError("the image failed: \(failure)") }
    }

    /// Cancels all work.
    package func end() { loader.cancelAll() }
    private var shownKey: PictureKey? { state.images.requests.visible.first?.key }
    private var isFinal: Bool { shownKey.flatMap { state.images.pictures[$0] }?.isFinal ?? false }

    private var failure: FailureKind? {
        if case .cannotEnlarge(let failure) = state.notice { return failure }
        for case .failed(let failure) in state.images.pictures.values { return failure }
        return nil
    }

    private func begin() {
        _ = update(.started(search: "benchmark", at: .first))
        let page = PageAnswer(photos: [photo], firstPosition: 0, total: .exact(1), isAtStart: true, isAtEnd: true)
        _ = update(.page(generation: state.generation, .next, .success(page)))
    }

    /// Returns whether an image of the visible part has come.
    private func update(_ event: BrowserEvent) -> Bool {
        var isNew = false
        var events = [event][...]
        while let event = events.popFirst() {
            for case .requestPictures(let requests) in state.update(event) { events += loader.setRequests(requests) }
            if case .picture(let key, _) = event, key == shownKey { isNew = true }
        }
        return isNew
    }
}
