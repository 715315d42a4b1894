import SpyglassCatalog
import SpyglassFetching
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("Detail screen")
struct DetailTests {
    @Test("Enter opens it and requests details once; Escape returns to the row")
    func opens() {
        var state = BrowserState.listing()
        for _ in 0..<12 { state.press("j") }
        let top = state.list?.topRow
        #expect(state.press("\r").deliberate == [.loadDetails(generation: 1, samplePhoto(12))])
        #expect(state.detail?.position == 12)
        #expect(state.press("?\u{1B}").isEmpty)
        #expect(state.press("\u{1B}").deliberate.isEmpty)
        #expect(state.top == .list && state.list?.selected == 12 && state.list?.topRow == top)
    }

    @Test("Details replace the page's photo and are not requested again")
    func details() {
        var state = BrowserState.detailing()
        var full = samplePhoto(0)
        full.credit = "NASA"
        _ = state.update(.details(generation: 1, photoID: "id-0", .success(full)))
        #expect(state.list?.photo(at: 0)?.credit == "NASA")
        #expect(state.press("\u{1B}\r").deliberate.isEmpty)
    }

    @Test("A long text scrolls to its end; another photo starts at its first line")
    func scrolling() {
        var state = BrowserState.detailing()
        var full = samplePhoto(0)
        full.description = (0..<200).map { "Line \($0)." }.joined(separator: "\n")
        _ = state.update(.details(generation: 1, photoID: "id-0", .success(full)))
        state.press("jjk")
        #expect(state.detail?.scroll == 1)
        state.press("G")
        let end = state.detail?.scroll ?? 0
        #expect(end == state.maximumScroll && end > 100)
        state.press("j ")
        #expect(state.detail?.scroll == end)
        state.press("k")
        #expect(state.detail?.scroll == end - 1)
        _ = state.update(.input(.mouse(MouseEvent(.wheelUp, at: CellPosition(column: 0, row: 0)))))
        #expect(state.detail?.scroll == end - 4)
        state.press("np")
        #expect(state.detail?.scroll == 0)
    }

    @Test("Details reach their photo after the user has moved on")
    func lateDetails() {
        var state = BrowserState.detailing()
        var full = samplePhoto(0)
        full.credit = "NASA"
        state.press("nn")
        _ = state.update(.details(generation: 1, photoID: "id-0", .success(full)))
        #expect(state.list?.photo(at: 0)?.credit == "NASA" && state.list?.photo(at: 2) == samplePhoto(2))
    }

    @Test("Details of another photo or search are dropped")
    func wrongDetails() {
        var state = BrowserState.detailing()
        var full = samplePhoto(1)
        full.credit = "NASA"
        _ = state.update(.details(generation: 1, photoID: "id-0", .success(full)))
        full.id = "id-0"
        _ = state.update(.details(generation: 7, photoID: "id-0", .success(full)))
        _ = state.update(.details(generation: 1, photoID: "unknown", .success(full)))
        #expect(state.list?.photos == (0..<100).map { samplePhoto($0) })
    }

    @Test("n and p select the neighbours and stop at the ends")
    func neighbours() {
        var state = BrowserState.listing(3, of: 3)
        state.press("\r")
        #expect(state.press("p").isEmpty)
        #expect(state.press("n").deliberate == [.loadDetails(generation: 1, samplePhoto(1))])
        state.press("nn")
        #expect(state.detail?.position == 2)
        state.press("\u{1B}")
        #expect(state.list?.selected == 2)
    }

    @Test("Arrows select the neighbours, mirrored right-to-left")
    func mirrored() {
        for (language, onwards, back) in [(Language.english, Key.Code.right, Key.Code.left), (.arabic, .left, .right)] {
            var state = BrowserState.listing()
            state.preferences.language = language
            state.press(back)
            #expect(state.top == .list)
            state.press(onwards)
            #expect(state.detail?.position == 0)
            state.press(onwards)
            state.press(onwards)
            #expect(state.detail?.position == 2)
            state.press(back)
            #expect(state.detail?.position == 1)
        }
    }

    @Test("n shows why the next page failed")
    func lastLoaded() {
        var state = BrowserState.listing(12, of: 90)
        _ = state.update(.page(generation: 1, .next, .failure(gone)))
        state.press("G\r")
        #expect(state.detail?.position == 11 && state.notice == nil)
        state.press("n")
        #expect(state.detail?.position == 11 && state.notice == .failed(gone))
        state.press("p")
        #expect(state.detail?.position == 10 && state.notice == nil)
    }

    @Test("n near the end requests the next page and continues into it")
    func nextPage() {
        var state = BrowserState.listing(of: 250)
        state.press("\r")
        var effects: [BrowserEffect] = []
        for _ in 0..<99 { effects += state.press("n") }
        #expect(effects.filter { $0 == .loadPage(generation: 1, .next) }.count == 1)
        state.nextPage(of: 250)
        state.press("n")
        #expect(state.detail?.position == 100 && state.detail?.photoID == "id-100")
    }

    @Test("r requests a failed or shown image again")
    func retry() throws {
        var state = BrowserState.detailing()
        let key = try #require(state.requests.visible.first?.key)
        #expect(state.press("\r").isEmpty)
        _ = state.update(.picture(key, .failed(.status(500))))
        #expect(state.requests.visible.isEmpty)
        #expect(state.press("\r").requests?.visible.first?.key == key)
        _ = state.update(.picture(key, .failed(.status(500))))
        let effects = state.press("r")
        #expect(state.pictures[key] == .loading && effects.requests?.visible.first?.key == key)
        #expect(effects.contains(.loadDetails(generation: 1, samplePhoto(0))))
        _ = state.update(.picture(key, .shown(.sample, isFinal: true, isStale: false)))
        #expect(state.press("r").requests?.visible.first?.revalidates == true)
    }

    @Test("o opens the page or shows a link over ssh; y copies the address")
    func addresses() throws {
        for start in [BrowserState.listing(), .detailing()] {
            var state = start
            let page = try #require(samplePhoto(0).page)
            #expect(state.press("o") == [.open(page)])
            _ = state.update(.opened(.success("x")))
            #expect(state.notice == .opened("x"))
            #expect(state.press("y") == [.copy(page.text)])
            #expect(state.notice == .copied(page.text))
            state.traits.isRemote = true
            #expect(state.press("o").isEmpty)
            #expect(state.notice == .link(page.text))
        }
    }

    @Test("A photo without page and files has nothing to open, copy or save")
    func nothing() {
        var state = BrowserState.fresh()
        _ = state.update(.started(search: "x", at: .first))
        var page = answer(0..<1, first: 0, of: 1)
        page.photos = [Photo(id: "x", source: "nasa")]
        _ = state.update(.page(generation: 1, .next, .success(page)))
        var notices: [Notice?] = []
        for key in ["o", "y", "s"] {
            #expect(state.press(key).deliberate.allSatisfy { $0 == .loadDetails(generation: 1, page.photos[0]) })
            if key == "s" { #expect(state.details(of: page.photos[0]).deliberate.isEmpty && state.save == nil) }
            notices.append(state.notice)
        }
        #expect(notices == [.noPage, .nothingToCopy, .nothingToSave])
    }

    @Test("A refresh without results closes it")
    func emptied() {
        var state = BrowserState.listing()
        state.press("r\r")
        #expect(state.detail != nil)
        let none = PageAnswer(photos: [], firstPosition: 0, total: .exact(0), isAtStart: true, isAtEnd: true)
        _ = state.update(.page(generation: 2, .next, .success(none)))
        #expect(state.top == .list && state.list?.photos.isEmpty == true)
    }
}

@Suite("DetailGeometry")
struct DetailGeometryTests {
    @Test(
        "Image and text stay on the screen without overlap, at any size",
        arguments: [1, 2, 20, 60, 89, 90, 120, 200, 1000], [1, 2, 4, 5, 6, 24, 50, 1000])
    func disjoint(columns: Int, rows: Int) throws {
        let screen = CellSize(clamping: columns, rows)
        let geometry = DetailGeometry(screen: screen, showsImages: true)
        let text = try #require(geometry.text)
        #expect(CellArea(screen).intersection(text) == text)
        guard let picture = geometry.picture else { return }
        #expect(CellArea(screen).intersection(picture) == picture)
        #expect(picture.intersection(text).isEmpty)
        #expect(picture.rows >= 3)
        if columns < 90 { #expect(picture.rows <= max(rows / 2, 1)) }
        if columns >= 90 { #expect(text.columns <= 76 && picture.columns >= columns / 2) }
    }

    @Test("A low screen has only text")
    func low() {
        #expect(DetailGeometry(screen: CellSize(clamping: 20, 5), showsImages: true).picture == nil)
        #expect(DetailGeometry(screen: CellSize(clamping: 20, 8), showsImages: true).picture?.rows == 3)
        #expect(DetailGeometry(screen: CellSize(clamping: 120, 5), showsImages: true).picture?.rows == 3)
    }

    @Test("Without images the text has a readable width")
    func plain() {
        let geometry = DetailGeometry(screen: CellSize(clamping: 200, 40), showsImages: false)
        #expect(geometry.picture == nil && geometry.text == CellArea(column: 2, row: 2, columns: 76, rows: 37))
    }
}
