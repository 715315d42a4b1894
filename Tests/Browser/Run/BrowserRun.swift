import SpyglassFetching
import SpyglassFiles
import SpyglassPipeline
import SpyglassTerminalUI
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassBrowser
@testable import SpyglassCatalog

/// A whole browser with a fake terminal, clock and source.
final class BrowserRun: Sendable {
    let inbox = BrowserInbox()
    let terminal: FakeTerminal
    let clock = ManualClock()
    let source: ShelfSource
    let pictures: ScriptedTransport
    let memory = RememberedThings()
    private let pipeline: ImagePipeline
    private let files: FileStub
    private let codecs: PixelCodecs?
    private let drawn = WatchedValue(Drawn())
    private let waits = Mutex(0)
    private let all = Mutex<[AppState]>([])
    private let task = Mutex<Task<BrowserEnd, Never>?>(nil)

    init(
        source: ShelfSource = ShelfSource(), pictures: ScriptedTransport = .pictures(),
        terminal: FakeTerminal = FakeTerminal(), files: FileStub = FileStub(), codecs: PixelCodecs? = nil
    ) {
        self.codecs = codecs
        self.source = source
        self.pictures = pictures
        self.terminal = terminal
        self.files = files
        var configuration = ImagePipeline.Configuration(transport: pictures)
        configuration.clock = clock
        pipeline = ImagePipeline(configuration)
    }

    /// Starts with a search or on the home screen.
    func start(
        _ search: String? = nil, at position: Int = 0, size: CellSize = CellSize(clamping: 80, 24),
        _ change: (inout BrowserSetup) -> Void = { _ in }
    ) {
        var setup = BrowserSetup(traits: TerminalTraits(size: size))
        setup.preferences.source = "shelf"
        setup.options.sources = ["shelf"]
        setup.query = search.map { PhotoQuery($0) }
        setup.start = .position(position)
        change(&setup)
        var services = BrowserServices(
            backend: { [source, pictures, pipeline, files] name in
                guard ["shelf", "folder"].contains(name) else {
                    throw FetchError(.unavailable, "unknown source \(name)")
                }
                return BrowserBackend(
                    source: { source.over($0) }, transport: pictures, pipeline: pipeline,
                    size: { _, _ in try files.size() }, save: { try await files.save($1, $2) })
            },
            explain: { error, _ in BrowserError("\(error)") }, store: { [memory] in memory.store($0) },
            open: { [memory] (target) throws(BrowserError) in try memory.open(target) }, clock: clock)
        services.codecs = codecs
        services.watch = { [memory] folders in
            for folder in folders { memory.watch(folder) }
            throw CancellationError()
        }
        var browser = Browser(inbox, services, setup)
        browser.draw = { [self] state in
            // A counter, so that every state is a different frame.
            let number = all.withLock { states in
                states.append(state)
                return states.count
            }
            drawn.change { $0.state = state }
            var grid = CellGrid(size: state.traits.size)
            grid.put(TerminalText(cleaning: "\(number)"), at: CellPosition(column: 0, row: 0))
            return BrowserFrame(grid: grid, targets: BrowserView.frame(of: state).targets)
        }
        let work = Task { [terminal, browser] in await browser.run(on: terminal) }
        task.withLock { $0 = work }
    }

    var end: BrowserEnd? { get async { await task.withLock { $0 }?.value } }

    /// All drawn states; a copy of its own, since the sanitizer does not see how an array's storage is shared.
    var states: [AppState] { all.withLock { $0.map(\.self) } }

    // MARK: Input

    func press(_ codes: Key.Code..., holding modifiers: Key.Modifiers = []) {
        for code in codes { inbox.receive(.input(.key(Key(code, modifiers)))) }
    }

    func click(at position: CellPosition) {
        inbox.receive(.input(.mouse(MouseEvent(.press(.left), at: position))))
    }

    // MARK: Waiting

    private struct Drawn {
        var state: AppState?
        /// The numbers of waits that have taken too long.
        var expired: Set<Int> = []
    }

    /// Waits for a drawn state, first looking at the last one; after ten seconds it fails with the last one.
    @discardableResult
    func drawn(
        _ matches: @escaping @Sendable (AppState) -> Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) async -> AppState {
        let number = waits.withLock { count in
            count += 1
            return count
        }
        let timeout = Task { [drawn] in
            // In steps, which take longer where the machine has other work.
            for _ in 0..<100 { try await Task.sleep(for: .milliseconds(100)) }
            drawn.change { $0.expired.insert(number) }
        }
        defer { timeout.cancel() }
        let last = await drawn.wait { $0.expired.contains(number) || $0.state.map(matches) ?? false }
        let state = last.state ?? .fresh()
        if last.expired.contains(number) {
            Issue.record("not drawn within 10 s; the last state: \(state.summary)", sourceLocation: sourceLocation)
        }
        return state
    }

    /// Starts a search and waits for its photos.
    static func listing(_ run: BrowserRun = BrowserRun(), _ change: (inout BrowserSetup) -> Void = { _ in }) async
        -> BrowserRun
    {
        run.start("moon", change)
        await run.drawn { $0.list?.photos.isEmpty == false }
        return run
    }
}

extension AppState {
    fileprivate var summary: String {
        let list = list.map {
            "'\($0.search)' at \($0.selected) of \($0.photos.count), awaits \(String(describing: $0.awaited))"
        }
        let images = "\(images.pictures.count) images, \(finalPictures) final"
        return "\(screens); \(list ?? "no list"); \(images); \(String(describing: notice))"
    }
}

extension AppState {
    /// The number of final images.
    var finalPictures: Int {
        images.pictures.values.count { if case .shown(_, _, isFinal: true, _) = $0 { true } else { false } }
    }
}

/// Records what the browser stored, opened and watched.
@dynamicMemberLookup
final class RememberedThings: Sendable {
    struct State {
        var searches: [String] = []
        var places: [SavedPlace?] = []
        var preferences: [Preferences] = []
        var marks: [MarkChanges] = []
        var opened: [String] = []
        var watched: [String] = []
    }

    private let state = Mutex(State())

    subscript<Value: Sendable>(dynamicMember part: KeyPath<State, Value>) -> Value {
        state.withLock { $0[keyPath: part] }
    }

    func open(_ target: [UInt8]) throws(BrowserError) {
        let text = String(decoding: target, as: UTF8.self)
        guard !text.contains("unknown.example") else { throw BrowserError("xdg-open: No such file or directory") }
        state.withLock { $0.opened.append(text) }
    }

    func watch(_ folder: [UInt8]) { state.withLock { $0.watched.append(String(decoding: folder, as: UTF8.self)) } }

    func store(_ change: StateChange) {
        state.withLock { state in
            switch change {
            case .search(let search): state.searches.append(search.text)
            case .place(let place): state.places.append(place)
            case .preferences(let preferences): state.preferences.append(preferences)
            case .marks(let changes): state.marks.append(changes)
            case .seen, .answers, .command: break
            }
        }
    }
}

/// Numbered photos in pages of ten, which a test can delay.
struct ShelfSource: PhotoSource {
    let name = "shelf"
    let pageSize = 10
    var count = 345
    /// The files of the first photos.
    var files: [LocalFile] = []
    /// Delays pages.
    var gate: AsyncGate?
    /// Delays details.
    var detailGate: AsyncGate?
    /// Cancelled requests for details.
    let detailsCancelled = WatchedValue(0)
    /// Whether every page also fetches a URL.
    var asksTransport = false
    private let requested = WatchedValue((pages: [Int](), revalidated: 0))
    /// Requested pages, and how many were revalidated.
    var asked: (pages: [Int], revalidated: Int) { requested.value }
    private var transport: any Transport = ScriptedTransport.pictures()

    init(count: Int = 345, gate: AsyncGate? = nil) {
        self.count = count
        self.gate = gate
    }

    func over(_ transport: any Transport) -> ShelfSource {
        var source = self
        source.transport = transport
        return source
    }

    func page(of query: PhotoQuery, at cursor: PageCursor?) async throws -> PhotoPage {
        let page = cursor.flatMap { Int($0.token) } ?? 1
        let revalidates = transport is RevalidatingTransport
        requested.change { ($0.pages, $0.revalidated) = ($0.pages + [page], $0.revalidated + (revalidates ? 1 : 0)) }
        try await gate?.wait()
        if asksTransport, let address = WebAddress("http://shelf.example/page") {
            _ = try await transport.fetch(FetchRequest(address))
        }
        let all = query.text == "nothing" ? 0 : count
        let start = min((page - 1) * pageSize, all)
        let end = min(start + pageSize, all)
        return PhotoPage(
            photos: (start..<end).map(photo), position: start, next: end < all ? PageCursor(token: "\(page + 1)") : nil,
            previous: page > 1 ? PageCursor(token: "\(page - 1)") : nil, total: .exact(all))
    }

    func cursor(for start: PhotoStart) -> PageCursor? {
        switch start {
        case .page(let number): PageCursor(token: "\(number)")
        case .photo: nil
        case .position(let position): PageCursor(token: "\(max(position, 0) / pageSize + 1)")
        }
    }

    func renditions(of photo: Photo) async throws -> Photo {
        do {
            try await detailGate?.wait()
        } catch {
            detailsCancelled.change { $0 += 1 }
            throw error
        }
        var photo = photo
        photo.credit = "in full"
        return photo
    }

    private func photo(_ index: Int) -> Photo {
        var photo = Photo(id: "\(index)", source: name)
        photo.file = files.indices.contains(index) ? files[index] : nil
        photo.title = "photo \(index)"
        photo.thumbnail = WebAddress("http://pictures.example/\(index).png")
        photo.renditions = photo.thumbnail.map { [Rendition($0, width: 8, height: 8, rel: "canonical")] } ?? []
        photo.page = WebAddress("http://pages.example/\(index)")
        return photo
    }
}

extension ScriptedTransport {
    /// Serves an image of eight pixels for every address.
    static func pictures(
        gate: AsyncGate? = nil, status: Int = 200, origin: FetchResponse.Origin = .archive
    ) -> ScriptedTransport {
        let body = StoredPNG.bytes(of: [UInt8](repeating: 200, count: 8 * 8 * 3), width: 8, height: 8)
        // Responses of an archive are cached in memory.
        return ScriptedTransport(gate: gate) { request, _ in
            FetchResponse(address: request.address, status: status, body: body, origin: origin)
        }
    }
}

/// Saves originals in memory.
struct FileStub: Sendable {
    var bytes: Int? = 1000
    var gate: AsyncGate?
    /// The removal of partial files, which a test can delay.
    let removal = WatchedValue((isAllowed: true, started: 0, done: 0))

    func size() throws -> Int? { bytes }

    func save(_ target: SaveTarget, _ progress: @Sendable (Int, Int?) -> Void) async throws -> String {
        let path = target.isFolder ? "\(target.path)/\(target.name)" : target.path
        progress(500, bytes)
        do {
            try await gate?.wait()
        } catch {
            removal.change { $0.started += 1 }
            await removal.wait { $0.isAllowed }
            removal.change { $0.done += 1 }
            throw error
        }
        return path + "-1"
    }
}

/// A terminal in memory, with controlled speed.
final class FakeTerminal: BrowserTerminal {
    struct State {
        var writes: [TerminalBytes] = []
        var isWriting = false
        var isSlow = false
        var mouse: [Bool] = []
        var suspensions = 0
    }

    private let state: WatchedValue<State>

    /// A slow terminal is busy after each write, until `drain`.
    init(isSlow: Bool = false) { state = WatchedValue(State(isSlow: isSlow)) }

    var writes: [TerminalBytes] { state.value.writes }
    var mouse: [Bool] { state.value.mouse }
    var suspensions: Int { state.value.suspensions }
    var isWriting: Bool { state.value.isWriting }

    func write(_ bytes: TerminalBytes) {
        state.change { state in
            state.writes.append(bytes)
            state.isWriting = state.isSlow
        }
    }

    func setMouse(_ isOn: Bool) { state.change { $0.mouse.append(isOn) } }
    func suspend() { state.change { $0.suspensions += 1 } }
    func lend(_ body: @escaping @Sendable (LentTerminal) -> Void) { body(LentTerminal(nowhere: "/dev/null")) }

    /// Makes it slow, and busy until `drain`.
    func block() { state.change { ($0.isSlow, $0.isWriting) = (true, true) } }

    /// Completes all writes.
    func drain(_ inbox: BrowserInbox) {
        state.change { $0.isWriting = false }
        inbox.receive(.drained)
    }

    /// Waits for `count` writes.
    func waitForWrites(_ count: Int) async { await state.wait { $0.writes.count >= count } }
}
