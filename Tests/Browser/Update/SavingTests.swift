import SpyglassCatalog
import SpyglassFetching
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("Saving originals")
struct SavingTests {
    private var address: WebAddress { get throws { try #require(samplePhoto(0).renditions.last?.address) } }

    private func item(_ number: Int, isComplete: Bool = true) -> SaveItem {
        SaveItem(photo: samplePhoto(number), isComplete: isComplete)
    }

    /// The job, if it is the only effect.
    private func job(_ effects: [BrowserEffect]) -> SaveJob? {
        guard effects.deliberate.count == 1, case .save(let job)? = effects.deliberate.first else { return nil }
        return job
    }
    private func done(_ paths: String..., failed: [SaveItem] = []) -> BrowserEvent {
        var outcome = SaveOutcome()
        outcome.paths = paths
        for item in failed { outcome.fail(item, gone) }
        return .save(.done(outcome))
    }

    @Test("Path and size come first, Enter saves, progress and path follow, and the folder is remembered")
    func whole() throws {
        var state = AppState.listing { $0.downloadFolder = "/home/me/Downloads" }
        #expect(state.press("s").deliberate == [.loadDetails(generation: 1, samplePhoto(0))])
        #expect(state.details(of: samplePhoto(0)).deliberate == [.askSize(try address, .publicAddresses)])
        #expect(state.save?.path.text == "/home/me/Downloads/id-0.jpg" && state.save?.originalSize == .asking)
        _ = state.update(.save(.size(1234)))
        #expect(state.save?.originalSize == .known(1234))
        #expect(job(state.press("\r")) == SaveJob(items: [item(0)], path: "/home/me/Downloads", isFolder: true))
        _ = state.update(.save(.progress(SaveProgress(received: 100))))
        #expect(state.save?.stage == .saving(SaveProgress(received: 100)))
        let effects = state.update(done("/home/me/Downloads/id-0-1.jpg"))
        #expect(state.top == .list && state.notice == .saved(path: "/home/me/Downloads/id-0-1.jpg"))
        #expect(state.preferences.saveFolder == "/home/me/Downloads")
        #expect(effects.contains(.store(.preferences(state.preferences))))
    }

    @Test("The path is edited by the field's usual keys")
    func edited() {
        var state = AppState.listing {
            $0.downloadFolder = "/home/me/Downloads"
            $0.homeFolder = "/home/me"
        }
        state.press("s")
        #expect(state.save?.path.text == "~/Downloads/id-0.jpg")
        state.press(.character("a"), .control)
        state.press(.character("k"), .control)
        #expect(state.save?.path.text.isEmpty == true)
        for character in "~/q s/?,é.jp" { state.press(.character(character)) }
        state.press(.backspace)
        state.press("pg")
        _ = state.update(.input(.paste("\u{7}x")))
        #expect(state.save?.path.text == "~/q s/?,é.jpgx")
        // What the user has typed stays when the files are known.
        _ = state.details(of: samplePhoto(0))
        #expect(state.save?.path.text == "~/q s/?,é.jpgx")
        #expect(job(state.press("\r")) == SaveJob(items: [item(0)], path: "/home/me/q s/?,é.jpgx", isFolder: false))
        // While it is saved, keys change nothing.
        state.press("abc")
        #expect(state.save?.path.text == "~/q s/?,é.jpgx")
        _ = state.update(done("/home/me/q s/?,é.jpgx"))
        #expect(state.preferences.saveFolder == "/home/me/q s")
        state.press("s")
        #expect(state.save?.path.text == "~/q s/id-0.jpg")
    }

    @Test("It can be left at every stage, which cancels the work")
    func cancelled() {
        for (events, effects) in [
            ([], [.cancelSave]), ([SaveEvent.size(nil)], []),
        ] as [([SaveEvent], [BrowserEffect])] {
            var state = AppState.detailing()
            state.press("s")
            _ = state.details(of: samplePhoto(0))
            for event in events { _ = state.update(.save(event)) }
            #expect(state.press("\u{1B}").deliberate == effects && state.detail != nil)
        }
        var state = AppState.detailing()
        state.press("s\r")
        #expect(state.press("\u{1B}").deliberate == [.cancelSave])
        _ = state.update(.save(.cancelled))
        #expect(state.detail != nil)
    }

    @Test("Late events of a cancelled save change no screen")
    func late() {
        var state = AppState.listing()
        for event in [SaveEvent.size(3), .progress(SaveProgress()), .cancelled] {
            #expect(state.update(.save(event)).isEmpty)
        }
        #expect(state.top == .list)
        _ = state.update(done("x.jpg"))
        #expect(state.notice == .saved(path: "x.jpg"))
        state.press("js")
        for event in [done("y.jpg"), .save(.cancelled), .save(.progress(SaveProgress(done: 1)))] {
            _ = state.update(event)
            #expect(state.save?.isEditing == true)
        }
    }

    @Test("A failure is an alert, and a retry shows the panel again")
    func failed() throws {
        var state = AppState.listing()
        state.press("s")
        _ = state.details(of: samplePhoto(0))
        state.press("\r")
        _ = state.update(done(failed: [item(0)]))
        #expect(state.topAlert?.error.reason == gone.reason)
        // The selection has changed since.
        state.list?.selected = 5
        #expect(state.press("\r").deliberate == [.askSize(try address, .publicAddresses)])
        #expect(state.save?.path.text == "id-0.jpg" && state.save?.isEditing == true)
        state.press("\r")
        _ = state.update(done(failed: [item(0)]))
        state.press("\u{1B}")
        #expect(state.top == .list)
    }

    @Test("With several marked the path is that of a folder")
    func several() {
        var state = AppState.listing { $0.downloadFolder = "/d" }
        #expect(state.press("  s").contains { if case .loadDetails = $0 { true } else { false } } == false)
        let items = [item(0, isComplete: false), item(1, isComplete: false)]
        #expect(state.save?.path.text == "/d" && state.save?.items == items)
        state.press("/new")
        #expect(job(state.press("\r")) == SaveJob(items: items, path: "/d/new", isFolder: true))
        _ = state.update(.save(.progress(SaveProgress(done: 1))))
        _ = state.update(done("/d/new/a.jpg", "/d/new/b.jpg"))
        #expect(state.notice == .savedAll(2, folder: "/d/new") && state.preferences.saveFolder == "/d/new")
        #expect(state.markedCount == 2)
    }

    @Test("What failed of several is tried again alone, in the same folder")
    func someFailed() throws {
        var state = AppState.listing { $0.downloadFolder = "/d" }
        state.press("   s\r")
        _ = state.update(done("/d/a.jpg", "/d/c.jpg", failed: [item(1)]))
        let grid = state.grid
        #expect((0..<40).contains { grid.text(ofRow: $0).contains("2 of 3 done") })
        state.press("\r")
        #expect(state.save?.items == [item(1)] && state.save?.path.text == "/d" && state.save?.isFile == false)
        #expect(state.press("\r").deliberate == [.save(SaveJob(items: [item(1)], path: "/d", isFolder: true))])
        _ = state.update(done("/d/b.jpg"))
        #expect(state.notice == .savedAll(3, folder: "/d"))
    }

    @Test("A relative folder is remembered from the root")
    func relative() {
        var state = AppState.listing { $0.workingFolder = "/work" }
        state.press("  s")
        #expect(state.save?.path.text == "/work")
        state.press(.character("u"), .control)
        state.press("pics\r")
        _ = state.update(done("pics/a", "pics/b"))
        #expect(state.preferences.saveFolder == "/work/pics")
    }

    @Test("e asks for folder, size and format of resized copies, which are remembered")
    func export() {
        var state = AppState.listing { $0.downloadFolder = "/d" }
        state.press("  e")
        #expect(state.save?.size.text == "1600" && state.save?.format == .same && state.scope == .export)
        state.press("/x")
        state.press(.tab)
        state.press(.character("u"), .control)
        state.press("50%")
        state.press(.down)
        state.press("x")
        state.press(.right)
        state.press(.right)
        state.press(.left)
        let items = [item(0, isComplete: false), item(1, isComplete: false)]
        #expect(
            state.press("\r").deliberate.contains(
                .save(
                    SaveJob(
                        items: items, path: "/d/x", isFolder: true, copies: CopyForm(size: "50%", format: .jpeg)))))
        _ = state.update(done("/d/x/a", "/d/x/b"))
        #expect(state.notice == .exported(2, folder: "/d/x"))
        #expect(state.preferences.exportSize == "50%" && state.preferences.exportFormat == .jpeg)
        state.press("e")
        #expect(state.save?.path.text == "/d/x" && state.save?.size.text == "50%")
    }

    @Test("A size that is none is refused beside its field, until it is changed")
    func badSize() {
        var state = AppState.listing { $0.downloadFolder = "/d" }
        state.press("e\r")
        _ = state.update(.save(.badSize))
        #expect(state.save?.isEditing == true && state.save?.row == .size && state.save?.isSizeBad == true)
        #expect(state.top.isPanel && state.topAlert == nil)
        state.press("0")
        #expect(state.save?.isSizeBad == false && state.save?.size.text == "0")
    }

    @Test("A click chooses a row, and another one the next format")
    func clicked() {
        var state = AppState.listing()
        state.press("e")
        _ = state.update(.click(.saveRow(.size)))
        state.press("0")
        #expect(state.save?.size.text == "0")
        _ = state.update(.click(.saveRow(.size)))
        #expect(state.save?.size.after == "", "The caret stays")
        for _ in 0..<2 { _ = state.update(.click(.saveRow(.format))) }
        #expect(state.save?.row == .format && state.save?.format == .jpeg)
    }

    @Test("O opens the picture in the viewer")
    func opening() throws {
        var state = AppState.listing()
        #expect(
            state.press("O").deliberate == [.view(item(0, isComplete: false))]
                && state.notice == .hint(DetailTexts.all.fetching))
        state.traits.isRemote = true
        #expect(state.press("O").deliberate.isEmpty && state.notice == .hint(DetailTexts.all.noViewer))
        var folder = AppState.browsing(ExampleFolder(folders: 1, pictures: 1))
        #expect(folder.press("O").deliberate.isEmpty && folder.notice == .hint(SaveTexts.all.nothingToSave))
        let picture = try #require(folder.list?.photos.last)
        #expect(folder.press("jO").deliberate == [.view(SaveItem(photo: picture, isComplete: true))])
        #expect(folder.notice == nil)
    }

    @Test("The original is the source's, else the largest image, else the preview")
    func originals() throws {
        var photo = samplePhoto(1)
        photo.mediaType = .video
        photo.renditions.insert(Rendition(try #require(WebAddress("https://h.example/1~orig.mp4"))), at: 0)
        var originals: [String?] = [photo.original?.path]
        photo.renditions[3].rel = nil
        originals.append(photo.original?.path)
        photo.renditions.removeLast()
        originals.append(photo.original?.path)
        #expect(originals == ["/1~orig.jpg", "/1~orig.jpg", "/1~medium.jpg"])
        photo.renditions.removeAll()
        #expect(photo.original == photo.thumbnail)
    }
}
