import SpyglassCatalog
import SpyglassFetching
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("List screen")
struct ListTests {
    @Test("x crops the pictures of a grid, and asks for them again; a list keeps them whole")
    func cropping() {
        var state = AppState.listing()
        #expect(state.press("x").isEmpty)
        state.press("v")
        let effects = state.press("x")
        #expect(
            state.visible.allSatisfy { $0.key.isCropped } && effects.requests == state.images.requests)
        #expect(effects.contains { if case .store(.preferences(let kept)) = $0 { kept.cropsGrid } else { false } })
        state.press("v")
        #expect(!state.visible.contains { $0.key.isCropped })
        state.press("v")
        state.press("x")
        #expect(!state.visible.contains { $0.key.isCropped } && !state.preferences.cropsGrid)
    }

    @Test("A list of lines asks for the picture of the selected photo, and for its neighbours'")
    func preview() {
        var state = AppState.listing()
        state.press("--")
        #expect(state.geometry.preview != nil && state.visible.count == 1)
        #expect(state.geometry.preview?.picture.rows == state.geometry.area.rows - 8)
        state.press("jj")
        #expect(state.firstKey.address.path == "/2~thumb.jpg")
        let near = state.near.map(\.key.address.path)
        #expect(near == ["/3~thumb.jpg", "/1~thumb.jpg", "/4~thumb.jpg", "/5~thumb.jpg"])
        let key = state.visible.first?.key
        state.press("\r")
        #expect(state.visible.first?.coarse == [key].compactMap(\.self))
        state.press("\u{1B}")
        _ = state.update(.resized(CellSize(clamping: 99, 40), cellPixels: nil))
        #expect(state.visible.isEmpty && state.near.isEmpty)
    }

    @Test("The next page is requested once, two screens before the end")
    func paging() {
        var state = AppState.listing()
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
        #expect(state.list?.positions == 0..<200 && state.selected == 99 && state.list?.isLoadingNext == false)
    }

    @Test("Scrolling is minimal, with a row of context")
    func scrolling() {
        var state = AppState.listing()
        let rows = state.geometry.rowsWhole
        var tops: [Int] = []
        for _ in 0..<rows {
            state.press("j")
            tops.append(state.list?.topRow ?? -1)
        }
        #expect(tops == [Int](repeating: 0, count: rows - 2) + [1, 2])
        for _ in 0..<rows { state.press("k") }
        #expect(state.list?.topRow == 0 && state.selected == 0)
    }

    @Test("The wheel scrolls by a row and keeps the selection visible")
    func wheel() {
        var state = AppState.listing()
        let wheel = [MouseEvent.Kind.wheelDown, .wheelUp, .wheelUp].map { kind in
            _ = state.update(.input(.mouse(MouseEvent(kind, at: CellPosition(column: 3, row: 3)))))
            return [state.list?.topRow, state.selected]
        }
        #expect(wheel == [[1, 2], [0, 2], [0, 2]])
    }

    @Test("A click selects, a second opens, one outside photos does nothing")
    func click() {
        var state = AppState.listing(3, of: 3)
        func press(_ row: Int) -> BrowserEvent {
            .click(BrowserView.frame(of: state).target(at: CellPosition(column: 5, row: row)))
        }
        let geometry = state.geometry
        _ = state.update(press(geometry.area.row + geometry.itemRows))
        #expect(state.selected == 1 && state.top == .list)
        _ = state.update(press(geometry.area.row - 1))
        _ = state.update(press(geometry.area.row + 3 * geometry.itemRows))
        #expect(state.selected == 1 && state.top == .list)
        _ = state.update(press(geometry.area.row + geometry.itemRows))
        #expect(state.detailPosition == 1)
    }

    @Test("A click on a photo that is shown whole scrolls nothing, so that a double click opens it")
    func clickAtTheEdge() throws {
        for keys in ["", "v"] {
            var state = AppState.listing()
            state.press(keys)
            let geometry = state.geometry
            let place = CellPosition(column: 5, row: geometry.area.row + (geometry.rowsWhole - 1) * geometry.itemRows)
            let position = (geometry.rowsWhole - 1) * geometry.columns
            _ = state.update(.click(BrowserView.frame(of: state).target(at: place)))
            #expect(state.selected == position && state.list?.topRow == 0)
            var moved = state
            moved.press("j")
            #expect(moved.list?.topRow == 2, "a key shows a row of context again")
            _ = state.update(.click(BrowserView.frame(of: state).target(at: place)))
            #expect(state.detailPosition == position)
        }
    }

    @Test("End jumps to the last page of a known total, Home back")
    func jumps() {
        var state = AppState.listing()
        #expect(state.press("G").deliberate == [.searching(2, at: 9999)])
        #expect(state.list?.isRefreshing == true && state.selected == 0 && state.list?.photos.count == 100)
        _ = state.update(.page(generation: 2, .next, .success(answer(9900..<10_000, first: 9900))))
        #expect(state.selected == 9999 && state.list?.isAtEnd == true && state.list?.isRefreshing == false)
        #expect(state.list?.isLoadingPrevious == false)
        #expect(state.press("g").deliberate == [.searching(3, at: 0)])
        _ = state.update(.page(generation: 3, .next, .success(answer(0..<100, first: 0))))
        #expect(state.selected == 0 && state.list?.topRow == 0)
    }

    @Test("The last jump counts: Home replaces a pending End")
    func lastJump() {
        var state = AppState.listing()
        state.press("G")
        #expect(state.press("G").isEmpty)
        #expect(state.press("g").deliberate == [.searching(3, at: 0)])
        #expect(state.press("g").isEmpty)
        _ = state.update(.page(generation: 2, .next, .success(answer(9900..<10_000, first: 9900))))
        #expect(state.list?.positions == 0..<100)
        _ = state.update(.page(generation: 3, .next, .success(answer(0..<100, first: 0))))
        #expect(state.selected == 0 && state.list?.awaited == nil)
        state.press("r")
        #expect(state.press("G").deliberate == [.searching(5, at: 9999, revalidates: true)])
    }

    @Test("Near the end, End reads the next page and follows it once, or shows why it cannot")
    func follows() {
        var state = AppState.listing(100, of: 150)
        #expect(state.press("G").contains(.loadPage(generation: 1, .next)) && state.selected == 99)
        state.nextPage(of: 150)
        #expect(state.selected == 149 && state.list?.isAtEnd == true)
        var other = AppState.listing(100, of: 150)
        other.press("Gk")
        other.nextPage(of: 150)
        #expect(other.selected == 98)
        var failing = AppState.listing(100, of: 150)
        failing.press("G")
        _ = failing.update(.page(generation: 1, .next, .failure(gone)))
        #expect(failing.selected == 99 && failing.notice == .failed(gone))
    }

    @Test("A failed page is not an alert, and only r retries it")
    func nextFails() {
        var state = AppState.listing(12, of: 90)
        _ = state.update(.page(generation: 1, .next, .failure(gone)))
        #expect(state.top == .list && state.list?.nextProblem == gone)
        #expect(!state.press("G").contains { if case .loadPage = $0 { true } else { false } })
        #expect(state.press("r").contains(.loadPage(generation: 1, .next)))
        #expect(state.list?.nextProblem == nil && state.list?.isLoadingNext == true)
    }

    @Test("v switches the arrangement and keeps the selection visible")
    func arrangement() {
        var state = AppState.listing()
        for _ in 0..<30 { state.press("j") }
        let effects = state.press("v")
        #expect(state.preferences.arrangement == .grid && effects.contains(.store(.preferences(state.preferences))))
        #expect(state.selected == 30)
        #expect(state.list.map { state.geometry.positions(from: $0.topRow).contains(30) } == true)
        #expect(effects.requests?.visible.first?.key.box == state.geometry.thumbnail)
    }

    @Test("Plus and minus change density and columns within their limits")
    func density() {
        let densities = ListGeometry.densities
        var state = AppState.listing()
        #expect(state.values(after: ["++++++", "--------"], \.preferences.density) == [densities.count - 1, 0])
        #expect(state.press("-").isEmpty)
        state.press("v")
        let usual = state.geometry.columns
        #expect(state.values(after: ["-", "===="], \.geometry.columns) == [usual + 1, 1])
        #expect(state.press("+").isEmpty)
        for _ in 0..<50 { state.press("-") }
        #expect(state.preferences.gridColumns == state.geometry.columns && state.press("-").isEmpty)
    }

    @Test("In a grid, arrows move by photos and rows and stop at the edges")
    func grid() {
        var state = AppState.listing(10, of: 10)
        state.press("v")
        let columns = state.geometry.columns
        #expect(state.selections(after: "lj", "kh", "hk", "Gjl") == [1 + columns, 0, 0, 9])
    }

    @Test("Right-to-left, arrows and clicks are mirrored")
    func mirrored() {
        var state = AppState.listing(10, of: 10)
        state.press("v")
        state.preferences.language = .arabic
        #expect(state.values(after: [.left, .right], \.selected) == [1, 0])
        let area = state.geometry.area(of: 1, from: 0)
        let place = CellPosition(column: 119 - (area?.column ?? 0), row: area?.row ?? 0)
        _ = state.update(.click(BrowserView.frame(of: state).target(at: place)))
        #expect(state.selected == 1)
    }

    @Test("A new size keeps the selection and its row", arguments: [(20, 5), (200, 60), (1, 1)])
    func resized(columns: Int, rows: Int) {
        var state = AppState.listing()
        for _ in 0..<40 { state.press("j") }
        let before = state.list?.topRow
        _ = state.update(.resized(CellSize(clamping: columns, rows), cellPixels: nil))
        #expect(state.selected == 40)
        _ = state.update(.resized(CellSize(clamping: 120, 40), cellPixels: nil))
        #expect(state.selected == 40)
        #expect(abs((state.list?.topRow ?? 0) - (before ?? 0)) <= state.geometry.rowsWhole)
    }

    @Test("The last row is visible at the end, at every density", arguments: ListGeometry.densities.indices)
    func endIsSeen(density: Int) {
        for (rows, showsImages) in [(6, true), (10, true), (24, true), (25, true), (40, true), (24, false)] {
            var state = AppState.listing(60, of: 60, columns: 80, rows: rows) { $0.showsImages = showsImages }
            state.preferences.density = density
            state.press("G")
            #expect(state.rows.contains { $0.contains("End: 60 photos") }, "\(rows)")
        }
    }
}

@Suite("ListGeometry")
struct ListGeometryTests {
    @Test("No two visible items overlap, at any size and arrangement")
    func placesAndPositions() {
        for columns in [1, 2, 5, 20, 39, 40, 80, 120, 200, 1000] {
            for rows in [1, 2, 4, 5, 6, 10, 24, 40, 60] {
                for (arrangement, density) in [(.list, 0), (.list, 2), (.list, 4), (.grid, 2)]
                    as [(Preferences.Arrangement, Int)]
                {
                    var preferences = Preferences()
                    preferences.arrangement = arrangement
                    preferences.density = density
                    let geometry = ListGeometry(
                        screen: CellSize(clamping: columns, rows), preferences: preferences, showsImages: true)
                    #expect(geometry.itemColumns >= 1 && geometry.itemRows >= 1)
                    var places: Set<CellPosition> = []
                    for position in geometry.positions(from: 3) {
                        guard let area = geometry.area(of: position, from: 3) else {
                            Issue.record("no place for \(position)")
                            continue
                        }
                        #expect(places.insert(CellPosition(column: area.column, row: area.row)).inserted)
                        #expect(geometry.area.contains(CellPosition(column: area.column, row: area.row)))
                    }
                }
            }
        }
    }

    @Test("Thumbnails grow with the screen: a fifth of its rows, at least 6, at the default density")
    func growing() {
        for (rows, heights) in [
            (24, [3, 6, 10, 16]), (30, [3, 6, 10, 16]), (40, [4, 8, 13, 21]), (60, [6, 12, 20, 32]),
        ] {
            for (density, height) in zip(1..., heights) {
                var preferences = Preferences()
                preferences.density = density
                let screen = CellSize(clamping: 200, rows)
                let geometry = ListGeometry(screen: screen, preferences: preferences, showsImages: true)
                #expect(geometry.thumbnail?.rows == height && geometry.itemRows == height + 1)
            }
        }
    }

    @Test("Without images an item is as high as its text, more at each density")
    func textAlone() {
        let rows = ListGeometry.densities.indices.map { density in
            var preferences = Preferences()
            preferences.density = density
            let screen = CellSize(clamping: 120, 40)
            return ListGeometry(screen: screen, preferences: preferences, showsImages: false).itemRows
        }
        #expect(rows == [1, 4, 6, 8, 11])
    }

    @Test("From 24 rows on a blank row separates header and photos")
    func header() {
        for (rows, first) in [(4, 0), (5, 1), (23, 1), (24, 2), (60, 2)] {
            let screen = CellSize(clamping: 80, rows)
            let list = ListGeometry(screen: screen, preferences: Preferences(), showsImages: true)
            let detail = DetailGeometry(TerminalTraits(size: screen), Preferences(), showsImages: false, ratio: nil)
            #expect(list.area.row == first && detail.text?.row == first)
            #expect(list.area.endRow == (rows < 5 ? rows : rows - 1))
        }
    }
}
