internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassTerminalUI

/// The full-screen browser: one loop of events, state, effects and frames.
///
///     let inbox = BrowserInbox()
///     let session = TerminalSession { inbox.receive($0) }
///     try session.start()
///     let end = await Browser(inbox, services, setup).run(on: session)
///     session.end()
///
/// The loop owns the state and waits only for the next event. Slow work runs in tasks, which send their results to the inbox.
/// After every batch of events the loop sends at most one frame, of the newest state.
package struct Browser: Sendable {
    let inbox: BrowserInbox
    let services: BrowserServices
    let setup: BrowserSetup
    /// Differs only in tests.
    var draw: @Sendable (AppState) -> BrowserFrame = { BrowserView.frame(of: $0) }

    package init(_ inbox: BrowserInbox, _ services: BrowserServices, _ setup: BrowserSetup) {
        (self.inbox, self.services, self.setup) = (inbox, services, setup)
    }

    /// Runs until the user quits, a signal arrives or the terminal closes; then cancels all work.
    package func run(on terminal: some BrowserTerminal) async -> BrowserEnd {
        var loop = BrowserLoop(self, terminal)
        return await loop.run()
    }
}

struct BrowserLoop<Terminal: BrowserTerminal> {
    private let browser: Browser
    private let time: ElapsedClock
    private var state: AppState
    private var frames: FrameWriter<Terminal>
    private var timer: LoopTimer
    private var runner: EffectRunner
    private let terminal: Terminal
    private var end: BrowserEnd?
    /// Whether the size follows with which the program continues.
    private var isContinued = false
    /// The newest frames of animations, until the terminal can take them.
    private var waitingFrames: [PictureKey: (image: CellImage, player: Int)] = [:]
    /// When the listing of a folder began that has not ended.
    private var listing: (generation: Int, start: Duration)?
    private var listingTime = Duration.zero
    /// Folders in the listed one that changed after the last listing began.
    private var changedFolders: Set<[UInt8]> = []

    /// The time from the first change of a folder until it is listed again.
    ///
    /// Programs change many files at once. A listing takes at most a tenth of the time.
    private var folderDelay: Duration { max(.milliseconds(300), listingTime * 10) }

    init(_ browser: Browser, _ terminal: Terminal) {
        self.browser = browser
        let setup = browser.setup
        time = ElapsedClock(browser.services.clock)
        var state = AppState(
            traits: setup.traits, preferences: setup.preferences, options: setup.options, theme: setup.theme)
        state.home = HomeState(
            history: setup.history, place: setup.place, seenPhotos: setup.seen, offers: setup.homeOffers)
        state.marks = Marks(setup.marks)
        state.keys = setup.keys
        state.commands = setup.commands
        self.state = state
        frames = FrameWriter(terminal, time, traits: setup.traits)
        timer = LoopTimer(time, browser.inbox.queue)
        runner = EffectRunner(browser.inbox, browser.services, setup.traits, source: setup.preferences.source)
        self.terminal = terminal
    }

    mutating func run() async -> BrowserEnd {
        let (setup, queue) = (browser.setup, browser.inbox.queue)
        if let archived = setup.archived { Task { queue.add(.event(.archive(holds: await archived()))) } }
        if let homePhotos = setup.homePhotos {
            Task { queue.add(.event(.home(await homePhotos() + setup.homeOffers))) }
        }
        if let query = setup.query, !query.paths.isEmpty {
            update(.startedWithFiles(query, at: setup.start))
        } else {
            let source = setup.preferences.source
            update(.started(search: setup.query.map(state.searchText(in: source).text), at: setup.start))
        }
        while true {
            showFrames()
            frames.draw(state.traits, &timer) { [browser, state] in browser.draw(state) }
            for item in await queue.next() where end == nil { handle(item) }
            if let end {
                timer.clearAll()
                await runner.finish()
                return end
            }
        }
    }

    // MARK: Events

    private mutating func handle(_ item: EventQueue.Item) {
        switch item {
        case .terminal(let event): handle(event)
        case .event(let event):
            if let listing, case .page(listing.generation, .next, _) = event {
                listingTime = time.now() - listing.start
                self.listing = nil
            }
            update(event)
        case .picture(let key, let picture, let load, let isLast):
            if runner.pictures.accept(key, load: load, isLast: isLast) { update(.picture(key, picture)) }
        case .frame(let key, let image, let player): waitingFrames[key] = (image, player)
        case .progress(let key, let progress, let load):
            if runner.pictures.accept(key, load: load, isLast: false) { update(.progress(key, progress)) }
        case .saving(let event, let work): if let event = runner.saving.event(event, ofWork: work) { update(event) }
        case .folderChanged(let inner):
            changedFolders.formUnion(inner)
            timer.set(.folder, at: time.now() + folderDelay)
        case .timer(let kind): handle(kind)
        }
    }

    private mutating func handle(_ event: TerminalSession.Event) {
        switch event {
        case .input(.reply(.status)): frames.replied(state.traits)
        case .input(.mouse(let mouse)) where mouse.kind == .press(.left):
            update(.input(.mouse(mouse)))
            update(.click(frames.target(at: mouse.position)))
        case .input(let input):
            if case .reply = input {} else { frames.keyPressed() }
            update(.input(input))
        case .resized(let report):
            let terminal = TerminalCapabilities.detect(environment: { _ in nil }, isTerminal: true, window: report)
            let before = state.traits
            let size = browser.setup.maxSize.map { $0.clamped(to: terminal.size.value) } ?? terminal.size.value
            update(.resized(size, cellPixels: report.cellPixels(known: before.cellPixels)))
            // The session reports the size after `continued`, which has painted the screen.
            if !isContinued || state.traits != before { frames.repaint() }
            isContinued = false
        case .continued:
            isContinued = true
            frames.resumed()
            update(.continued)
        case .drained: frames.drained(state.traits)
        case .ended(let signal): leave(.signal(signal))
        case .closed: leave(.closed)
        }
    }

    private mutating func handle(_ kind: TimerKind) {
        timer.clear(kind)
        switch kind {
        case .replyTimeout: break
        case .rest: frames.rested()
        case .folder:
            update(.folderChanged(inner: changedFolders))
            changedFolders = []
        case .spinner:
            let transfers = browser.inbox.transferCount
            if transfers != state.activity.transfers { update(.transfers(transfers)) }
            update(.timedOut(.spinner))
        case .line, .slide, .notice, .hold: update(.timedOut(kind))
        }
    }

    private mutating func leave(_ end: BrowserEnd) {
        update(.ended)
        self.end = end
    }

    /// Shows the newest frames, once the terminal has taken everything before.
    private mutating func showFrames() {
        guard !waitingFrames.isEmpty, frames.canAnimate(at: time.now()) else { return }
        for (key, frame) in waitingFrames where runner.pictures.plays(key, frame.player) {
            _ = state.update(.frame(key, frame.image))
            frames.animationChanged()
        }
        waitingFrames = [:]
    }

    // MARK: State and effects

    private mutating func update(_ event: BrowserEvent) {
        frames.stateChanged()
        var events = [event][...]
        while let event = events.popFirst() {
            for effect in state.update(event) { events += perform(effect) }
        }
    }

    /// Performs an effect; returns the results that are there at once.
    private mutating func perform(_ effect: BrowserEffect) -> [BrowserEvent] {
        let backend = runner.backend
        let search = BrowserSearch(source: runner.source)
        switch effect {
        case .search(let generation, let query, let source, let start, let revalidates):
            if !query.paths.isEmpty { listing = (generation, time.now()) }
            runner.search(generation, BrowserSearch(query: query, source: source, start: start), revalidates)
        case .loadPage(let generation, let direction): runner.searches.loadPage(generation: generation, direction)
        case .cancelSearch: runner.cancelSearch()
        case .findCached(let generation, let searches): runner.findCached(searches, generation)
        case .loadDetails(let generation, let photo):
            if let backend { runner.searches.loadDetails(generation: generation, photo, in: backend) }
        case .readFiles(let generation, let photos):
            if let backend { runner.searches.readFiles(generation: generation, of: photos, in: backend) }
        case .loadFacts(let photo): runner.loadFacts(of: photo)
        case .requestPictures(let requests): return runner.request(requests)
        case .play(let keys): runner.pictures.play(keys)
        case .setTraits(let traits): runner.pictures.setTraits(traits)
        case .open(let address): return runner.open(address)
        case .view(let item): if let backend { runner.viewer.view(item, from: backend, search) }
        case .copy(let text):
            guard let bytes = TerminalBytes(copying: text) else {
                return [.notice(.hint(DetailTexts.all.nothingToCopy))]
            }
            terminal.write(bytes)
        case .askSize(let address, let trust):
            guard let backend else { return [.save(.size(nil))] }
            runner.saving.askSize(address, trust, of: backend)
        case .save(let job):
            guard let backend else { return [.save(.cancelled)] }
            runner.saving.run(job, from: backend, search)
        case .cancelSave: runner.saving.cancel()
        case .trash(let photos): runner.trash.put(photos)
        case .restore(let photos): runner.trash.restore(photos)
        case .run(let job): if let backend { runner.viewer.run(job, from: backend, search, on: terminal) }
        case .store(let change): runner.store(change)
        case .timer(let kind, let delay):
            timer.clear(kind)
            if let delay { timer.set(kind, at: time.now() + delay) }
        case .terminal(.mouse(let isOn)): terminal.setMouse(isOn)
        case .terminal(.appearance): terminal.write(TerminalProbe.appearance)
        case .terminal(.repaint): frames.repaint()
        case .terminal(.suspend): terminal.suspend()
        case .quit(let picked): end = end ?? .quit(picked)
        }
        return []
    }
}

enum TimerKind: Hashable, Sendable {
    case spinner
    /// The line of the full screen, a slideshow's photo, or a warning has been shown long enough.
    case line, slide, notice
    /// The next photo's image has not come in time.
    case hold
    /// The terminal has not replied in time.
    case replyTimeout
    /// No key was pressed for a while.
    case rest
    case folder
}

/// Wakes the loop at times of its clock; at most one timer of each kind is set.
struct LoopTimer {
    private let time: ElapsedClock
    private let queue: EventQueue
    private var waiting: [TimerKind: Task<Void, Never>] = [:]

    init(_ time: ElapsedClock, _ queue: EventQueue) { (self.time, self.queue) = (time, queue) }

    /// Sets a timer, unless one of its kind is set.
    mutating func set(_ kind: TimerKind, at moment: Duration) {
        guard waiting[kind] == nil else { return }
        waiting[kind] = Task { [time, queue] in
            if (try? await time.sleep(moment)) != nil { queue.add(.timer(kind)) }
        }
    }

    mutating func clear(_ kind: TimerKind) { waiting.removeValue(forKey: kind)?.cancel() }
    mutating func clearAll() { for kind in waiting.keys { clear(kind) } }
}
