import SpyglassCatalog
import SpyglassCodecs
import SpyglassJSON
import SpyglassTestSupport
import Testing

@testable import SpyglassBrowser
@testable import SpyglassFiles
@testable import SpyglassTerminalUI

@Suite("Folders in the browser")
struct FolderTests {
    private static let inner = ExampleFolder(path: "/home/ada/Pictures/inner 2", folders: 1, pictures: 3)

    private func path(of state: AppState) -> String? { state.list?.path?.shown }

    // MARK: Going

    @Test("Enter goes into a folder, and Escape comes out with it selected")
    func enterAndLeave() {
        for key in [Key.Code.escape, .backspace] {
            var state = AppState.browsing()
            state.press(.down)
            let effects = state.press(.enter)
            #expect(path(of: state) == Self.inner.path)
            #expect(effects.searches.map(\.paths) == [Self.inner.query.paths])
            state.deliver(Self.inner.answer)
            #expect(state.list?.photos.count == 4 && state.selected == 0)

            state.press(key)
            #expect(path(of: state) == "/home/ada/Pictures" && state.selected == 1)
            #expect(state.list?.photos.isEmpty == false, "The folder is shown before it is listed again")
            state.deliver(ExampleFolder(folders: 3).answer)
            #expect(state.list?.photo(at: state.selected ?? 0)?.title == "inner 2" && state.notice == nil)

            #expect(state.press(key).searches.isEmpty && state.top == .list)
            #expect(state.notice == .quitByKey && state.lastRow.contains("q quits"))
            #expect(state.press("q").contains(.quit([])))
        }
    }

    @Test("From a folder that home opened, Escape leads home")
    func home() {
        var state = AppState.listing()
        state.press(.escape)
        #expect(state.top == .home(SearchScreen()) && state.list == nil)
        var effects: Effects = []
        state.show(ExampleFolder().query, &effects)
        state.deliver(ExampleFolder().answer)
        state.press(.escape)
        #expect(state.top == .home(SearchScreen()))
    }

    @Test("Escape closes the alert of a folder that cannot be opened at the start, and q quits")
    func unreadableStart() {
        var state = AppState.fresh()
        _ = state.update(.startedWithFiles(ExampleFolder().query))
        _ = state.update(.page(generation: state.generation, .next, .failure(gone)))
        #expect(state.topAlert != nil)
        state.press(.escape)
        #expect(state.top == .list && state.notice == .quitByKey)
        #expect(state.press("q").contains(.quit([])))
    }

    @Test("Where a search or a folder has failed, q quits; where a copy has, it closes the question")
    func quitFromAlert() {
        for kind in [Alert.Subject.search("mars"), .folder("/gone")] {
            var state = AppState.listing()
            state.push(.alert(Alert(subject: kind, error: gone)))
            #expect(state.press("q").contains(.quit([])))
        }
        var state = AppState.browsing(ExampleFolder(folders: 0))
        state.press("s")
        guard case .save(let screen) = state.top else { return #expect(Bool(false), "s saves") }
        state.push(.alert(Alert(subject: .save(screen), error: gone)))
        #expect(!state.press("q").contains(.quit([])) && state.topAlert == nil)
    }

    @Test("A list of folders offers neither full screen nor a slideshow, and d says why")
    func onFolder() {
        var state = AppState.browsing(ExampleFolder(folders: 2, pictures: 0))
        #expect(Set(state.hints).isDisjoint(with: [.fullScreen, .slideshow]) && state.hints.contains(.open))
        state.press("d")
        #expect(state.notice == .hint(SaveTexts.all.nothingToSave))
    }

    @Test("A notice names the keys that the user has chosen")
    func changedKeys() throws {
        var state = AppState.browsing(ExampleFolder(folders: 0))
        let keys = [#"{"q": "mark", "Space": "quit"}"#, #"{"q": "mark"}"#]
        for (keys, text) in zip(keys, ["Space quits", "Ctrl-C quits"]) {
            state.keys = KeyMap.changed(by: try JSONValue(parsing: Array(keys.utf8))).keys
            state.press("\u{1B}")
            #expect(state.lastRow.contains(text))
        }
    }

    @Test("n, p, k and g in one photo pass over folders")
    func overFolders() {
        var state = AppState.browsing()
        state.press("jjj\r")
        #expect(state.selected == 3 && state.detail != nil)
        let selections = state.selections(after: "g", "p", "k")
        #expect(selections == [2, 2, 2] && state.notice == .hint(DetailTexts.all.atFirst) && state.detail != nil)
        #expect(state.selections(after: "n") == [3])
    }

    @Test("h leaves the folder that l entered, and marks an open range", arguments: ["h", "\u{1B}"])
    func leaves(key: String) {
        var state = AppState.browsing()
        state.press("l")
        state.deliver(ExampleFolder(path: "/home/ada/Pictures/inner 1", folders: 0).answer)
        state.press("Vj")
        state.press(key)
        #expect(state.marks.all.map(\.title) == (key == "h" ? ["1.jpg", "2.jpg"] : []))
        state.press("h")
        #expect(state.folders.parents.isEmpty)
    }

    @Test("A folder that is entered again has the photo selected at which it was left")
    func enteredAgain() {
        var state = AppState.browsing()
        state.press("l")
        let folder = ExampleFolder(path: "/home/ada/Pictures/inner 1", folders: 0)
        state.deliver(folder.answer)
        state.press("jjh")
        state.deliver(ExampleFolder().answer)
        state.press("l")
        #expect(state.list?.awaited == .finds(folder.photo("3.jpg").key))
    }

    @Test("h says that no folder is above the one that was opened")
    func outermost() {
        var state = AppState.browsing()
        state.press("h")
        #expect(state.notice == .hint(FolderTexts.all.outermost) && state.top == .list)
        #expect(state.lastRow.contains("No folder above the one that you opened"))
    }

    @Test("A filter that was kept is there again when a folder is left")
    func keptFilter() throws {
        var state = AppState.browsing()
        state.press("&inner 2\r")
        #expect(state.list?.positions.count == 1)
        state.press("\r")
        state.deliver(ExampleFolder(path: "/home/ada/Pictures/inner 2", folders: 0).answer)
        #expect(state.list?.filter == nil)
        state.press("h")
        #expect(state.list?.positions.count == 1)
        state.deliver(ExampleFolder().answer)
        #expect(state.list?.positions.count == 1 && !state.isFiltering)
        #expect(state.list?.photo(at: 0)?.title == "inner 2")
        state.press(.escape)
        #expect(state.list?.positions.count == 22 && state.selected == 1)
    }

    @Test("A folder that is left is in its row of the filtered list; a filter of nothing or of all is not kept")
    func keptFilterRow() throws {
        var state = AppState.browsing(ExampleFolder(folders: 60, pictures: 0))
        state.press("&inner\r")
        for _ in 0..<30 { state.press("j") }
        let row = try #require(state.list).selected - #require(state.list).topRow
        state.press("\r")
        state.deliver(ExampleFolder(path: "/home/ada/Pictures/inner 31", folders: 0).answer)
        state.press("h")
        state.deliver(ExampleFolder(folders: 60, pictures: 0).answer)
        let list = try #require(state.list)
        #expect(list.filter != nil && list.selected == 30 && list.selected - list.topRow == row)
        for keys in ["&", "&zzz\r"] {
            var other = AppState.browsing(ExampleFolder(folders: 3))
            other.press(keys)
            other.keepFolder()
            #expect(other.folders.parents.last?.filter == nil)
        }
    }

    @Test("A list that is left for a folder in it keeps its photos, and no open range")
    func keptPhotos() throws {
        var state = AppState.browsing(ExampleFolder(folders: 500, pictures: 20))
        state.press(.end)
        state.press("Vkk")
        let photos = try #require(state.list).photos
        #expect(photos.count > 101 && state.list?.rangeStart != nil)
        state.keepFolder()
        let parent = try #require(state.folders.parents.last)
        #expect(parent.photos == photos && parent.rangeStart == nil)
        #expect(photos.suffix(3).allSatisfy(state.marks.contains))
    }

    /// The start with one file of a folder of pictures.
    private func start(_ name: String, in folder: ExampleFolder) -> (state: AppState, effects: [BrowserEffect]) {
        var state = AppState.fresh { $0.homeFolder = "/home/ada" }
        var query = PhotoQuery()
        let path = "\(folder.path)/\(name)"
        (query.paths, query.includesNeighbours) = ([Array(path.utf8)], true)
        let effects = state.update(.startedWithFiles(query, at: .photo(id: path, or: 0)))
        return (state, effects)
    }

    @Test("A single file is shown in full among the pictures of its folder")
    func neighbours() {
        let folder = ExampleFolder(folders: 0, pictures: 10)
        var (state, effects) = start("4.jpg", in: folder)
        let starts = effects.compactMap { if case .search(_, _, _, let start, _) = $0 { start } else { nil } }
        #expect(starts == [.photo(id: "\(folder.path)/4.jpg", or: 0)])
        state.deliver(folder.answer)
        #expect(state.detailPosition == 3)
        #expect(state.rows[0].contains("~/Pictures") && state.rows[0].contains("4 of 10"))
        let headers = state.values(after: ["n", "pp"], \.header)
        #expect(headers[0].contains("5 of 10") && headers[1].contains("3 of 10"))
        _ = state.update(.folderChanged())
        state.deliver(folder.answer)
        #expect(state.detailPosition == 2, "Listing again keeps the photo")
        for keys in ["\u{1B}r", "S"] {
            state.press(keys)
            state.deliver(folder.answer)
            #expect(state.detail == nil, "\(keys)")
        }
        #expect(state.press("\u{1B}").searches.isEmpty && state.notice == .quitByKey)
    }

    @Test("A file that has gone before it is listed leaves the list of its neighbours")
    func goneFile() {
        let folder = ExampleFolder(folders: 0, pictures: 3)
        var state = start("9.jpg", in: folder).state
        state.deliver(folder.answer)
        #expect(state.top == .list && state.selected == 0)
    }

    @Test("Escape leads back from a search to the folder where it was typed")
    func searchFromFolder() {
        let folder = ExampleFolder(folders: 1)
        var state = AppState.browsing(folder)
        state.press("jj/moon\r")
        #expect(state.list?.source == "nasa" && state.list?.isLocal == false)
        state.press("/mars\r\u{1B}")
        state.deliver(folder.answer)
        #expect(state.list?.path == folder.query.paths[0] && state.selected == 2)
        #expect(state.press("\u{1B}").searches.isEmpty && state.notice == .quitByKey)
    }

    @Test("Several files are a list")
    func files() {
        let folder = ExampleFolder(folders: 0, pictures: 1)
        var query = PhotoQuery()
        var state = AppState.fresh()
        query.paths = (1...20).map { Array("\(folder.path)/\($0).jpg".utf8) }
        _ = state.update(.startedWithFiles(query))
        state.deliver(ExampleFolder(folders: 0).answer)
        #expect(state.rows[0].contains("1 of 20") && state.rows[0].contains("20 files"))
        state.press(.end)
        #expect(state.rows[0].contains("20 of 20"))
        query.paths = ["/a", "/b"].map { Array($0.utf8) }
        _ = state.update(.startedWithFiles(query))
        state.deliver(ExampleFolder(folders: 2, pictures: 0).answer)
        #expect(state.rows[0].contains("2 folders"))
    }

    @Test("A search is made by the source of the settings, and keeps the folders")
    func search() {
        var state = AppState.browsing()
        state.press(.enter)
        state.press("/")
        #expect(state.searchText == "")
        let effects = state.press("moon\r")
        #expect(
            effects.searches.map(\.text) == ["moon"] && state.list?.source == "nasa"
                && state.folders.parents.count == 2)
    }

    // MARK: What is stored

    @Test("Only the folder that the program was started with is remembered, and none is resumed")
    func privacy() {
        var state = AppState.fresh()
        var effects = state.update(.startedWithFiles(ExampleFolder().query))
        effects += state.deliver(ExampleFolder().answer)
        for _ in 0..<3 { effects += state.press(.enter) + state.press(.escape) }
        effects += state.press("S") + state.press("/") + state.press("\r")
        effects += state.update(.ended)
        for effect in effects {
            switch effect {
            case .store(.search(let search)): #expect(search == Self.pictures)
            case .store(.place), .store(.preferences): Issue.record("\(effect)")
            default: break
            }
        }
        #expect(state.home.history == [Self.pictures] && state.home.place == nil)
        var hidden = AppState.fresh { $0.keepsHistory = false }
        _ = hidden.update(.startedWithFiles(ExampleFolder().query))
        hidden.deliver(ExampleFolder().answer)
        #expect(hidden.home.history.isEmpty)
    }

    private static let pictures = RecentSearch("/home/ada/Pictures", source: "folder")

    @Test("Recent folders are offered at home under their own heading, and opened")
    func recentFolders() {
        var state = AppState.fresh { $0.homeFolder = "/home/ada/" }
        state.home.history = ["moon", Self.pictures, RecentSearch("/srv", source: "folder")]
        let folders = [Self.pictures, RecentSearch("/srv", source: "folder")].map { SearchChoice.recent($0) }
        #expect(state.choices(of: SearchScreen()) == folders + [.recent("moon")])
        #expect(state.choices(of: SearchScreen(field: TextField("pict"))) == [.recent(Self.pictures)])
        #expect(state.drawing.contains("~/Pictures") && state.drawing.contains("Recent folders"))
        state.press(.down)
        #expect(state.press("\r").searches.map(\.paths) == [ExampleFolder().query.paths])
        state.deliver(ExampleFolder().answer)
        #expect(state.rows[0].contains("~/Pictures") && state.list?.source == "folder")
        var archive = AppState.fresh { $0.archive = "/a" }
        archive.home.history = [Self.pictures]
        #expect(!archive.choices(of: SearchScreen()).contains(.recent(Self.pictures)))
    }

    // MARK: Sub-folders

    @Test("R lists a folder with its sub-folders, and again without; a search does not know it")
    func subfolders() {
        var state = AppState.browsing()
        #expect(state.press("R").searches.map(\.includesSubfolders) == [true])
        state.deliver(ExampleFolder(folders: 0, pictures: 40).answer)
        #expect(state.rows[0].contains("with subfolders") && state.list?.photos.count == 40)
        #expect(state.update(.folderChanged()).searches.map(\.includesSubfolders) == [true])
        state.deliver(ExampleFolder(folders: 0, pictures: 41).answer)
        state.press(.end)
        let selected = state.list?.photo(at: 40)?.key
        #expect(state.press("R").searches.map(\.includesSubfolders) == [false])
        #expect(selected != nil && state.list?.awaited == selected.map { .finds($0) })
        var search = AppState.listing()
        #expect(search.press("R").searches.isEmpty)
    }

    @Test("R without sub-folders selects the folder that holds the photo")
    func withoutSubfolders() {
        let folder = ExampleFolder(folders: 3, pictures: 2)
        var state = AppState.browsing(folder)
        state.press("R")
        var answer = folder.answer
        answer.photos = ["inner 1/a.jpg", "inner 2/more/b.jpg", "1.jpg"].map { folder.photo($0) }
        state.deliver(answer)
        state.press("jR")
        state.deliver(folder.answer)
        #expect(state.list?.selectedPhoto?.title == "inner 2")
    }

    @Test("The end of a list counts folders and photos")
    func ends() {
        for (folders, pictures, text) in [
            (11, 0, "End: 11 folders"), (1, 2, "End: 2 photos, 1 folder"), (0, 1, "End: 1 photo"),
        ] {
            var state = AppState.browsing(ExampleFolder(folders: folders, pictures: pictures))
            state.press(.end)
            #expect(state.rows.contains { $0.contains(text) }, "\(text)")
        }
    }

    @Test("A folder says how many photos and folders it holds, or that it is empty")
    func contents() throws {
        var state = AppState.browsing(ExampleFolder(folders: 1, pictures: 1))
        var photo = try #require(state.list?.photo(at: 0))
        for (contents, text) in [
            (FolderContents(photos: 23, folders: 2), "23 photos, 2 folders"), (FolderContents(photos: 1), "1 photo"),
            (FolderContents(), "empty"),
        ] {
            photo.contents = contents
            _ = state.details(of: photo)
            for key in ["v", "v", "--", "++"] {
                #expect(state.rows.contains { $0.contains(text) }, "\(text) \(key)")
                state.press(key)
            }
        }
        var partial = FolderContents(photos: 10_000)
        partial.isPartial = true
        photo.contents = partial
        #expect(RenderContext(state).contents(of: photo) == "10,000+ photos")
    }

    // MARK: Order

    @Test("S keeps the selected file, wherever it comes")
    func keptSelection() throws {
        var state = AppState.browsing()
        state.press("jjjjj")
        let selected = try #require(state.list?.photo(at: 5))
        state.press("S")
        #expect(state.list?.awaited == .keeps(photoID: selected.key, position: 5))
        var answer = ExampleFolder().answer
        answer.photos.reverse()
        state.deliver(answer)
        #expect(state.list?.photo(at: state.selected ?? -1)?.key == selected.key && state.selected != 5)
    }

    @Test("S changes the order of a folder and of those entered from it, and a notice names it")
    func order() {
        var state = AppState.browsing()
        state.press(.enter)
        state.deliver(Self.inner.answer)
        var orders: [[String]] = []
        for _ in 0..<4 {
            let effects = state.press("S")
            orders += effects.searches.map { $0["sort"] }
            state.deliver(Self.inner.answer)
        }
        #expect(orders == [["time"], ["size"], ["random"], ["name"]])
        #expect(state.rows.last?.contains("Sorted by name") == true)
        state.press("S")
        state.deliver(Self.inner.answer)
        #expect(state.press(.enter).searches.map { $0["sort"] } == [["time"]])
        state.press(.escape)
        #expect(state.press(.escape).searches.map { $0["sort"] } == [[]], "The folder around stays as it was")
        var search = AppState.listing()
        #expect(search.press("S").searches.isEmpty && search.notice == nil)
    }

    // MARK: Headers

    @Test("Headers of files on the screen and around it are read once, and shown")
    func headers() throws {
        var state = AppState.fresh { $0.homeFolder = "/home/ada" }
        let folder = ExampleFolder(folders: 1, pictures: 60)
        _ = state.update(.startedWithFiles(folder.query))
        let first = state.deliver(folder.answer).filesRead
        #expect(first.prefix(2).map(\.title) == ["inner 1", "1.jpg"] && (4...20).contains(first.count))
        #expect(state.press("i").filesRead.isEmpty)
        state.press(.escape)
        var photo = first[1]
        (photo.date, photo.camera) = ("1999-01-02T03:04:05", "X-1")
        (photo.width, photo.height, photo.format) = (6000, 4000, "JPEG")
        photo.exposure = Exposure(time: 0.004, fNumber: 2.8, iso: 640, focalLength: 35)
        let effects = state.update(
            .details(generation: state.generation, photoID: photo.key, .success(photo)))
        #expect(effects.filesRead.isEmpty && state.drawing.contains("X-1 · 1/250 s, f/2.8, ISO 640, 35 mm"))
        #expect(state.rows.contains { $0.contains("6,000 × 4,000 · ") && $0.contains("JPEG") })
        #expect(state.drawing.contains("2 January 1999"))
        let later = state.press(.end).filesRead
        #expect(later.contains { $0.title == "60.jpg" } && !later.contains { $0.title == "1.jpg" })
        #expect(state.update(.folderChanged()).filesRead.isEmpty, "The folder is listed first")
        #expect(state.deliver(folder.answer).filesRead.contains { $0.title == "60.jpg" })
    }

    @Test("What was read of a file stays until the file changes")
    func keptFacts() throws {
        var answer = ExampleFolder(folders: 0, pictures: 2).answer
        for index in answer.photos.indices {
            answer.photos[index].file = .example(answer.photos[index].id, byteCount: 100)
        }
        var state = AppState.browsing()
        _ = state.update(.folderChanged())
        state.deliver(answer)
        for var photo in answer.photos {
            photo.camera = "X-1"
            _ = state.details(of: photo)
        }
        _ = state.update(.folderChanged())
        answer.photos[1].file = .example(answer.photos[1].id, byteCount: 101)
        let read = state.deliver(answer).filesRead
        #expect(read.map(\.title) == ["2.jpg"] && state.list?.photos.map(\.camera) == ["X-1", nil])
    }

    // MARK: Facts

    /// A table on a screen of these columns, whose first two files were read.
    private func table(columns: Int, _ change: (inout Photo) -> Void = { _ in }) -> AppState {
        var state = AppState.browsing(ExampleFolder(folders: 0, pictures: 2), columns: columns)
        state.press("--")
        for var photo in state.list?.photos ?? [] {
            (photo.width, photo.height, photo.format) = (6000, 4000, "JPEG")
            change(&photo)
            _ = state.details(of: photo)
        }
        return state
    }

    @Test("A table has a column for each fact that a file has, as far as there is room, the date last of all")
    func columns() {
        let plain = table(columns: 200).rows[2]
        #expect(plain.contains("JPEG  6,000 × 4,000") && plain.contains("3 May 2024"))
        let full = table(columns: 250) {
            $0.camera = "X-1"
            $0.exposure = Exposure(time: 2, fNumber: nil, iso: 100, focalLength: nil)
        }
        #expect(full.rows[2].contains("X-1  2 s, ISO 100  JPEG  6,000 × 4,000"))
        let narrow = table(columns: 40) { $0.camera = "X-1" }.rows[2]
        #expect(narrow.contains("1.jpg") && narrow.hasSuffix("2024-05-03") && !narrow.contains("X-1"))
        #expect(table(columns: 80) { $0.albums = ["2023/may"] }.rows[2].contains("2023/may"))
        for columns in 1..<40 { #expect(table(columns: columns).rows.count == 24) }
    }

    @Test("A truncated file is marked in lists, grids and tables")
    func damage() throws {
        for keys in ["", "v", "--"] {
            var state = AppState.browsing(ExampleFolder(folders: 0, pictures: 2), columns: 120)
            state.press(keys)
            let key = state.firstKey
            #expect(!state.rows.contains { $0.contains("truncated") })
            let facts = PictureFacts(completeness: .truncated(rows: 30, of: 60))
            state.show(key, facts)
            #expect(state.rows.contains { $0.contains("truncated") && !$0.contains("30") }, "\(keys)")
        }
    }

    @Test("A table shows the damage of every file on the screen, and its columns stay where they are")
    func damageInTable() throws {
        var state = AppState.browsing(ExampleFolder(folders: 0, pictures: 30), columns: 120)
        state.press("--")
        let photo = try #require(state.list?.photo(at: 15))
        let key = try #require(state.checkKey(of: photo, in: state.geometry))
        #expect(state.near.contains { $0.key == key })
        let before = state.rows
        let facts = PictureFacts(completeness: .truncated(rows: 30, of: 60))
        state.show(key, facts)
        let changed = zip(before, state.rows).filter { $0 != $1 }
        #expect(changed.count == 1)
        let (old, new) = try #require(changed.first)
        let word = "\(photo.title)  truncated"
        let gap = String(repeating: " ", count: word.count - photo.title.count)
        #expect(new.contains(word) && new == old.replacing(photo.title + gap, with: word))
    }

    @Test("In a table a long reason is cut, not the name of the file")
    func longReason() throws {
        for columns in [80, 100, 160] {
            var state = AppState.browsing(ExampleFolder(folders: 0, pictures: 3), columns: columns)
            state.press("-- ")
            let photo = try #require(state.list?.photo(at: 0))
            let key = try #require(state.checkKey(of: photo, in: state.geometry))
            let reason = "HEIC: an image of type " + String(repeating: "very long ", count: 20)
            state.fail(key, .format(reason))
            #expect(state.rows.contains { $0.contains("● 1.jpg  HEIC") }, "\(state.rows)")
        }
    }

    @Test("A grid repeats no date that all photos share")
    func sharedDate() throws {
        var state = AppState.browsing(ExampleFolder(folders: 0, pictures: 3))
        state.press("v")
        #expect(!state.rows.contains { $0.contains("2024") })
        var photo = try #require(state.list?.photo(at: 1))
        photo.date = "1999-01-02T03:04:05"
        _ = state.details(of: photo)
        #expect(state.rows.contains { $0.contains("2024") && $0.contains("1999") })
        var mixed = AppState.browsing(ExampleFolder(folders: 1, pictures: 3))
        mixed.press("v")
        var folder = try #require(mixed.list?.photo(at: 0))
        folder.date = "1999-01-02T03:04:05"
        _ = mixed.details(of: folder)
        #expect(!mixed.rows.contains { $0.contains("2024") }, "folders show no date")
    }

    @Test("A search that fails leads back to the folder that it began in")
    func failedSearch() throws {
        var state = AppState.browsing()
        state.press("/moon\r")
        let generation = try #require(state.list?.generation)
        _ = state.update(.page(generation: generation, .next, .failure(BrowserError(reason: "no network"))))
        state.press("\u{1B}")
        #expect(state.top == .list && state.list?.isLocal == true && state.list?.photos.count == 22)
    }

    @Test("One file in full offers no other photo, and no larger picture without one")
    func hints() {
        let only = ExampleFolder(folders: 0, pictures: 1)
        let others: Set<Action> = [.nextPhoto, .previousPhoto]
        var state = start("1.jpg", in: only).state
        state.deliver(only.answer)
        #expect(state.detail != nil && state.hints.contains(.zoomIn) && others.isDisjoint(with: state.hints))
        state.options.showsImages = false
        #expect(!state.hints.contains(.zoomIn))
        var several = AppState.browsing(ExampleFolder(folders: 0, pictures: 2))
        several.press(.enter)
        #expect(others.union([.zoomIn]).isSubset(of: several.hints))
        several.press(.tab)
        #expect(several.hints.contains(.toggleText) && !several.hints.contains(.zoomIn), "the text hides the picture")
    }

    // MARK: Changes

    @Test("A change lists the folder again; selection and row stay")
    func change() throws {
        var state = AppState.browsing(ExampleFolder(folders: 0, pictures: 60))
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
        #expect(after.selected - after.topRow == before.selected - before.topRow && state.notice == nil)
    }

    @Test("A file that goes while it is shown in full is named, but not one that went to the trash")
    func goneInFull() throws {
        for isTrashed in [false, true] {
            var state = AppState.browsing(ExampleFolder(folders: 0, pictures: 3))
            state.press("j\r")
            let photo = try #require(state.list?.photo(at: 1))
            var answer = ExampleFolder(folders: 0, pictures: 3).answer
            answer.photos.remove(at: 1)
            answer.total = .exact(2)
            let item = Trash.Item(original: [], stored: [], info: [])
            let event = BrowserEvent.trashed([TrashedPhoto(photo: photo, item: item)], nil)
            _ = state.update(isTrashed ? event : .folderChanged())
            state.deliver(answer)
            #expect(state.list?.photo(at: 1)?.title == "3.jpg")
            #expect((state.notice == .fileGone("2.jpg")) == !isTrashed)
        }
    }

    @Test("A change in a folder on the screen requests its contact sheet again")
    func innerChange() throws {
        var state = AppState.browsing(ExampleFolder(folders: 2))
        let keys = state.visible.prefix(2).map(\.key)
        for key in keys { _ = state.update(.picture(key, .failed(.notAPicture))) }
        let path = try #require(state.list?.photo(at: 1)?.file?.path)
        let effects = state.update(.folderChanged(inner: [path]))
        #expect(effects.searches.count == 1)
        let renewed = effects.requests?.visible.filter(\.revalidates).map(\.key)
        #expect(renewed == [keys[1]] && state.images.pictures[keys[0]]?.hasFailed == true)
    }

    @Test("A change during a listing is listed after it")
    func changeWhileListing() {
        var state = AppState.browsing()
        #expect(state.update(.folderChanged()).searches.count == 1)
        #expect(state.update(.folderChanged()).searches.isEmpty)
        #expect(state.deliver(ExampleFolder().answer).searches.count == 1)
        #expect(state.deliver(ExampleFolder().answer).searches.isEmpty)
    }

    @Test("A folder that vanishes is one line, and Escape works")
    func vanished() {
        let error = BrowserError("cannot list /home/ada/Pictures/inner 2: No such file or directory")
        var state = AppState.browsing()
        state.press(.down)
        state.press(.enter)
        state.deliver(Self.inner.answer)
        _ = state.update(.folderChanged())
        _ = state.update(.page(generation: state.generation, .next, .failure(error)))
        #expect(state.rows.last?.contains("cannot list /home/ada/Pictures/inner 2: No such file") == true)
        state.press(.escape)
        #expect(path(of: state) == "/home/ada/Pictures")
    }

    @Test("A folder that cannot be read is an alert, and leaving it leads out")
    func unreadable() {
        var state = AppState.browsing()
        state.press(.enter)
        let error = BrowserError("cannot list /home/ada/Pictures/inner 1: Permission denied")
        _ = state.update(.page(generation: state.generation, .next, .failure(error)))
        #expect(state.topAlert?.subject == .folder("~/Pictures/inner 1"))
        #expect(state.drawing.contains("Cannot open ~/Pictures/inner 1") && state.drawing.contains("Permission denied"))
        state.press(.escape)
        #expect(path(of: state) == "/home/ada/Pictures" && state.selected == 0)
    }

    // MARK: What is shown

    @Test("y copies the path, o and s say that there is nothing")
    func actions() {
        var state = AppState.browsing()
        state.press(.end)
        #expect(state.press("y").deliberate == [.copy("/home/ada/Pictures/20.jpg")])
        #expect(state.press("o").deliberate.isEmpty && state.notice == .hint(DetailTexts.all.noPage))
    }

    @Test("A path with escape sequences and direction marks is shown cleaned")
    func hostilePath() {
        let state = AppState.browsing(ExampleFolder(path: "/tmp/\u{1B}[31m\u{202E}x"))
        let header = state.rows[0]
        #expect(!header.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" } && header.contains("/tmp/"))
    }

    @Test("Footer and help offer no page for local photos")
    func offered() {
        for make in [{ .browsing(columns: 300) }, { .listing(columns: 300) }] as [() -> AppState] {
            var state = make()
            let isLocal = state.list?.isLocal == true
            if isLocal { state.press(.end) }
            for key in ["", "\r", "?"] {
                state.press(key)
                let text = state.rows.joined(separator: "\n")
                #expect(text.contains("s save") || key == "?")
                #expect((text.contains("open page") || text.contains("open the photo’s page")) != isLocal)
            }
        }
    }
}

extension [BrowserEffect] {
    var searches: [PhotoQuery] {
        compactMap { if case .search(_, let query, _, _, _) = $0 { query } else { nil } }
    }
    fileprivate var filesRead: [Photo] {
        flatMap { effect -> [Photo] in if case .readFiles(_, let photos) = effect { photos } else { [] } }
    }
}
