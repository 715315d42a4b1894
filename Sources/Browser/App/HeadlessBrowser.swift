package import SpyglassCatalog
internal import SpyglassPipeline
package import SpyglassTerminalUI

/// The browser without terminal, network and clock, for benchmarks: keys in, screens out.
///
///     var browser = HeadlessBrowser(traits, photos) { _, box in cells(for: box) }
///     browser.press(Key(.down))
///     painter.paint(browser.screen)
///
/// Pages, images and details come immediately; other effects are dropped.
package struct HeadlessBrowser: Sendable {
    private var state: BrowserState
    private let photos: [Photo]
    private let picture: @Sendable (_ number: Int, _ box: CellSize) -> CellImage
    private let numbers: [ImageSource: Int]
    private let pageCount: Int

    /// Shows the list of all `photos`; `picture` returns the image of a photo, by its position, for a box.
    package init(
        _ traits: TerminalTraits, _ photos: [Photo], pageCount: Int = 100,
        picture: @escaping @Sendable (_ number: Int, _ box: CellSize) -> CellImage
    ) {
        state = BrowserState(traits: traits)
        self.photos = photos
        self.picture = picture
        self.pageCount = pageCount
        var numbers: [ImageSource: Int] = [:]
        for (number, photo) in photos.enumerated() {
            for source in photo.sources { numbers[source] = number }
        }
        self.numbers = numbers
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
            return [.details(generation: generation, photoID: photo.id, .success(photo))]
        case .requestPictures(let requests):
            return (requests.visible + requests.near).compactMap { request in
                if case .shown = state.pictures[request.key] { return nil }
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
        return .page(
            generation: generation, direction,
            .success(
                PageAnswer(
                    photos: Array(photos[positions]), firstPosition: isFirst ? positions.lowerBound : nil,
                    total: .exact(photos.count), isAtStart: positions.lowerBound == 0,
                    isAtEnd: positions.upperBound == photos.count)))
    }
}
