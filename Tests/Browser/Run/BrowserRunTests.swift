import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassPipeline
import SpyglassTerminalUI
import SpyglassTestSupport
import Testing

@testable import SpyglassBrowser

@Suite("Browser: whole runs", .timeLimit(.minutes(10)))
struct BrowserRunTests {
    // MARK: Beginning and ending

    @Test("The first frame is sent before any result, and Ctrl-C ends the run")
    func firstFrame() async {
        let run = BrowserRun(source: ShelfSource(gate: AsyncGate()))
        run.start("moon")
        await run.drawn { $0.list?.photos.isEmpty == true }
        run.press(.character("c"), holding: .control)
        #expect(await run.end == .quit([]))
    }

    /// A run that shows a folder.
    private func startFolder(_ gate: AsyncGate? = nil) -> BrowserRun {
        let run = BrowserRun(source: ShelfSource(count: 10, gate: gate))
        run.start {
            var query = PhotoQuery()
            query.paths = [Array("/nonexistent/folder".utf8)]
            $0.query = query
        }
        return run
    }

    @Test("Changes of a folder within 300 ms list it once, and watch it again")
    func folderChanges() async {
        let run = startFolder()
        await run.drawn { $0.list?.photos.count == 10 }
        for _ in 0..<3 { run.inbox.queue.add(.folderChanged()) }
        // Once the key is handled, so are the changes.
        run.press(.down)
        await run.drawn { $0.selected == 1 }
        #expect(run.source.asked.pages == [1])
        run.clock.advance(by: .milliseconds(300))
        await run.drawn { $0.generation == 2 && $0.list?.awaited == nil }
        run.press(.down)
        await run.drawn { $0.selected == 2 }
        #expect(run.source.asked.pages == [1, 1])
        #expect(run.memory.watched == ["/nonexistent/folder", "/nonexistent/folder"])
    }

    @Test("A folder is listed again after ten times as long as a listing takes")
    func folderDelay() async {
        let gate = AsyncGate()
        let run = startFolder(gate)
        await run.drawn { $0.list?.awaited != nil }
        run.clock.advance(by: .seconds(1))
        gate.open()
        await run.drawn { $0.list?.photos.count == 10 }
        run.inbox.queue.add(.folderChanged())
        run.press(.down)
        await run.drawn { $0.selected == 1 }
        run.clock.advance(by: .seconds(9))
        run.press(.down)
        await run.drawn { $0.selected == 2 }
        #expect(run.source.asked.pages == [1])
        run.clock.advance(by: .seconds(1))
        await run.drawn { $0.generation == 2 && $0.list?.awaited == nil }
        #expect(run.source.asked.pages == [1, 1])
    }

    @Test("A signal stores the position before the run ends")
    func signal() async {
        let run = BrowserRun()
        run.start("moon", at: 123)
        await run.drawn { $0.selected == 123 && $0.list?.photo(at: 123) != nil }
        run.inbox.receive(.ended(signal: 15))
        #expect(await run.end == .signal(15))
        #expect(run.memory.places.last == SavedPlace(search: "moon", position: 123, source: "shelf"))
    }

    @Test("The end of a run cancels all work")
    func cancelsAtEnd() async {
        let pictures = ScriptedTransport.pictures(gate: AsyncGate())
        let run = BrowserRun(pictures: pictures)
        run.start("moon")
        await run.drawn { $0.images.pictures.count > 2 }
        run.press(.character("c"), holding: .control)
        #expect(await run.end == .quit([]))
        let count = pictures.count
        await pictures.waitForCancellations { $0.count >= count }
    }

    // MARK: Reading

    @Test("Text appears with the page, images later")
    func textFirst() async {
        let gate = AsyncGate()
        let run = BrowserRun(pictures: ScriptedTransport.pictures(gate: gate))
        run.start("moon")
        let state = await run.drawn { $0.list?.photos.count ?? 0 > 0 }
        #expect(state.finalPictures == 0)
        gate.open()
        await run.drawn { $0.finalPictures > 2 }
    }

    @Test("A position beyond the results leads to the last page")
    func fewerResults() async {
        let run = BrowserRun(source: ShelfSource(count: 25))
        run.start("moon", at: 300)
        let state = await run.drawn { $0.list?.photos.isEmpty == false }
        #expect(state.list?.photos.first?.id == "20" && state.list?.firstPosition == 20)
    }

    @Test("A refresh revalidates and keeps the selection")
    func refresh() async {
        let run = BrowserRun()
        run.start("moon")
        await run.drawn { $0.finalPictures > 2 }
        run.press(.down, .down)
        await run.drawn { $0.selected == 2 }
        #expect(run.source.asked.revalidated == 0)
        run.press(.character("r"))
        let state = await run.drawn { $0.list?.generation == 2 && $0.list?.isRefreshing == false }
        #expect(run.source.asked.revalidated > 0 && state.selected == 2)
    }

    @Test("A refresh without the server says that results are cached")
    func refreshFromCache() async {
        var source = ShelfSource()
        source.asksTransport = true
        let run = BrowserRun(source: source, pictures: ScriptedTransport.pictures(origin: .cache))
        run.start("moon")
        await run.drawn { $0.list?.photos.isEmpty == false }
        run.press(.character("r"))
        await run.drawn { $0.notice == .nothingNewer }
    }

    // MARK: Images

    @Test("Images that are no longer near are cancelled")
    func scrollingCancels() async {
        let pictures = ScriptedTransport.pictures(gate: AsyncGate())
        let run = BrowserRun(pictures: pictures)
        run.start("moon")
        await run.drawn { $0.images.pictures.count > 2 }
        for photo in [3, 6, 9, 12, 15, 18] {
            run.press(.pageDown)
            await run.drawn { $0.selected ?? 0 >= photo && $0.list?.photo(at: photo + 3) != nil }
        }
        await pictures.waitForCancellations { $0.contains { $0.address.path == "/0.png" } }
    }

    @Test("An image in memory is in the first frame with its photo")
    func memoryHit() async {
        let run = BrowserRun()
        run.start("moon")
        await run.drawn { $0.finalPictures > 5 }
        run.press(.pageDown, .pageDown, .pageDown)
        await run.drawn {
            $0.selected ?? 0 > 6 && $0.images.requests.visible.allSatisfy { $0.key.address.path != "/0.png" }
        }
        let before = run.states.count
        run.press(.home)
        let state = await run.drawn { $0.selected == 0 && $0.list?.topRow == 0 }
        #expect(run.states.count > before)
        for request in state.visible.prefix(2) {
            guard case .shown(_, _, isFinal: true, _)? = state.images.pictures[request.key] else {
                return #expect(Bool(false), "\(request.key.address) is not shown")
            }
        }
    }

    @Test(
        "A broken image shows why", arguments: [(404, FailureKind.notFound), (410, .notFound), (403, .status(403))])
    func broken(status: Int, failure: FailureKind) async {
        let run = BrowserRun(pictures: ScriptedTransport.pictures(status: status))
        run.start("moon")
        await run.drawn { $0.images.pictures.values.contains(.failed(failure)) }
    }

    @Test("A change of dark or light mode is followed by a query for the background")
    func darkMode() async {
        let run = BrowserRun()
        run.start()
        await run.drawn { $0.list == nil }
        run.inbox.receive(.input(.reply(.darkMode(false))))
        run.inbox.receive(.input(.reply(.background(RGB(250, 250, 250)))))
        await run.drawn { $0.traits.background == RGB(250, 250, 250) }
        #expect(run.terminal.writes.contains(TerminalProbe.appearance))
    }

    // MARK: Details, pages, files

    @Test("Details of photos that were scrolled past are cancelled")
    func detailsPassedBy() async {
        let gate = AsyncGate()
        var source = ShelfSource()
        source.detailGate = gate
        let run = await BrowserRun.listing(BrowserRun(source: source))
        run.press(.enter, .character("n"), .character("n"))
        await run.drawn { $0.selected == 2 }
        await source.detailsCancelled.wait { $0 >= 2 }
        gate.open()
        await run.drawn { $0.list?.photo(at: 2)?.credit == "in full" }
    }

    @Test("A page is opened")
    func opening() async {
        let run = await BrowserRun.listing()
        run.press(.character("o"))
        await run.drawn { $0.notice != nil }
        #expect(run.memory.opened == ["http://pages.example/0"])
    }

    @Test("Saving requests the size, reports progress and shows the path")
    func saving() async {
        let gate = AsyncGate()
        let run = await BrowserRun.listing(BrowserRun(files: FileStub(gate: gate)))
        run.press(.character("s"))
        await run.drawn { $0.save?.originalSize == .known(1000) }
        run.press(.enter)
        await run.drawn { $0.save?.stage == .saving(SaveProgress(received: 500, bytes: 1000)) }
        gate.open()
        await run.drawn { if case .saved(let path)? = $0.notice { path.hasSuffix(".png-1") } else { false } }
    }

    // MARK: The terminal

    @Test("A new size is drawn, up to the requested maximum")
    func resizing() async {
        let report = TerminalCapabilities.WindowReport(columns: 60, rows: 10, source: "test")
        for (largest, size) in [
            (nil, CellSize(clamping: 60, 10)), (CellSize(clamping: 80, 24), CellSize(clamping: 60, 10)),
            (CellSize(clamping: 50, 24), CellSize(clamping: 50, 10)),
        ] {
            let run = BrowserRun()
            run.start { $0.maxSize = largest }
            await run.drawn { _ in true }
            run.inbox.receive(.resized(report))
            await run.drawn { $0.traits.size == size }
        }
    }

    @Test("A continued program paints the screen once, unless its size is new")
    func continued() async {
        let run = BrowserRun()
        run.start()
        await run.terminal.waitForWrites(1)
        run.inbox.receive(.continued)
        await run.terminal.waitForWrites(2)
        for (columns, clears) in [(UInt16(80), [true, true, false]), (60, [true, true, false, true])] {
            run.inbox.receive(.resized(TerminalCapabilities.WindowReport(columns: columns, rows: 24, source: "test")))
            await run.terminal.waitForWrites(clears.count)
            let writes = run.terminal.writes.map { String(decoding: $0.raw, as: UTF8.self).contains("\u{1B}[2J") }
            #expect(writes == clears)
        }
    }

    @Test("A click after an undrawn change hits what is on the screen")
    func click() async {
        let run = BrowserRun()
        run.start("moon")
        let shown = await run.drawn { $0.list?.photos.isEmpty == false }
        run.terminal.block()
        let position = CellPosition(column: 70, row: shown.geometry.area(of: 2, from: 0)?.row ?? 0)
        run.press(.character("v"))
        run.click(at: position)
        run.press(.character("c"), holding: .control)
        #expect(await run.end == .quit([]))
        #expect(run.memory.places.last??.position == 2)
        // The grid, which was never drawn, has another photo there.
        var grid = shown
        grid.press("v")
        #expect(BrowserView.frame(of: grid).target(at: position) != .photo(2))
    }

    @Test("m switches the mouse, and Ctrl-Z suspends the program")
    func mouseAndStop() async {
        let run = await BrowserRun.listing()
        run.press(.character("m"))
        await run.drawn { $0.notice == .mouse(isOn: false) }
        #expect(run.terminal.mouse == [false])
        run.press(.character("z"), holding: .control)
        run.inbox.receive(.continued)
        run.press(.character("c"), holding: .control)
        #expect(await run.end == .quit([]))
        #expect(run.terminal.suspensions == 1 && run.memory.preferences.last?.usesMouse == false)
    }

    @Test("The line of the full screen disappears two seconds after the last key")
    func fullScreenLine() async {
        let run = await BrowserRun.listing()
        run.press(.character("f"))
        await run.drawn { $0.detail?.isFullScreen == true && !$0.activity.isSpinning }
        run.clock.advance(by: .seconds(1))
        run.press(.character("n"))
        await run.drawn { $0.detailPosition == 1 && !$0.activity.isSpinning }
        run.clock.advance(by: .seconds(1))
        run.press(.character("n"))
        await run.drawn { $0.detailPosition == 2 && !$0.activity.isSpinning }
        #expect(run.states.allSatisfy { $0.detail?.hidesLine != true })
        run.clock.advance(by: .seconds(2))
        await run.drawn { $0.detail?.hidesLine == true }
        run.press(.character("n"))
        await run.drawn { $0.detailPosition == 3 && $0.detail?.hidesLine == false }
    }

    @Test("A slideshow shows the next photo after five seconds, and none while it is paused")
    func slideshow() async {
        let run = await BrowserRun.listing(BrowserRun(source: ShelfSource(count: 5)))
        run.press(.character("d"))
        await run.drawn { $0.slideID == "0" }
        run.clock.advance(by: .seconds(5))
        await run.drawn { $0.selected == 1 && $0.slideID == "1" }
        run.press(.character(" "))
        let paused = await run.drawn { $0.detail?.slideshow?.isPaused == true }
        #expect(paused.slideID == nil)
        run.clock.advance(by: .seconds(60))
        run.press(.character(" "))
        await run.drawn { $0.slideID == "1" }
        run.press(.character("x"))
        await run.drawn { $0.top == .list && $0.selected == 1 }
    }
}
