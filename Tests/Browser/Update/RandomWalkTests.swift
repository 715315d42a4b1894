import Glibc
import SpyglassCatalog
import SpyglassFetching
import SpyglassFiles
import SpyglassPipeline
import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassBrowser
@testable import SpyglassTerminalUI

/// Random events, with a source that replies late, twice, wrongly or never.
@Suite("Random walk through the browser")
struct RandomWalkTests {
    /// Events of a walk; run `SPYGLASS_STEPS=50000 swift test -c release` for a long one.
    private static let steps: Int = {
        guard let text = getenv("SPYGLASS_STEPS") else { return 2_500 }
        return Int(String(cString: text)) ?? 2_500
    }()

    @Test("All invariants hold after any events")
    func invariants() {
        var visited: Set<String> = []
        for seed in 1...3 as ClosedRange<UInt64> {
            var walk = Walk(seed: seed)
            for step in 0..<Self.steps {
                walk.step()
                guard let fault = walk.fault else { continue }
                Issue.record("seed \(seed), step \(step), after \("\(walk.last)".prefix(300)): \(fault)")
                return
            }
            visited.formUnion(walk.visited)
        }
        // The walks must reach every kind of screen.
        for event in [
            "page", "detail", "save", "alert", "jump", "shown", "quit", "full screen", "text", "line", "zoom", "info",
            "folder", "parents", "filter", "match", "slideshow", "marks", "range", "command",
        ] {
            #expect(visited.contains(event), "never came to \(event)")
        }
    }
}

extension RandomWalkTests {
    @Test("In kitty every screen shows the images that it should, no others, and the end deletes all")
    func pixels() {
        var animations = 0
        // Walks in which animations play.
        for seed in [105, 109, 111] as [UInt64] {
            var walk = Walk(seed: seed)
            walk.kitty = KittyScreen()
            walk.restart()
            for step in 0..<Self.steps / 6 {
                walk.step()
                guard let fault = walk.fault ?? walk.kitty?.show(walk.state) else { continue }
                Issue.record("seed \(seed), step \(step), after \("\(walk.last)".prefix(300)): \(fault)")
                return
            }
            animations += walk.kitty?.animations ?? 0
            #expect(walk.kitty?.end() == [])
        }
        #expect(animations > 0)
    }
}

/// A terminal that shows a walk's frames as kitty does.
private struct KittyScreen {
    private var painter = Painter(size: CellSize(clamping: 80, 24), depth: .truecolor)
    private var terminal = TerminalModel(size: CellSize(clamping: 80, 24))
    private var count = 0
    private(set) var renderer = CellRenderer(TerminalTraits(size: CellSize(clamping: 80, 24)))
    private(set) var animations = 0

    /// Cells beyond these take long to paint.
    private static let maxCells = 6_000
    private static let codecs = PixelCodecs(
        png: { ModelPicture.png(width: $0.size.width, height: $0.size.height, number: $0[0, 0].red) },
        jpeg: { _, _ in [] })

    static func traits(_ size: CellSize) -> TerminalTraits {
        var traits = TerminalTraits(size: size)
        traits.pixels = .kitty
        traits.cellPixels = PixelSize(width: TerminalModel.cell.width, height: TerminalModel.cell.height)
        traits.playsAnimations = true
        return traits
    }

    mutating func use(_ traits: TerminalTraits) { renderer = CellRenderer(traits, Self.codecs) }

    private mutating func pixels(_ size: PixelSize) -> PixelBuffer {
        count += 1
        var pixels = PixelBuffer(size: size)
        for at in 0..<size.pixelCount {
            pixels[at % size.width, at / size.width] = RGBA(UInt8(truncatingIfNeeded: count), 0, 0)
        }
        return pixels
    }

    mutating func image(for key: PictureKey) -> CellImage {
        let source = key.isFull ? PixelSize(width: 60, height: 40) : PixelSize(width: 30, height: 90)
        return renderer.image(of: pixels(renderer.target(for: key).size(for: source)), for: key)
    }

    mutating func animation(for key: PictureKey) -> CellImage? {
        let size = PixelSize(width: 60, height: 40)
        let pixels = pixels(renderer.playedTarget(for: key).size(for: size))
        let frames = (1...3).compactMap { number in
            try? renderer.playedFrame(pixels, number: number, lasting: .milliseconds(40), of: size, for: key)
        }
        return renderer.animation(of: frames, plays: nil, for: key)
    }

    /// Paints a state; returns the first difference between its images and the terminal's.
    mutating func show(_ state: AppState) -> String? {
        let size = state.traits.size
        guard size.columns * size.rows <= Self.maxCells else { return nil }
        let grid = state.grid
        if painter.size != size || painter.depth != state.traits.depth {
            painter.forget(size: size, depth: state.traits.depth)
            let pictures = terminal.pictures
            terminal = TerminalModel(size: size)
            terminal.pictures = pictures
        }
        var frame: PaintedFrame
        repeat {
            frame = painter.paint(grid)
            terminal.read(frame.bytes.raw)
        } while !frame.isComplete && !frame.bytes.isEmpty
        if let fault = terminal.faults.first { return fault }
        for at in grid.cells.indices {
            let place = CellPosition(column: at % size.columns, row: at / size.columns)
            let isPixels = terminal.part(column: place.column, row: place.row) != nil
            if grid.cells[at].isPlaced != isPixels { return "\(place) is in pixels: \(isPixels)" }
        }
        if grid.pictures.values.contains(where: { $0.animation != nil }) { animations += 1 }
        return nil
    }

    /// The images that are left once the session has deleted its own, and faults.
    mutating func end() -> [String] {
        let frame = painter.paint(CellGrid(size: painter.size))
        terminal.read(frame.bytes.raw)
        let deletions = SessionSequences.ImageDeletions.direct
        let count = deletions.count(of: KittyImages.maxCount)
        // After CAN and ST, which end what a signal has interrupted.
        terminal.read(Array(UnsafeBufferPointer(start: deletions.bytes, count: count).dropFirst(3)))
        return terminal.faults + (terminal.pictures.count == 0 ? [] : ["\(terminal.pictures.count) images are left"])
    }
}

extension TerminalModel {
    fileprivate init(size: CellSize) {
        self.init(columns: size.columns, rows: size.rows) { CharacterWidth.of($0) }
    }
}

/// One walk: the state, pending effects, and the random numbers.
private struct Walk {
    var state = AppState.fresh()
    var random: Dice
    /// Effects without a result.
    var asked: [BrowserEffect] = []
    var wanted = PictureRequests()
    var last = BrowserEvent.timedOut(.spinner)
    var visited: Set<String> = []
    var fault: String?
    /// The terminal, in walks that draw.
    var kitty: KittyScreen?
    /// The number of photos, which the source may misreport.
    var total = 1000

    fileprivate static let paths = ["/outer", "/outer/inner", "/other"].map { Array($0.utf8) }
    fileprivate static let folders = paths.map { LocalFile.example($0, isFolder: true) }

    init(seed: UInt64) { random = Dice(state: seed) }

    mutating func step() {
        let event = nextEvent()
        last = event
        let photos = state.list?.photos.count
        let effects = state.update(event)
        take(effects)
        if fault == nil { fault = broken(effects) }
        if fault == nil, let list = state.list, list.photos.count != photos, list.hasRepeats {
            fault = "a photo stands there twice"
        }
        if state.isOver {
            visited.insert("quit")
            if !state.update(.input(.key(Key(.enter)))).isEmpty { fault = "an effect after the end" }
            restart()
        }
    }

    mutating func restart() {
        let size = CellSize(clamping: random.below(5) == 0 ? random.below(1000) : 120, random.below(60))
        state = AppState(traits: kitty == nil ? TerminalTraits(size: size) : KittyScreen.traits(size))
        if kitty != nil {
            state.options.pixels = .kitty
            state.options.fixesCellPixels = true
            state.images.animates = .all
            kitty?.use(state.traits)
        }
        state.home.history = random.below(2) == 0 ? [] : ["apollo", "moon"]
        asked = []
        wanted = PictureRequests()
        total = [0, 1, 5, 130, 400, 1500][random.below(6)]
    }

    private mutating func take(_ effects: [BrowserEffect]) {
        for effect in effects {
            switch effect {
            case .search(_, _, _, let start, _):
                if !start.isFirst { visited.insert("jump") }
                asked.append(effect)
            case .loadPage, .loadDetails, .readFiles, .askSize, .save: asked.append(effect)
            case .timer(.slide, .some), .timer(.line, .some): if !asked.contains(effect) { asked.append(effect) }
            case .requestPictures(let requests):
                if requests == wanted { fault = "the same images are requested again" }
                wanted = requests
            case .setTraits(let traits):
                wanted = PictureRequests()
                kitty?.use(traits)
            default: break
            }
        }
        asked.removeFirst(max(asked.count - 20, 0))
        if let detail = state.detail {
            visited.insert(detail.isFullScreen ? "full screen" : detail.showsText ? "text" : "detail")
            if detail.slideshow != nil { visited.insert("slideshow") }
            if detail.isFullScreen, detail.hidesLine { visited.insert("line") }
        }
        if state.images.requests.visible.contains(where: { $0.key.region != .whole }) { visited.insert("zoom") }
        if case .save = state.top { visited.insert("save") }
        if case .alert = state.top { visited.insert("alert") }
        if case .info = state.top { visited.insert("info") }
        if case .command = state.top { visited.insert("command") }
        if state.list?.isLocal == true { visited.insert("folder") }
        if !state.folders.parents.isEmpty { visited.insert("parents") }
        if state.scope == .filter { visited.insert("filter") }
        if let list = state.list, let left = list.filter?.matches.count, left > 0, left < list.photos.count {
            visited.insert("match")
        }
        if state.markedCount > 2 { visited.insert("marks") }
        if state.list?.range.isEmpty == false { visited.insert("range") }
        if (state.list?.positions.count ?? 0) > 150 { visited.insert("page") }
    }
}

// MARK: - Events

extension Walk {
    private mutating func nextEvent() -> BrowserEvent {
        switch random.below(100) {
        case 0..<48: return .input(.key(nextKey()))
        case 48..<55: return nextMouse()
        case 55..<75: return nextAnswer()
        case 75..<88: return nextPicture()
        case 88: return .resized(CellSize(clamping: random.below(1001), random.below(1001)), cellPixels: nil)
        case 89: return .resized(CellSize(clamping: 20 + random.below(160), 3 + random.below(60)), cellPixels: nil)
        case 90: return .transfers(random.below(5) - 1)
        case 91: return .timedOut(.spinner)
        case 92: return .stale(random.below(2) == 0)
        case 93: return .input(.reply(nextReply()))
        case 94: return .input(.paste(["mars", "year:x", "\u{0}\n", "center:JSC"][random.below(4)]))
        case 95: return .save(nextSaving())
        case 96: return .continued
        case 97:
            let start = PhotoStart.position([0, 812, Int.max, Int.min][random.below(4)])
            guard random.below(2) == 0 else { return .started(search: "start", at: start) }
            var query = PhotoQuery()
            query.paths = Array(Self.paths.prefix(1 + random.below(2)))
            return .startedWithFiles(query, at: start)
        case 98 where random.below(3) == 0: return .home(nextHome())
        case 98: return random.below(4) == 0 ? .notice(.cannotOpen(gone.reason)) : .folderChanged()
        default: return random.below(20) == 0 ? .ended : .notice(.hint(DetailTexts.all.noPage))
        }
    }

    private mutating func nextHome() -> [HomePhoto] {
        (0..<random.below(9)).compactMap { number in
            let place = SavedPlace(search: "mars", position: number, source: ["demo", "nasa", "gone"][random.below(3)])
            return HomePhoto(samplePhoto(number), at: place, isToday: random.below(4) == 0)
        }
    }

    private mutating func nextKey() -> Key {
        let scope = state.scope
        if scope == .detail, random.below(4) == 0 { return random.below(4) > 0 ? Key(.tab) : .plain("f") }
        let bindings = KeyTable.bindings.filter { $0.scopes.contains(scope) }
        let binding = bindings[random.below(bindings.count)]
        // Fewer exits, or the walk would stay near home.
        let isExit = [.interrupt, .quit, .back, .search].contains(binding.action)
        if isExit, random.below(4) > 0 { return Key(.down) }
        if scope == .filter, random.below(2) == 0 { return .plain(["1", "2", "p"][random.below(3)]) }
        switch random.below(40) {
        case 0: return .alt(["z", "q", "j", "["][random.below(4)])
        case 1: return Key(.character(Character("\(random.below(10))")))
        case 2..<6: return Key(.character("a"))
        default: break
        }
        return binding.keys[random.below(binding.keys.count)]
    }

    private mutating func nextMouse() -> BrowserEvent {
        let kinds: [MouseEvent.Kind] = [.wheelUp, .wheelDown, .press(.left), .release(.left), .drag(.left), .wheelLeft]
        let kind = kinds[random.below(kinds.count)]
        let position = CellPosition(column: random.below(200) - 5, row: random.below(70) - 5)
        guard kind == .press(.left), random.below(2) == 0 else { return .input(.mouse(MouseEvent(kind, at: position))) }
        return .click(BrowserView.frame(of: state).target(at: position))
    }

    private mutating func nextReply() -> TerminalReply {
        [
            .background(RGB(1, 2, 3)), .cellPixels(width: 9, height: 18), .cellPixels(width: 0, height: Int.max),
            .truecolor(true), .status, .other, .color(index: random.below(16), RGB(UInt8(random.below(256)), 0, 0)),
            .background(RGB(250, 250, 250)), .darkMode(random.below(2) == 0),
        ][random.below(9)]
    }

    private mutating func nextSaving() -> SaveEvent {
        [
            .size(nil), .size(-5), .progress(SaveProgress(done: Int.max, received: Int.min, bytes: Int.max)),
            .done(outcome(failing: false)), .done(outcome(failing: true)), .cancelled,
        ][random.below(6)]
    }

    /// Returns the outcome of the save that is shown, if there is one.
    private func outcome(failing: Bool) -> SaveOutcome {
        var outcome = SaveOutcome()
        guard case .save(let screen) = state.top else { return outcome }
        for (index, item) in screen.items.enumerated() {
            if failing, index == 0 { outcome.fail(item, gone) } else { outcome.paths.append("x/\(index)") }
        }
        return outcome
    }

    private mutating func nextPicture() -> BrowserEvent {
        let requests = wanted.visible + wanted.near + wanted.ahead
        guard !requests.isEmpty else { return .timedOut(.spinner) }
        let picture: Picture
        switch random.below(3) {
        case 0: picture = .failed(.notFound)
        case 1: picture = .loading
        default:
            visited.insert("shown")
            let size = [nil, PixelSize(width: 4000, height: 3000), PixelSize(width: 1, height: 70_000)][random.below(3)]
            picture = .shown(
                .sample, PictureFacts(size: size), isFinal: random.below(2) == 0, isStale: false)
        }
        let key = requests[random.below(requests.count)].key
        if kitty != nil, random.below(3) > 0 { return nextPixels(for: key) }
        guard random.below(8) > 0 else {
            return .progress(
                key, ImageTask.Progress(received: [0, 7, Int.min][random.below(3)], total: random.below(9) - 1))
        }
        return .picture(key, picture)
    }

    /// An image as pixels, or an animation of one that plays.
    private mutating func nextPixels(for key: PictureKey) -> BrowserEvent {
        if let playing = state.images.playing.first, let moving = kitty?.animation(for: playing), random.below(2) == 0 {
            return .frame(playing, moving)
        }
        guard let image = kitty?.image(for: key) else { return .timedOut(.spinner) }
        return .picture(
            key, .shown(image, PictureFacts(mayMove: random.below(8) > 0), isFinal: true, isStale: false))
    }

    private mutating func nextAnswer() -> BrowserEvent {
        guard !asked.isEmpty else { return .timedOut(.spinner) }
        let index = random.below(asked.count)
        let effect = asked[index]
        // Some results come twice.
        if random.below(10) > 0 { asked.remove(at: index) }
        let fails = random.below(12) == 0
        switch effect {
        case .search(let generation, _, _, let wanted, _):
            if fails { return .page(generation: generation, .next, .failure(gone)) }
            let start = min(wanted.position ?? 300, max(total - 1, 0)) / 100 * 100
            return .page(generation: generation, .next, .success(page(from: start, first: start)))
        case .loadPage(let generation, let direction):
            if fails { return .page(generation: generation, direction, .failure(gone)) }
            let positions = state.list?.loaded ?? 0..<0
            let start = direction == .next ? positions.upperBound : positions.lowerBound - 100
            return .page(generation: generation, direction, .success(page(from: start, first: nil)))
        case .loadDetails(let generation, var photo):
            photo.description = "all"
            if random.below(20) == 0 { photo.id = "another" }
            return .details(generation: generation, photoID: photo.key, fails ? .failure(gone) : .success(photo))
        case .readFiles(let generation, let photos):
            var photo = photos[random.below(photos.count)]
            photo.camera = "X-1"
            return .details(generation: generation, photoID: photo.key, .success(photo))
        case .timer(let kind, _): return .timedOut(kind)
        case .askSize: return .save(.size(1000))
        case .save: return .save(.progress(SaveProgress(done: 1, received: 10, bytes: 1000)))
        default: return .timedOut(.spinner)
        }
    }

    /// A correct page, or a wrong one.
    private mutating func page(from start: Int, first: Int?) -> PageAnswer {
        let start = max(start, 0)
        let end = min(start + 100, total)
        var page = answer(start..<max(end, start), first: first, of: total)
        switch random.below(40) {
        case 0: page.photos = []
        case 1: page.photos += page.photos
        case 2: page.total = .exact(-7)
        case 3: page.total = nil
        case 4: page.firstPosition = [Int.min, -3, 7, Int.max][random.below(4)]
        case 5: page.isAtStart.toggle()
        case 6: page.isAtEnd.toggle()
        case 7: page.photos = page.photos.map { samplePhoto($0.title.utf8.count, hasThumbnail: false) }
        case 8: page.total = .estimate(Int.max)
        default: break
        }
        if state.list?.isLocal == true {
            for index in page.photos.indices where random.below(3) == 0 {
                page.photos[index].mediaType = .folder
                page.photos[index].file = Self.folders[index % Self.folders.count]
            }
        }
        return page
    }
}

// MARK: - Invariants

extension Walk {
    private func broken(_ effects: [BrowserEffect]) -> String? {
        guard case .home = state.screens.first else { return "home is not first: \(state.screens)" }
        if state.screens.count > 9 { return "the stack grows: \(state.screens)" }
        let needsList = state.screens.contains { $0 == .list }
        if needsList, state.list == nil { return "a list screen without a list" }
        if effects.filter({ if case .loadPage = $0 { true } else { false } }).count > 2 {
            return "pages asked for twice"
        }
        if effects.filter({ if case .search = $0 { true } else { false } }).count > 1 { return "two searches at once" }
        for case .search(_, let query, _, _, _) in effects where query != state.list?.query {
            return "another folder is listed and watched than the one shown"
        }
        if state.list == nil && !state.folders.parents.isEmpty || !state.folders.parents.allSatisfy(\.isLocal) {
            return "parent folders without a list, or of the web"
        }
        return brokenPictures() ?? state.list.flatMap(broken)
    }

    private func broken(_ list: PhotoList) -> String? {
        if list.generation > state.generation { return "a generation of the future" }
        if list.firstPosition < 0 { return "positions begin at \(list.firstPosition)" }
        if let filter = list.filter, filter.matches.contains(where: { !list.photos.indices.contains($0) }) {
            return "a match without a photo"
        }
        guard !list.positions.isEmpty else { return nil }
        if !list.positions.contains(list.selected) { return "\(list.selected) is not in \(list.positions)" }
        let geometry = state.geometry
        let row = geometry.row(of: list.selected) - list.topRow
        if list.topRow < 0 || !(0..<geometry.rowsWhole).contains(row) {
            return "row \(row) of \(geometry.rowsWhole) is not on the screen"
        }
        if list.isAtStart, list.firstPosition != 0 { return "the start is at \(list.firstPosition)" }
        if case .exact(let total) = list.total, total < list.loaded.upperBound { return "fewer than were read" }
        if let area = state.detailGeometry.picture, area.intersection(CellArea(state.traits.size)) != area {
            return "the picture's area \(area) is not on the screen"
        }
        return nil
    }

    private func brokenPictures() -> String? {
        for request in state.images.requests.visible where request.key.region != .whole {
            let region = request.key.region
            if region.width <= 0 || region.height <= 0 { return "nothing is visible: \(region)" }
            if region.x + region.width > 1 + 1e-9 || region.y + region.height > 1 + 1e-9 { return "outside: \(region)" }
        }
        if (state.images.requests.near + state.images.requests.ahead).contains(where: { $0.key.region != .whole }) {
            return "a part is prefetched"
        }
        let requests = state.images.requests
        let shown = requests.visible + requests.near
        if requests != wanted { return "what is wanted was not said" }
        for request in shown where state.images.pictures[request.key] == nil { return "no place for \(request.key)" }
        let all = (shown + requests.ahead).map(\.key)
        if Set(all).count != all.count { return "a picture is wanted twice" }
        let failed = state.images.pictures.filter { if case .failed = $0.value { true } else { false } }
        if state.images.pictures.count != shown.count + failed.count { return "images without a request are kept" }
        if all.contains(where: { failed[$0] != nil }) { return "a picture that failed is still wanted" }
        if case .home = state.content, all.count > state.homePhotos.count { return "too many pictures at home" }
        return nil
    }
}

extension PhotoList {
    fileprivate var hasRepeats: Bool { Set(photos.map(\.id)).count != photos.count }
}

/// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014).
struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }

    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
