import SpyglassCatalog
import SpyglassFiles
import SpyglassTestSupport
import Testing

@testable import SpyglassBrowser
@testable import SpyglassTerminalUI

@Suite("Folders in the browser")
struct FolderTests {
    private static let inner = ExampleFolder(path: "/home/ada/Pictures/inner 2", folders: 1, pictures: 3)

    private func rows(_ state: BrowserState) -> [String] {
        let grid = BrowserView.frame(of: state).grid
        return (0..<grid.size.rows).map { grid.text(ofRow: $0) }
    }

    private func path(of state: BrowserState) -> String? { state.list?.path?.shown }

    // MARK: Going

    @Test("Enter goes into a folder, and Escape comes out with it selected")
    func enterAndLeave() {
        for key in [Key.Code.escape, .backspace, .character("q")] {
            var state = BrowserState.browsing()
            state.press(.down)
            let effects = state.press(.enter)
            #expect(path(of: state) == Self.inner.path)
            #expect(effects.searches.map(\.paths) == [Self.inner.query.paths])
            state.deliver(Self.inner.answer)
            #expect(state.list?.photos.count == 4 && state.list?.selected == 0)

            state.press(key)
            #expect(path(of: state) == "/home/ada/Pictures" && state.list?.selected == 1)
            #expect(state.list?.photos.isEmpty == false, "The folder is shown before it is listed again")
            state.deliver(ExampleFolder(folders: 3).answer)
            #expect(state.list?.photo(at: state.list?.selected ?? 0)?.title == "inner 2")
            #expect(state.notice == nil)

            state.press(key)
            guard case .home = state.top else { return #expect(Bool(false), "\(state.top)") }
        }
    }

    @Test("A folder that is shown in full is entered by Enter")
    func enterFromDetail() {
        var state = BrowserState.browsing()
        state.press(.end)
        state.press(.enter)
        #expect(state.detail != nil)
        for _ in 0..<20 { state.press("p") }
        #expect(state.list?.selected == 1 && state.detail != nil)
        state.press(.enter)
        #expect(path(of: state) == Self.inner.path && state.detail == nil)
    }

    @Test("A list of many folders deep comes out one by one")
    func deep() {
        var state = BrowserState.browsing()
        for depth in 1...50 {
            state.press(.enter)
            state.deliver(ExampleFolder(path: path(of: state) ?? "", pictures: 1).answer)
            #expect(state.parents.count == depth)
        }
        for depth in (0..<50).reversed() {
            state.press(.escape)
            #expect(state.parents.count == depth)
        }
        #expect(path(of: state) == "/home/ada/Pictures")
    }

    @Test("Of a large folder only the photos around the entered one are kept")
    func keptPhotos() throws {
        var state = BrowserState.browsing(ExampleFolder(folders: 5000, pictures: 0))
        state.press(.end)
        state.press(.enter)
        let parent = try #require(state.parents.last)
        #expect(parent.photos.count == 101 && parent.photo(at: 4999)?.title == "inner 5000")
    }

    @Test("A single file is shown in full, several are a list")
    func files() {
        let folder = ExampleFolder(folders: 0, pictures: 1)
        var state = BrowserState.fresh()
        var query = PhotoQuery()
        query.paths = [Array("\(folder.path)/1.jpg".utf8)]
        _ = state.update(.startedWithFiles(query))
        state.deliver(folder.answer)
        #expect(state.detail?.position == 0)
        for keys in ["\u{1B}r", "S"] {
            state.press(keys)
            state.deliver(folder.answer)
            #expect(state.detail == nil, "\(keys)")
        }

        state = .fresh()
        query.paths = (1...20).map { Array("\(folder.path)/\($0).jpg".utf8) }
        _ = state.update(.startedWithFiles(query))
        state.deliver(ExampleFolder(folders: 0).answer)
        #expect(rows(state)[0].contains("1 of 20") && rows(state)[0].contains("1.jpg 2.jpg"))
        state.press(.end)
        #expect(rows(state)[0].contains("20 of 20"))
    }

    @Test("A search replaces the folders, by the source of the settings")
    func search() {
        var state = BrowserState.browsing()
        state.press(.enter)
        state.press("/")
        #expect(state.searchText == "")
        let effects = state.press("moon\r")
        #expect(effects.searches.map(\.text) == ["moon"] && state.list?.source == "nasa" && state.parents.isEmpty)
    }

    // MARK: What is stored

    @Test("Folders are neither remembered nor resumed")
    func privacy() {
        var state = BrowserState.fresh()
        var effects = state.update(.startedWithFiles(ExampleFolder().query))
        effects += state.deliver(ExampleFolder().answer)
        for _ in 0..<3 { effects += state.press(.enter) + state.press(.escape) }
        effects += state.press("S") + state.press("/") + state.press("\r")
        effects += state.update(.ended)
        for effect in effects {
            switch effect {
            case .remember, .savePlace, .keepPreferences: Issue.record("\(effect)")
            default: break
            }
        }
        #expect(state.history.isEmpty && state.place == nil)
    }

    // MARK: Order

    @Test("S changes the order of a folder and of those entered from it, and a notice names it")
    func order() {
        var state = BrowserState.browsing()
        state.press(.enter)
        state.deliver(Self.inner.answer)
        var orders: [[String]] = []
        for _ in 0..<3 {
            let effects = state.press("S")
            orders += effects.searches.map { $0["sort"] }
            state.deliver(Self.inner.answer)
        }
        #expect(orders == [["time"], ["size"], ["name"]])
        #expect(rows(state).last?.contains("Sorted by name") == true)
        state.press("S")
        state.deliver(Self.inner.answer)
        #expect(state.press(.enter).searches.map { $0["sort"] } == [["time"]])
        state.press(.escape)
        #expect(state.press(.escape).searches.map { $0["sort"] } == [[]], "The folder around stays as it was")
        var search = BrowserState.listing()
        #expect(search.press("S").searches.isEmpty && search.notice == nil)
    }

    @Test("S brings files back to the order in which they were given")
    func orderOfFiles() {
        var query = PhotoQuery()
        query.paths = ["/b.jpg", "/a.jpg"].map { Array($0.utf8) }
        var state = BrowserState.fresh()
        _ = state.update(.startedWithFiles(query))
        var orders: [[String]] = []
        for _ in 0..<4 {
            state.deliver(ExampleFolder(folders: 0, pictures: 2).answer)
            orders += state.press("S").searches.map { $0["sort"] }
        }
        #expect(orders == [["name"], ["time"], ["size"], []])
        #expect(state.notice == nil)
    }

    // MARK: Headers

    @Test("Headers of files on the screen and around it are read once, and shown")
    func headers() throws {
        var state = BrowserState.fresh { $0.homeFolder = "/home/ada" }
        let folder = ExampleFolder(folders: 1, pictures: 60)
        _ = state.update(.startedWithFiles(folder.query))
        let first = state.deliver(folder.answer).filesRead
        #expect(first.prefix(2).map(\.title) == ["1.jpg", "2.jpg"] && (4...20).contains(first.count))
        #expect(state.press("i").filesRead.isEmpty)
        state.press(.escape)
        var photo = try #require(first.first)
        (photo.date, photo.camera) = ("1999-01-02T03:04:05", "X-1")
        let effects = state.update(
            .details(generation: state.generation, photoID: photo.id, .success(photo)))
        #expect(effects.filesRead.isEmpty)
        #expect(rows(state).contains { $0.contains("X-1 · 2 January 1999") })
        let later = state.press(.end).filesRead
        #expect(later.contains { $0.title == "60.jpg" })
        #expect(!later.contains { $0.title == "1.jpg" })
        #expect(state.update(.folderChanged()).filesRead.isEmpty, "The folder is listed first")
        #expect(state.deliver(folder.answer).filesRead.contains { $0.title == "60.jpg" })
    }

    @Test("One file in full offers no other photo, and no larger picture without one")
    func hints() {
        func hints(_ state: BrowserState) -> Set<Action> {
            Set(KeyHints(state: state, strings: UIStrings(.english), glyphs: .utf8).hints.flatMap(\.actions))
        }
        var query = PhotoQuery()
        query.paths = [Array("/home/ada/Pictures/1.jpg".utf8)]
        var state = BrowserState.fresh()
        _ = state.update(.startedWithFiles(query))
        state.deliver(ExampleFolder(folders: 0, pictures: 1).answer)
        #expect(state.detail != nil && hints(state).contains(.zoomIn))
        #expect(hints(state).isDisjoint(with: [.nextPhoto, .previousPhoto]))
        state.options.showsImages = false
        #expect(!hints(state).contains(.zoomIn))
        var several = BrowserState.browsing(ExampleFolder(folders: 0, pictures: 2))
        several.press(.enter)
        #expect(hints(several).isSuperset(of: [.nextPhoto, .previousPhoto, .zoomIn]))
        several.press(.tab)
        #expect(hints(several).contains(.toggleText) && !hints(several).contains(.zoomIn), "the text hides the picture")
    }

    @Test("No header is read of folders, of other formats, or of a search")
    func noHeaders() {
        var state = BrowserState.fresh()
        let folder = ExampleFolder(folders: 2, pictures: 0)
        _ = state.update(.startedWithFiles(folder.query))
        var answer = folder.answer
        answer.photos.append(folder.photo("a.gif"))
        #expect(state.deliver(answer).filesRead.isEmpty)
        var search = BrowserState.listing()
        #expect(search.press(.down).filesRead.isEmpty)
    }

    // MARK: Changes

    @Test("A change while a page is loading is listed after it")
    func changeWhileLoading() {
        var state = BrowserState.browsing(ExampleFolder(folders: 0, pictures: 0))
        var answer = ExampleFolder(folders: 0).answer
        answer.total = .exact(40)
        answer.isAtEnd = false
        _ = state.update(.folderChanged())
        state.deliver(answer)
        state.press("G")
        #expect(state.list?.isLoadingNext == true)
        #expect(state.update(.folderChanged()).searches.isEmpty)
        answer.photos = (21...40).map { ExampleFolder().photo("\($0).jpg") }
        answer.isAtEnd = true
        #expect(state.deliver(answer).searches.count == 1)
    }

    @Test("A change lists the folder again; selection and row stay")
    func change() throws {
        var state = BrowserState.browsing(ExampleFolder(folders: 0, pictures: 60))
        for _ in 0..<30 { state.press(.down) }
        let before = try #require(state.list)
        #expect(state.update(.folderChanged()).searches.count == 1)
        #expect(state.list?.photos.count == 60, "The photos stay until the folder is listed")
        var answer = ExampleFolder(folders: 0, pictures: 60).answer
        answer.photos.removeFirst(5)
        answer.total = .exact(55)
        state.deliver(answer)
        let after = try #require(state.list)
        #expect(after.selected == 25 && after.photo(at: 25)?.title == before.photo(at: 30)?.title)
        #expect(after.selected - after.topRow == before.selected - before.topRow)
        #expect(state.notice == nil)
    }

    @Test("A change in a folder on the screen requests its contact sheet again")
    func innerChange() throws {
        var state = BrowserState.browsing(ExampleFolder(folders: 2))
        let keys = state.requests.visible.prefix(2).map(\.key)
        for key in keys { _ = state.update(.picture(key, .failed(.notAPicture))) }
        let path = try #require(state.list?.photo(at: 1)?.file?.path)
        let effects = state.update(.folderChanged(inner: [path]))
        #expect(effects.searches.count == 1)
        let renewed = effects.requests?.visible.filter(\.revalidates).map(\.key)
        #expect(renewed == [keys[1]] && state.pictures[keys[0]]?.hasFailed == true)
    }

    @Test("A change during a listing is listed after it")
    func changeWhileListing() {
        var state = BrowserState.browsing()
        #expect(state.update(.folderChanged()).searches.count == 1)
        #expect(state.update(.folderChanged()).searches.isEmpty)
        #expect(state.deliver(ExampleFolder().answer).searches.count == 1)
        #expect(state.deliver(ExampleFolder().answer).searches.isEmpty)
    }

    @Test("A change that comes after a search began is ignored")
    func lateChange() {
        var state = BrowserState.listing()
        #expect(state.update(.folderChanged()).deliberate.isEmpty)
        #expect(state.deliver(answer(0..<10, first: 0, of: 10)).deliberate.isEmpty)
    }

    @Test("A folder that vanishes is one line, and Escape works")
    func vanished() {
        let error = BrowserError("cannot list /home/ada/Pictures/inner 2: No such file or directory")
        var state = BrowserState.browsing()
        state.press(.down)
        state.press(.enter)
        state.deliver(Self.inner.answer)
        _ = state.update(.folderChanged())
        _ = state.update(.page(generation: state.generation, .next, .failure(error)))
        #expect(rows(state).last?.contains("cannot list /home/ada/Pictures/inner 2: No such file") == true)
        state.press(.escape)
        #expect(path(of: state) == "/home/ada/Pictures")
    }

    @Test("A folder that cannot be read is an alert, and leaving it leads out")
    func unreadable() {
        var state = BrowserState.browsing()
        state.press(.enter)
        let error = BrowserError("cannot list /home/ada/Pictures/inner 1: Permission denied")
        _ = state.update(.page(generation: state.generation, .next, .failure(error)))
        #expect(state.topAlert?.subject == .folder("~/Pictures/inner 1"))
        #expect(rows(state).contains { $0.contains("Cannot open ~/Pictures/inner 1") })
        #expect(rows(state).contains { $0.contains("Permission denied") })
        state.press(.escape)
        #expect(path(of: state) == "/home/ada/Pictures" && state.list?.selected == 0)
    }

    @Test("A folder that comes back removes its problem, and another failure does not repeat it")
    func back() {
        var state = BrowserState.browsing()
        state.press(.enter)
        let error = BrowserError("cannot list /home/ada/Pictures/inner 1: No such file or directory")
        _ = state.update(.page(generation: state.generation, .next, .failure(error)))
        let screens = state.screens.count
        #expect(state.update(.folderChanged()).searches.count == 1)
        _ = state.update(.page(generation: state.generation, .next, .failure(error)))
        #expect(state.topAlert != nil && state.screens.count == screens)
        _ = state.update(.folderChanged())
        state.deliver(Self.inner.answer)
        #expect(state.topAlert == nil && state.list?.photos.isEmpty == false)
        _ = state.update(.folderChanged())
        _ = state.update(.page(generation: state.generation, .next, .failure(error)))
        #expect(state.topAlert == nil && state.notice == .failed(error))
        _ = state.update(.folderChanged())
        state.deliver(Self.inner.answer)
        #expect(state.notice == nil)
    }

    @Test("An empty folder is a sentence in every language", arguments: Language.allCases)
    func empty(language: Language) {
        var state = BrowserState.fresh()
        state.preferences.language = language
        _ = state.update(.startedWithFiles(ExampleFolder().query))
        state.deliver(ExampleFolder(folders: 0, pictures: 0).answer)
        #expect(rows(state).dropFirst().contains { $0.contains("home/ada/Pictures") })
    }

    // MARK: What is shown

    @Test("y copies the path, o and s say that there is nothing")
    func actions() {
        var state = BrowserState.browsing()
        state.press(.end)
        #expect(state.press("y").deliberate == [.copy("/home/ada/Pictures/20.jpg")])
        #expect(state.press("o").deliberate.isEmpty && state.notice == .noPage)
    }

    @Test("y copies nothing when a path is not UTF-8, since the text would be another path")
    func pathThatIsNotText() {
        var answer = ExampleFolder(folders: 0, pictures: 2).answer
        answer.photos[0].file = .example(Array("/a\u{FFFD}".utf8.dropLast()), isFolder: false)
        var state = BrowserState.fresh()
        _ = state.update(.startedWithFiles(ExampleFolder().query))
        state.deliver(answer)
        #expect(state.press("y").deliberate.isEmpty && state.notice == .nothingToCopy)
    }

    @Test("A folder starts at the page that was asked for")
    func startPage() {
        var state = BrowserState.fresh()
        let effects = state.update(.startedWithFiles(ExampleFolder().query, at: .page(3)))
        #expect(effects.contains { if case .search(_, _, _, .page(3), _) = $0 { true } else { false } })
    }

    @Test("A path with escape sequences and direction marks is shown cleaned")
    func hostilePath() {
        let state = BrowserState.browsing(ExampleFolder(path: "/tmp/\u{1B}[31m\u{202E}x"))
        let header = rows(state)[0]
        #expect(!header.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" } && header.contains("/tmp/"))
    }

    @Test("A picture of another format has its name in its box, and is not requested")
    func otherFormat() {
        var folder = ExampleFolder(folders: 0, pictures: 1).answer
        folder.photos = [ExampleFolder().photo("film.gif")]
        var state = BrowserState.fresh(columns: 80, rows: 24)
        _ = state.update(.startedWithFiles(ExampleFolder().query))
        #expect(state.deliver(folder).requests == nil)
        #expect(rows(state).contains { $0.contains("GIF") })
        for key in ["\r", "f"] {
            state.press(key)
            #expect(state.detail != nil && state.requests == PictureRequests())
            #expect(rows(state).contains { $0.contains("GIF") })
        }
    }

    @Test("Footer and help offer no page for local photos")
    func offered() {
        for make in [{ .browsing(columns: 300) }, { .listing(columns: 300) }] as [() -> BrowserState] {
            var state = make()
            let isLocal = state.list?.isLocal == true
            if isLocal { state.press(.end) }
            for key in ["", "\r", "?"] {
                state.press(key)
                let text = rows(state).joined(separator: "\n")
                #expect(text.contains("s save") || key == "?")
                #expect(text.contains("open page") != isLocal)
            }
        }
    }

    @Test("A folder's screen is unchanged")
    func frames() throws {
        var text = ""
        for (columns, rows) in [(120, 40), (80, 24), (20, 5), (100, 30), (200, 60)] {
            for (count, language) in [(20, Language.english), (0, .english), (20, .arabic)] {
                var state = BrowserState.browsing(
                    ExampleFolder(folders: count / 10, pictures: count), columns: columns, rows: rows)
                state.preferences.language = language
                let styles = Theme().sheet(for: state.traits, chosen: nil).styles(at: state.traits.depth)
                text += FrameText(BrowserView.frame(of: state).grid, styles: styles).text
            }
        }
        try GoldenFile.expect(text, name: "folder")
    }
}

extension [BrowserEffect] {
    fileprivate var searches: [PhotoQuery] {
        compactMap { if case .search(_, let query, _, _, _) = $0 { query } else { nil } }
    }
}

extension [BrowserEffect] {
    fileprivate var filesRead: [Photo] {
        flatMap { effect -> [Photo] in if case .readFiles(_, let photos) = effect { photos } else { [] } }
    }
}
