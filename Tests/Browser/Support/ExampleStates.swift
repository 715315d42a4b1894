import SpyglassCatalog
import SpyglassFetching
import SpyglassPixels
import SpyglassTerminalUI

@testable import SpyglassBrowser

/// Typical states, one for every screen.
struct ExampleStates {
    var traits: TerminalTraits
    var preferences = Preferences()
    var options = BrowserOptions()

    /// The number of shown images; the next failed, the rest are loading.
    var pictures = 6
    var photos = ExamplePhotos.all

    init(_ traits: TerminalTraits, language: Language = .english) {
        self.traits = traits
        preferences.language = language
    }

    func state(_ screens: [Screen]) -> AppState {
        var state = AppState(traits: traits, preferences: preferences, options: options)
        state.screens = screens
        return state
    }

    // MARK: Screens

    func home(_ search: SearchScreen = SearchScreen()) -> AppState {
        var state = state([.home(search)])
        state.home.history = [
            RecentSearch("nebula", source: "nasa"), RecentSearch("earth from orbit", source: "demo"), "土星の環",
        ]
        state.home.place = SavedPlace(search: "apollo 11", position: 811, source: "nasa")
        return state
    }

    /// With the pictures seen last, and that of the day; the last one is loading.
    func homePictures(_ search: SearchScreen = SearchScreen()) -> AppState {
        var state = home(search)
        for (number, photo) in photos.enumerated() {
            let place = SavedPlace(search: "apollo 11", position: number, source: "nasa")
            if let home = HomePhoto(photo, at: place) { state.home.seenPhotos.append(home) }
        }
        var day = Photo(id: "2026-11-23", source: "apod")
        day.title = "The Veil Nebula"
        day.thumbnail = WebAddress("https://apod.nasa.gov/veil.jpg")
        state.options.sources.append("apod")
        let place = SavedPlace(search: "", position: 0, source: "apod")
        state.home.offers = [HomePhoto(day, at: place, isToday: true)].compactMap(\.self)
        guard let box = state.homeGeometry.thumbnail else { return state }
        for home in state.homePhotos.dropLast() {
            guard let key = state.homeKey(of: home) else { continue }
            state.images.pictures[key] = .shown(
                ExamplePhotos.picture(in: box, traits: traits, width: 3, height: 2), isFinal: true, isStale: true)
        }
        return state
    }

    func list() -> AppState {
        var state = state([.home(SearchScreen()), .list])
        var list = PhotoList(generation: 1, search: "apollo 11", query: PhotoQuery("apollo 11"), source: "nasa")
        list.photos = photos
        list.total = .exact(10_000)
        list.isLoadingNext = true
        list.selected = min(1, photos.count - 1)
        state.list = list
        state.activity.transfers = 3
        addPictures(to: &state)
        return state
    }

    func end() -> AppState {
        var state = list()
        state.activity.transfers = 0
        state.list?.isLoadingNext = false
        state.list?.isAtEnd = true
        state.list?.total = .exact(photos.count)
        let geometry = state.geometry
        let last = photos.count - 1
        state.list?.selected = last
        state.list?.topRow = max(geometry.row(of: last) - geometry.rowsWhole + 1, 0)
        return state
    }

    func grid() -> AppState {
        var other = self
        other.preferences.arrangement = .grid
        return other.list()
    }

    /// A grid with two marked photos.
    func marks() -> AppState {
        var state = grid()
        for photo in photos.prefix(2) { state.marks.insert(photo) }
        return state
    }

    func lines() -> AppState {
        var other = self
        other.preferences.density = 0
        return other.list()
    }

    func filtered(by text: String, isTyping: Bool) -> AppState {
        var state = list()
        state.activity.transfers = 0
        state.list?.isLoadingNext = false
        state.list?.beginFilter()
        state.list?.setFilter(TextField(text))
        state.list?.filter?.isTyping = isTyping
        return state
    }

    func empty(archiveHolds: [String]? = nil) -> AppState {
        var other = self
        other.photos = []
        other.options.archiveHolds = archiveHolds
        var state = other.list()
        state.list?.isLoadingNext = false
        state.list?.isAtEnd = true
        state.activity.transfers = 0
        return state
    }

    func folder(_ folder: ExampleFolder) -> AppState {
        var state = state([.home(SearchScreen())])
        state.options.homeFolder = "/home/ada"
        _ = state.update(.startedWithFiles(folder.query))
        state.deliver(folder.answer)
        return state
    }

    /// The first photo in full, with a picture of a shape.
    func detail(
        _ scroll: Int = 0, width: Int = 4096, height: Int = 4096, _ change: (inout DetailScreen) -> Void = { _ in }
    ) -> AppState {
        var other = self
        if !other.photos[0].renditions.isEmpty {
            other.photos[0].renditions[0].width = width
            other.photos[0].renditions[0].height = height
        }
        var state = other.list()
        state.list?.selected = 0
        var screen = DetailScreen(scroll: scroll)
        change(&screen)
        state.screens.append(.detail(screen))
        if let box = state.detailGeometry.box, let address = photos[0].thumbnail {
            state.images.pictures[PictureKey(address: address, box: box, isFull: true)] = .shown(
                ExamplePhotos.picture(in: box, traits: traits, width: width, height: height), isFinal: true,
                isStale: false)
        }
        return state
    }

    /// A photo enlarged three times, with its upper right part.
    func zoomed(width: Int = 4096, height: Int = 4096, isFullScreen: Bool = false) -> AppState {
        var state = detail(width: width, height: height) {
            $0.isFullScreen = isFullScreen
            $0.zoom = Zoom(factor: 3, x: 1, y: 0)
        }
        if let screen = state.detail, let photo = state.list?.photo(at: 0),
            let key = state.zoomedKey(of: photo, in: screen)
        {
            let pixels = SymbolSet.half.pixelBox(for: key.box)
            let picture = ExamplePhotos.picture(
                in: key.box, traits: traits, width: pixels.width, height: pixels.height * 2)
            state.images.pictures[key] = .shown(picture, isFinal: true, isStale: false)
        }
        return state
    }

    func fullScreen(width: Int = 4096, height: Int = 4096) -> AppState {
        detail(width: width, height: height) { $0.isFullScreen = true }
    }

    /// The facts of a photo on disk.
    func info(_ facts: PhotoFacts = .example()) -> AppState {
        var other = self
        guard other.photos.count > 1 else { return over(.info(InfoScreen(photoID: ""))) }
        other.photos[1].file = .example("/home/ada/写真/2024/DSCF1234.JPG", byteCount: 8_123_456)
        return other.over(.info(InfoScreen(photoID: other.photos[1].key, facts: facts)))
    }

    func over(_ screen: Screen, selecting position: Int = 1) -> AppState {
        var state = list()
        state.list?.selected = min(position, max(photos.count - 1, 0))
        state.screens.append(screen)
        return state
    }

    var search: Screen {
        var field = TextField("center:JSC moon")
        field.after = "light"
        return .search(SearchScreen(field: field))
    }

    var alert: Screen {
        .alert(
            Alert(
                subject: .search("apollo 11"),
                error: BrowserError(
                    reason: "https://images-api.nasa.gov/search?q=apollo%2011&page=1: no answer within 20 s",
                    kind: .timedOut)))
    }

    /// Without a network, with searches that need none.
    var offline: Screen {
        .alert(
            Alert(
                subject: .search("apollo 11"),
                error: BrowserError(
                    reason: "https://images-api.nasa.gov/search?q=apollo%2011: Could not resolve host",
                    kind: .unreachable),
                offers: [
                    RecentSearch("nebula", source: "nasa"), RecentSearch("土星の環", source: "openverse"),
                    RecentSearch("", source: "demo"),
                ], choice: 1))
    }

    var save: Screen {
        .save(
            .example(
                path: "/home/ada/Downloads/as11-40-5874.jpg",
                stage: .saving(SaveProgress(received: 1_203_456, bytes: 3_214_567))))
    }

    var savePath: Screen {
        var screen = SaveScreen.example(path: "~/Downloads/as11-40-5874.jpg")
        screen.originalSize = .known(3_214_567)
        return .save(screen)
    }

    var saveAll: Screen {
        .save(
            .example(
                path: "~/Pictures/apollo", count: 3,
                stage: .saving(SaveProgress(done: 1, received: 1_203_456, bytes: 3_214_567))))
    }

    var export: Screen { .save(.example(path: "~/Pictures/small", count: 3, .copies, size: "1600x900")) }

    private func addPictures(to state: inout AppState) {
        let geometry = state.geometry
        for (number, photo) in photos.enumerated() {
            guard let key = state.thumbnailKey(of: photo, in: geometry) else { continue }
            let box = key.box
            if number < pictures {
                let pixels = SymbolSet.half.pixelBox(for: box)
                let shape =
                    key.isCropped ? (pixels.width, pixels.height * 2) : number.isMultiple(of: 2) ? (4, 3) : (1, 1)
                state.images.pictures[key] = .shown(
                    ExamplePhotos.picture(in: box, traits: traits, width: shape.0, height: shape.1), isFinal: true,
                    isStale: false)
            } else {
                state.images.pictures[key] = number == pictures ? .failed(.notFound) : .loading
            }
        }
    }
}

extension SaveScreen {
    static func example(
        path: String = "a.jpg", count: Int = 1, _ purpose: Purpose = .originals, size: String = "1600",
        stage: Stage = .editing
    ) -> SaveScreen {
        let items = (0..<count).map { SaveItem(photo: samplePhoto($0), isComplete: true) }
        var screen = SaveScreen(purpose: purpose, items: items, path: TextField(path))
        screen.size = TextField(size)
        screen.stage = stage
        return screen
    }
}

extension TerminalTraits {
    static func example(
        _ columns: Int, _ rows: Int, _ depth: ColorDepth = .truecolor, background: RGB? = RGB(16, 18, 24),
        glyphs: GlyphSet = .utf8
    ) -> TerminalTraits {
        var traits = TerminalTraits(size: CellSize(clamping: columns, rows))
        traits.depth = depth
        traits.glyphs = glyphs
        traits.background = background
        return traits
    }
}
