import SpyglassCatalog
import SpyglassFetching
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("List screen")
struct ListTests {
    @Test("x crops the pictures of a grid, and asks for them again; a list keeps them whole")
    func cropping() {
        var state = BrowserState.listing()
        #expect(state.press("x").isEmpty)
        state.press("v")
        let effects = state.press("x")
        #expect(state.requests.visible.allSatisfy { $0.key.isCropped } && effects.requests == state.requests)
        #expect(effects.contains { if case .keepPreferences(let kept) = $0 { kept.cropsGrid } else { false } })
        state.press("v")
        #expect(!state.requests.visible.contains { $0.key.isCropped })
        state.press("v")
        state.press("x")
        #expect(!state.requests.visible.contains { $0.key.isCropped } && !state.preferences.cropsGrid)
    }

    @Test("A list of lines asks for the picture of the selected photo, and for its neighbours'")
    func preview() {
        var state = BrowserState.listing()
        state.press("--")
        #expect(state.geometry.preview != nil && state.requests.visible.count == 1)
        state.press("jj")
        #expect(state.requests.visible.first?.key.address.path == "/2~thumb.jpg")
        let near = state.requests.near.map(\.key.address.path)
        #expect(near == ["/3~thumb.jpg", "/1~thumb.jpg", "/4~thumb.jpg", "/5~thumb.jpg"])
        let key = state.requests.visible.first?.key
        state.press("\r")
        #expect(state.requests.visible.first?.coarse == [key].compactMap(\.self))
        state.press("\u{1B}")
        _ = state.update(.resized(CellSize(clamping: 99, 40), cellPixels: nil))
        #expect(state.requests.visible.isEmpty && state.requests.near.isEmpty)
    }

    @Test("The next page is requested once, two screens before the end")
    func paging() {
        var state = BrowserState.listing()
        #expect(state.list?.isLoadingNext == false)
        var asked: [Int] = []
        for _ in 0..<99 {
            let effects = state.press("j")
            if effects.contains(.loadPage(generation: 1, .next)), let list = state.list { asked.append(list.selected) }
        }
        let left = asked.first.map { 100 - $0 } ?? 0
        let screen = state.geometry.rowsInPart
        #expect(asked.count == 1)
        #expect((2 * screen...3 * screen + 1).contains(left), "\(left) photos were left, a screen has \(screen)")
        state.nextPage()
        #expect(state.list?.positions == 0..<200 && state.list?.selected == 99)
        #expect(state.list?.isLoadingNext == false)
    }

    @Test("A page that is a duplicate or was not requested changes nothing")
    func twice() {
        var state = BrowserState.listing(of: 300)
        state.nextPage(of: 300)
        #expect(state.list?.positions == 0..<100)
        for _ in 0..<90 { state.press("j") }
        _ = state.update(.page(generation: 1, .next, .success(answer(100..<200, of: 300))))
        _ = state.update(.page(generation: 1, .next, .success(answer(200..<300, of: 300))))
        #expect(state.list?.photos.count == 200)
    }

    @Test("Photos are unique, and pages without new ones end the list")
    func duplicates() {
        var state = BrowserState.listing(12, of: 90)
        #expect(state.list?.isLoadingNext == true)
        _ = state.update(.page(generation: 1, .next, .success(answer(10..<30, of: 90))))
        #expect(state.list?.photos.map(\.id) == (0..<30).map { "id-\($0)" })
        for _ in 0..<3 {
            #expect(state.list?.isAtEnd == false)
            state.press("G")
            _ = state.update(.page(generation: 1, .next, .success(answer(10..<30, of: 90))))
        }
        #expect(state.list?.isAtEnd == true && state.list?.isLoadingNext == false)
        #expect(state.list?.positions == 0..<30)
    }

    @Test("An empty page is the end")
    func emptyPage() {
        var state = BrowserState.listing(12, of: 90)
        _ = state.update(
            .page(
                generation: 1, .next,
                .success(PageAnswer(photos: [], total: .exact(90), isAtStart: true, isAtEnd: false))))
        #expect(state.list?.isAtEnd == true && state.list?.isLoadingNext == false)
        #expect(state.press("G").isEmpty == false && state.list?.isLoadingNext == false)
    }

    @Test("Scrolling is minimal, with a row of context")
    func scrolling() {
        var state = BrowserState.listing()
        let rows = state.geometry.rowsWhole
        var tops: [Int] = []
        for _ in 0..<rows {
            state.press("j")
            tops.append(state.list?.topRow ?? -1)
        }
        #expect(tops == [Int](repeating: 0, count: rows - 2) + [1, 2])
        for _ in 0..<rows { state.press("k") }
        #expect(state.list?.topRow == 0 && state.list?.selected == 0)
    }

    @Test("Page keys move by whole screens")
    func pages() {
        var state = BrowserState.listing()
        let rows = state.geometry.rowsWhole
        state.press("j")
        state.press(.pageDown)
        #expect(state.list?.selected == 1 + rows && state.list?.topRow == rows)
        state.press(.pageUp)
        #expect(state.list?.selected == 1 && state.list?.topRow == 0)
    }

    @Test("The wheel scrolls by a row and keeps the selection visible")
    func wheel() {
        var state = BrowserState.listing()
        let place = CellPosition(column: 3, row: 3)
        _ = state.update(.input(.mouse(MouseEvent(.wheelDown, at: place))))
        #expect(state.list?.topRow == 1 && state.list?.selected == 2)
        _ = state.update(.input(.mouse(MouseEvent(.wheelUp, at: place))))
        #expect(state.list?.topRow == 0 && state.list?.selected == 2)
        _ = state.update(.input(.mouse(MouseEvent(.wheelUp, at: place))))
        #expect(state.list?.topRow == 0 && state.list?.selected == 2)
    }

    @Test("A click selects, a second opens, one outside photos does nothing")
    func click() {
        var state = BrowserState.listing(3, of: 3)
        func press(_ row: Int) -> BrowserEvent {
            .click(BrowserView.frame(of: state).target(at: CellPosition(column: 5, row: row)))
        }
        let geometry = state.geometry
        _ = state.update(press(geometry.area.row + geometry.itemRows))
        #expect(state.list?.selected == 1 && state.top == .list)
        _ = state.update(press(geometry.area.row - 1))
        _ = state.update(press(geometry.area.row + 3 * geometry.itemRows))
        #expect(state.list?.selected == 1 && state.top == .list)
        _ = state.update(press(geometry.area.row + geometry.itemRows))
        #expect(state.detail?.position == 1)
    }

    @Test("End jumps to the last page of a known total, Home back")
    func jumps() {
        var state = BrowserState.listing()
        #expect(
            state.press("G").deliberate == [
                .search(generation: 2, PhotoQuery("apollo"), source: "nasa", start: .position(9999), revalidates: false)
            ])
        #expect(state.list?.isRefreshing == true && state.list?.selected == 0 && state.list?.photos.count == 100)
        _ = state.update(.page(generation: 2, .next, .success(answer(9900..<10_000, first: 9900))))
        #expect(state.list?.selected == 9999 && state.list?.isAtEnd == true && state.list?.isRefreshing == false)
        #expect(state.list?.isLoadingPrevious == false)
        #expect(
            state.press("g").deliberate == [
                .search(generation: 3, PhotoQuery("apollo"), source: "nasa", start: .position(0), revalidates: false)
            ])
        _ = state.update(.page(generation: 3, .next, .success(answer(0..<100, first: 0))))
        #expect(state.list?.selected == 0 && state.list?.topRow == 0)
    }

    @Test("The last jump counts: Home replaces a pending End")
    func lastJump() {
        var state = BrowserState.listing()
        state.press("G")
        #expect(state.press("G").isEmpty)
        #expect(
            state.press("g").deliberate
                == [
                    .search(
                        generation: 3, PhotoQuery("apollo"), source: "nasa", start: .position(0), revalidates: false)
                ])
        #expect(state.press("g").isEmpty)
        _ = state.update(.page(generation: 2, .next, .success(answer(9900..<10_000, first: 9900))))
        #expect(state.list?.positions == 0..<100)
        _ = state.update(.page(generation: 3, .next, .success(answer(0..<100, first: 0))))
        #expect(state.list?.selected == 0 && state.list?.awaited == nil)
        state.press("r")
        #expect(
            state.press("G").deliberate
                == [
                    .search(
                        generation: 5, PhotoQuery("apollo"), source: "nasa", start: .position(9999), revalidates: true)
                ])
    }

    @Test("A page that fails twice is requested at each r")
    func failsTwice() {
        var state = BrowserState.listing(12, of: 90)
        for _ in 0..<2 {
            _ = state.update(.page(generation: 1, .next, .failure(gone)))
            #expect(state.list?.nextProblem == gone)
            #expect(state.press("r").deliberate == [.loadPage(generation: 1, .next)])
        }
        state.nextPage(of: 90)
        #expect(state.list?.positions == 0..<90 && state.list?.nextProblem == nil && state.list?.isAtEnd == true)
    }

    @Test("A failed jump keeps the list, and r jumps again")
    func jumpFails() {
        var state = BrowserState.listing()
        state.press("G")
        _ = state.update(.page(generation: 2, .next, .failure(gone)))
        #expect(state.list?.selected == 99 && state.notice == .failed(gone))
        for _ in 0..<99 { #expect(state.press("j").deliberate.isEmpty) }
        #expect(
            state.press("r").deliberate
                == [
                    .search(
                        generation: 3, PhotoQuery("apollo"), source: "nasa", start: .position(9999), revalidates: false)
                ])
    }

    @Test("Near the end, End reads the next page and follows it once")
    func follows() {
        var state = BrowserState.listing(100, of: 150)
        #expect(state.press("G").contains(.loadPage(generation: 1, .next)))
        #expect(state.list?.selected == 99)
        state.nextPage(of: 150)
        #expect(state.list?.selected == 149 && state.list?.isAtEnd == true)
        var other = BrowserState.listing(100, of: 150)
        other.press("Gk")
        other.nextPage(of: 150)
        #expect(other.list?.selected == 98)
    }

    @Test("Pages before the first keep positions and screen")
    func previous() {
        var state = BrowserState.fresh()
        _ = state.update(.started(search: "apollo", at: .position(808)))
        _ = state.update(.page(generation: 1, .next, .success(answer(800..<900, first: 800))))
        let before = (state.list?.selected, state.list?.topRow, state.list?.photo(at: 808)?.id)
        #expect(state.list?.isLoadingPrevious == true)
        _ = state.update(.page(generation: 1, .previous, .success(answer(700..<800))))
        #expect(state.list?.firstPosition == 700)
        #expect((state.list?.selected, state.list?.topRow, state.list?.photo(at: 808)?.id) == before)
    }

    @Test("Positions are corrected if the start was estimated wrongly", arguments: [(20, 50), (50, 20)])
    func shifted(said: Int, came: Int) {
        var state = BrowserState.fresh()
        _ = state.update(.started(search: "apollo", at: .position(said + 5)))
        _ = state.update(
            .page(generation: 1, .next, .success(answer(1000..<1100, first: said, isAtStart: false))))
        let selected = state.list?.photo(at: said + 5)?.id
        let offset = (state.list?.selected ?? 0) - (state.list?.topRow ?? 0)
        _ = state.update(.page(generation: 1, .previous, .success(answer(0..<came, isAtStart: true))))
        #expect(state.list?.firstPosition == 0 && state.list?.selected == came + 5)
        #expect(state.list?.photo(at: came + 5)?.id == selected)
        #expect((state.list?.selected ?? 0) - (state.list?.topRow ?? 0) == offset)
    }

    @Test("A total below the loaded photos is corrected")
    func total() {
        var state = BrowserState.listing(of: 30)
        #expect(state.list?.total == .exact(100))
        state = .fresh()
        _ = state.update(.started(search: "x", at: .first))
        _ = state.update(.page(generation: 1, .next, .success(answer(0..<100, first: 0, of: 30, isAtEnd: false))))
        #expect(state.list?.total == .estimate(100))
    }

    @Test("A failed page is not an alert, and only r retries it")
    func nextFails() {
        var state = BrowserState.listing(12, of: 90)
        _ = state.update(.page(generation: 1, .next, .failure(gone)))
        #expect(state.top == .list && state.list?.nextProblem == gone)
        #expect(!state.press("G").contains { if case .loadPage = $0 { true } else { false } })
        #expect(state.press("r").contains(.loadPage(generation: 1, .next)))
        #expect(state.list?.nextProblem == nil && state.list?.isLoadingNext == true)
    }

    @Test("v switches the arrangement and keeps the selection visible")
    func arrangement() {
        var state = BrowserState.listing()
        for _ in 0..<30 { state.press("j") }
        let effects = state.press("v")
        #expect(state.preferences.arrangement == .grid && effects.contains(.keepPreferences(state.preferences)))
        #expect(state.list?.selected == 30)
        #expect(state.list.map { state.geometry.positions(from: $0.topRow).contains(30) } == true)
        #expect(effects.requests?.visible.first?.key.box == state.geometry.thumbnail)
    }

    @Test("Plus and minus change density and columns within their limits")
    func density() {
        var state = BrowserState.listing()
        state.press("++++++")
        #expect(state.preferences.density == ListGeometry.densities.count - 1)
        state.press("--------")
        #expect(state.preferences.density == 0)
        #expect(state.press("-").isEmpty)
        state.press("v")
        let usual = state.geometry.columns
        state.press("-")
        #expect(state.geometry.columns == usual + 1)
        state.press("====")
        #expect(state.geometry.columns == 1)
        #expect(state.press("+").isEmpty)
        for _ in 0..<50 { state.press("-") }
        let most = state.geometry.columns
        #expect(state.preferences.gridColumns == most)
        #expect(state.press("-").isEmpty)
    }

    @Test("A density out of range becomes the nearest", arguments: [Int.min, .max])
    func densityBeyond(density: Int) {
        var state = BrowserState.listing()
        state.preferences.density = density
        state.press(density < 0 ? "-" : "+")
        #expect(state.preferences.density == (density < 0 ? 0 : ListGeometry.densities.count - 1))
    }

    @Test("In a grid, arrows move by photos and rows and stop at the edges")
    func grid() {
        var state = BrowserState.listing(10, of: 10)
        state.press("v")
        let columns = state.geometry.columns
        state.press("lj")
        #expect(state.list?.selected == 1 + columns)
        state.press("kh")
        #expect(state.list?.selected == 0)
        state.press("hk")
        #expect(state.list?.selected == 0)
        state.press("Gjl")
        #expect(state.list?.selected == 9)
    }

    @Test("Right-to-left, arrows and clicks are mirrored")
    func mirrored() {
        var state = BrowserState.listing(10, of: 10)
        state.press("v")
        state.preferences.language = .arabic
        state.press(.left)
        #expect(state.list?.selected == 1)
        state.press(.right)
        #expect(state.list?.selected == 0)
        let area = state.geometry.area(of: 1, from: 0)
        let place = CellPosition(column: 119 - (area?.column ?? 0), row: area?.row ?? 0)
        _ = state.update(.click(BrowserView.frame(of: state).target(at: place)))
        #expect(state.list?.selected == 1)
    }

    @Test("A new size keeps the selection and its row", arguments: [(20, 5), (200, 60), (1, 1)])
    func resized(columns: Int, rows: Int) {
        var state = BrowserState.listing()
        for _ in 0..<40 { state.press("j") }
        let before = state.list?.topRow
        _ = state.update(.resized(CellSize(clamping: columns, rows), cellPixels: nil))
        #expect(state.list?.selected == 40)
        _ = state.update(.resized(CellSize(clamping: 120, 40), cellPixels: nil))
        #expect(state.list?.selected == 40)
        #expect(abs((state.list?.topRow ?? 0) - (before ?? 0)) <= state.geometry.rowsWhole)
    }

    @Test("Going home stores the position and cancels the search")
    func home() {
        var state = BrowserState.listing()
        state.press("jj")
        let effects = state.press("q")
        let place = SavedPlace(search: "apollo", position: 2, source: "nasa")
        #expect(effects.deliberate == [.savePlace(place), .cancelSearch])
        #expect(effects.requests == PictureRequests())
        #expect(state.list == nil && state.choices(of: SearchScreen()).first == .resume(place))
    }

    @Test("The end stores the position, and nothing happens after it")
    func ended() {
        var state = BrowserState.listing()
        state.press("jj")
        #expect(
            state.update(.ended).deliberate == [.savePlace(SavedPlace(search: "apollo", position: 2, source: "nasa"))])
        #expect(state.update(.input(.key(Key(.enter)))).isEmpty)
    }

    @Test("The spinner turns only while something is loading")
    func spinner() {
        var state = BrowserState.fresh()
        #expect(state.update(.transfers(2)) == [.animate(true)])
        #expect(state.update(.transfers(1)).isEmpty)
        _ = state.update(.tick)
        #expect(state.activity.phase == 1)
        #expect(state.update(.transfers(0)) == [.animate(false)])
        _ = state.update(.tick)
        #expect(state.activity.phase == 1)
    }

    @Test("The next key or click removes a notice, a release does not")
    func notice() {
        var state = BrowserState.listing()
        _ = state.update(.notice(.noPage))
        let place = CellPosition(column: 0, row: 0)
        _ = state.update(.input(.mouse(MouseEvent(.release(.left), at: place))))
        _ = state.update(.tick)
        #expect(state.notice == .noPage)
        state.press("j")
        #expect(state.notice == nil)
    }

    @Test("The last row is visible at the end, at every density", arguments: ListGeometry.densities.indices)
    func endIsSeen(density: Int) {
        for (rows, showsImages) in [(6, true), (10, true), (24, true), (25, true), (40, true), (24, false)] {
            var state = BrowserState.listing(60, of: 60, columns: 80, rows: rows) { $0.showsImages = showsImages }
            state.preferences.density = density
            state.press("G")
            let grid = BrowserView.frame(of: state).grid
            let text = (0..<rows).map { grid.text(ofRow: $0) }
            #expect(text.contains { $0.contains("End: 60 photos") }, "\(rows)")
        }
    }

    @Test("An empty list offers no keys for photos")
    func emptyHints() {
        var state = BrowserState.fresh()
        state.press("moon\r")
        let none = PageAnswer(photos: [], firstPosition: 0, total: .exact(0), isAtStart: true, isAtEnd: true)
        _ = state.update(.page(generation: 1, .next, .success(none)))
        let actions = RenderContext(state).hints.hints.flatMap(\.actions)
        #expect(actions.contains(.search) && !actions.contains(.open) && !actions.contains(.save))
    }
}
