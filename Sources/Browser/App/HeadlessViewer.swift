package import SpyglassCatalog
package import SpyglassPipeline
package import SpyglassTerminalUI

/// One photo in full without terminal and clock, for benchmarks: from a key to the bytes of a frame.
///
///     let viewer = HeadlessViewer(traits, photo, pipeline)
///     try await viewer.show([Key(.enter)], untilFinal: true)
///     try await viewer.show([Key(.character("+"))], untilFinal: false)
///
/// Images come from the pipeline; other effects are dropped.
package actor HeadlessViewer {
    private var state: BrowserState
    private var painter: Painter
    private var loader: PictureLoader
    private let queue = EventQueue()
    private let photo: Photo

    package init(_ traits: TerminalTraits, _ photo: Photo, _ pipeline: ImagePipeline) {
        state = BrowserState(traits: traits)
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

    private var shownKey: PictureKey? { state.requests.visible.first?.key }

    private var isFinal: Bool { shownKey.flatMap { state.pictures[$0] }?.isFinal ?? false }

    private var failure: FailureKind? {
        if case .cannotEnlarge(let failure) = state.notice { return failure }
        return state.pictures.values.lazy.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }
            .first
    }

    private func begin() {
        _ = update(.started(search: "benchmark", at: .first))
        let page = PageAnswer(photos: [photo], firstPosition: 0, total: .exact(1), isAtStart: true, isAtEnd: true)
        _ = update(.page(generation: state.generation, .next, .success(page)))
    }

    /// Returns whether an image of what is now visible has come.
    private func update(_ event: BrowserEvent) -> Bool {
        var isNew = false
        var events = [event][...]
        while let event = events.popFirst() {
            for effect in state.update(event) {
                if case .requestPictures(let requests) = effect { events += loader.setRequests(requests) }
            }
            if case .picture(let key, _) = event, key == shownKey { isNew = true }
        }
        return isNew
    }
}
