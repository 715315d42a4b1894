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
    /// `BrowserView.frame`, except in tests.
    let draw: @Sendable (BrowserState) -> BrowserFrame

    package init(_ inbox: BrowserInbox, _ services: BrowserServices, _ setup: BrowserSetup) {
        self.init(inbox, services, setup) { BrowserView.frame(of: $0) }
    }

    init(
        _ inbox: BrowserInbox, _ services: BrowserServices, _ setup: BrowserSetup,
        draw: @escaping @Sendable (BrowserState) -> BrowserFrame
    ) {
        self.inbox = inbox
        self.services = services
        self.setup = setup
        self.draw = draw
    }

    /// Runs until the user quits, a signal arrives or the terminal closes; then cancels all work.
    package func run(on terminal: some BrowserTerminal) async -> BrowserEnd {
        var loop = BrowserLoop(self, terminal)
        return await loop.run()
    }
}

struct BrowserLoop<Terminal: BrowserTerminal> {
    private let inbox: BrowserInbox
    private let setup: BrowserSetup
    private let view: @Sendable (BrowserState) -> BrowserFrame
    private let time: ElapsedClock
    private var state: BrowserState
    private var frames: FrameWriter<Terminal>
    private var timer: LoopTimer
    private var effects: EffectRunner<Terminal>
    private var end: BrowserEnd?
    private var isAnimated = false
    /// Whether the size follows with which the program continues.
    private var isContinued = false
    private var shownTransfers = 0
    /// The newest frames of animations, until the terminal can take them.
    private var waitingFrames: [PictureKey: (image: CellImage, player: Int)] = [:]
    /// When the listing of a folder began that has not ended.
    private var listing: (generation: Int, start: Duration)?
    /// How long the last one took.
    private var listingTime = Duration.zero
    /// Folders in the listed one that changed after the last listing began.
    private var changedFolders: Set<[UInt8]> = []

    private static var tick: Duration { .milliseconds(100) }
    /// From the first change of a folder until it is listed again.
    ///
    /// Programs change many files at once. At least ten times as long as a listing takes.
    private var folderDelay: Duration { max(.milliseconds(300), listingTime * 10) }
    /// How long the line of the full screen is shown after the last key.
    private static var lineTime: Duration { .seconds(3) }
    /// How long a warning is shown.
    private static var noticeTime: Duration { .seconds(8) }

    init(_ browser: Browser, _ terminal: Terminal) {
        inbox = browser.inbox
        setup = browser.setup
        view = browser.draw
        time = ElapsedClock(browser.services.clock)
        var state = BrowserState(
            traits: setup.traits, preferences: setup.preferences, options: setup.options, theme: setup.theme)
        state.history = setup.history
        state.place = setup.place
        state.marks = Marks(setup.marks)
        state.seenPhotos = setup.seen
        state.homeOffers = setup.homeOffers
        self.state = state
        frames = FrameWriter(
            terminal, time, traits: setup.traits, fidelity: setup.fidelity, usesScrollRegion: setup.usesScrollRegion)
        timer = LoopTimer(time, browser.inbox.queue)
        effects = EffectRunner(
            browser.inbox, browser.services, terminal, setup.traits, source: setup.preferences.source)
    }

    mutating func run() async -> BrowserEnd {
        if let archived = setup.archived {
            Task { [queue = inbox.queue] in queue.add(.event(.archive(holds: await archived()))) }
        }
        if let homePhotos = setup.homePhotos {
            Task { [queue = inbox.queue, offers = setup.homeOffers] in
                queue.add(.event(.home(await homePhotos() + offers)))
            }
        }
        if let query = setup.query, !query.paths.isEmpty {
            update(.startedWithFiles(query, at: setup.start))
        } else {
            let source = setup.preferences.source
            update(.started(search: setup.query.map(state.searchText(in: source).text), at: setup.start))
        }
        while true {
            showFrames()
            frames.draw(state.traits, &timer) { [view, state] in view(state) }
            for item in await inbox.queue.next() where end == nil { handle(item) }
            if let end {
                timer.clearAll()
                await effects.finish()
                return end
            }
        }
    }

    // MARK: Events

    private mutating func handle(_ item: EventQueue.Item) {
        switch item {
        case .terminal(let event): handle(event)
        case .event(.transfers(let count)):
            shownTransfers = count
            update(.transfers(count))
        case .event(let event):
            if let listing, case .page(listing.generation, .next, _) = event {
                listingTime = time.now() - listing.start
                self.listing = nil
            }
            update(event)
        case .picture(let key, let picture, let load, let isLast):
            if effects.pictures.accept(key, load: load, isLast: isLast) { update(.picture(key, picture)) }
        case .frame(let key, let image, let player): waitingFrames[key] = (image, player)
        case .progress(let key, let progress, let load):
            if effects.pictures.accept(key, load: load, isLast: false) { update(.progress(key, progress)) }
        case .saving(let event, let work): if let event = effects.saving.event(event, ofWork: work) { update(event) }
        case .folderChanged: timer.set(.folder, at: time.now() + folderDelay)
        case .innerFoldersChanged(let folders):
            changedFolders.formUnion(folders)
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
        case .input(let input): update(.input(input))
        case .resized(let report):
            let terminal = TerminalCapabilities.detect(environment: { _ in nil }, isTerminal: true, window: report)
            let before = state.traits
            update(
                .resized(
                    setup.maxSize.map { $0.clamped(to: terminal.size.value) } ?? terminal.size.value,
                    cellPixels: report.cellPixels))
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

    private mutating func handle(_ kind: LoopTimer.Kind) {
        timer.clear(kind)
        switch kind {
        case .replyTimeout: break
        case .idle: frames.sharpen()
        case .folder:
            update(.folderChanged(inner: changedFolders))
            changedFolders = []
        case .line: update(.lineTimedOut)
        case .slide: update(.slideTimedOut)
        case .notice: update(.noticeTimedOut)
        case .tick:
            guard isAnimated else { return }
            timer.set(.tick, at: time.now() + Self.tick)
            let transfers = inbox.transferCount
            if transfers != shownTransfers {
                shownTransfers = transfers
                update(.transfers(transfers))
            }
            update(.tick)
        }
    }

    private mutating func leave(_ end: BrowserEnd) {
        update(.ended)
        self.end = end
    }

    /// Shows the newest frames, once the terminal has taken everything before.
    private mutating func showFrames() {
        guard !waitingFrames.isEmpty, frames.canAnimate(at: time.now()) else { return }
        for (key, frame) in waitingFrames where effects.pictures.plays(key, frame.player) {
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

    private mutating func perform(_ effect: BrowserEffect) -> [BrowserEvent] {
        switch effect {
        case .quit: end = end ?? .quit
        case .repaint: frames.repaint()
        case .animate(let isOn):
            isAnimated = isOn
            if isOn { timer.set(.tick, at: time.now() + Self.tick) } else { timer.clear(.tick) }
        case .search(let generation, let query, _, _, _):
            if !query.paths.isEmpty { listing = (generation, time.now()) }
            return effects.perform(effect)
        case .startLineTimer:
            timer.clear(.line)
            timer.set(.line, at: time.now() + Self.lineTime)
        case .setSlideTimer(let seconds):
            timer.clear(.slide)
            if let seconds { timer.set(.slide, at: time.now() + .seconds(seconds)) }
        case .startNoticeTimer:
            timer.clear(.notice)
            timer.set(.notice, at: time.now() + Self.noticeTime)
        default: return effects.perform(effect)
        }
        return []
    }
}
