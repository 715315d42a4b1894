import SpyglassCatalog
import SpyglassFetching
import SpyglassPixels
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("Detail screen")
struct DetailTests {
    @Test("Enter opens it and requests details once; Escape returns to the row")
    func opens() {
        var state = AppState.listing()
        for _ in 0..<12 { state.press("j") }
        let top = state.list?.topRow
        #expect(state.press("\r").deliberate == [.loadDetails(generation: 1, samplePhoto(12))])
        #expect(state.detailPosition == 12 && state.press("?\u{1B}").isEmpty)
        #expect(state.press("\u{1B}").deliberate.isEmpty)
        #expect(state.top == .list && state.selected == 12 && state.list?.topRow == top)
    }

    @Test("Details replace the page's photo and are not requested again")
    func details() {
        var state = AppState.detailing()
        var full = samplePhoto(0)
        full.credit = "NASA"
        _ = state.update(.details(generation: 1, photoID: "id-0", .success(full)))
        #expect(state.list?.photo(at: 0)?.credit == "NASA")
        #expect(state.press("\u{1B}\r").deliberate.isEmpty)
    }

    @Test("A long text scrolls to its end; another photo starts at its first line")
    func scrolling() {
        var state = AppState.detailing()
        var full = samplePhoto(0)
        full.description = (0..<200).map { "Line \($0)." }.joined(separator: "\n")
        _ = state.update(.details(generation: 1, photoID: "id-0", .success(full)))
        state.press(.character("d"), .control)
        let half = state.detail?.scroll ?? 0
        state.press(.pageDown)
        #expect(half > 0 && state.detail?.scroll ?? 0 >= 3 * half)
        for _ in 0..<100 { state.press(.pageDown) }
        let end = state.detail?.scroll ?? 0
        #expect(end == state.maximumScroll && end > 100)
        state.press(" ")
        #expect(state.detail?.scroll == end)
        state.press(.character("u"), .control)
        #expect(state.detail?.scroll == end - half)
        _ = state.update(.input(.mouse(MouseEvent(.wheelUp, at: CellPosition(column: 0, row: 0)))))
        #expect(state.detail?.scroll == end - half - 3)
        state.press("np")
        #expect(state.detail?.scroll == 0)
    }

    @Test("n and p select the neighbours and stop at the ends")
    func neighbours() {
        var state = AppState.listing(3, of: 3)
        state.press("\r")
        #expect(state.press("p").isEmpty)
        #expect(state.press("n").deliberate == [.loadDetails(generation: 1, samplePhoto(1))])
        #expect(state.selections(after: "nn", "\u{1B}") == [2, 2])
    }

    @Test("G shows the last photo in full, g the first one")
    func firstAndLast() {
        var state = AppState.browsing(ExampleFolder(folders: 0))
        #expect(state.values(after: ["\rG", "g"]) { $0.detailPosition } == [19, 0])
    }

    @Test("Up and down step to the neighbours, and pan while the photo is zoomed")
    func upAndDown() {
        var state = AppState.detailing()
        #expect(state.values(after: ["jjk", "+++j"]) { $0.detailPosition } == [1, 1])
        #expect((state.detail?.zoom.y ?? 0) > 0.5 && state.values(after: ["0j"]) { $0.detailPosition } == [2])
    }

    @Test("Arrows select the neighbours, mirrored right-to-left")
    func mirrored() {
        for (language, onwards, back) in [(Language.english, Key.Code.right, Key.Code.left), (.arabic, .left, .right)] {
            var state = AppState.listing()
            state.preferences.language = language
            let positions = state.values(after: [back, onwards, onwards, onwards, back]) { $0.detailPosition }
            #expect(positions == [nil, 0, 1, 2, 1])
        }
    }

    @Test("n near the end requests the next page and continues into it")
    func nextPage() {
        var state = AppState.listing(of: 250)
        state.press("\r")
        var effects: [BrowserEffect] = []
        for _ in 0..<99 { effects += state.press("n") }
        #expect(effects.filter { $0 == .loadPage(generation: 1, .next) }.count == 1)
        state.nextPage(of: 250)
        state.press("n")
        #expect(state.detailPosition == 100 && state.detail?.photoID == "id-100")
    }

    @Test("Beyond the last photo, and before the first, a line says so")
    func ends() {
        var state = AppState.browsing(ExampleFolder(folders: 0, pictures: 2))
        let notices = state.values(after: ["\rp", "n", "n"], \.notice)
        #expect(
            notices == [.hint(DetailTexts.all.atFirst), nil, .hint(DetailTexts.all.atLast)] && state.detailPosition == 1
        )
    }

    @Test("r requests a failed or shown image again")
    func retry() throws {
        var state = AppState.detailing()
        let key = state.firstKey
        #expect(state.press("\r").isEmpty)
        state.fail(key, .status(500))
        #expect(state.visible.isEmpty)
        #expect(state.press("\r").requests?.visible.first?.key == key)
        state.fail(key, .status(500))
        let effects = state.press("r")
        #expect(state.images.pictures[key] == .loading && effects.requests?.visible.first?.key == key)
        #expect(effects.contains(.loadDetails(generation: 1, samplePhoto(0))))
        state.show(key)
        #expect(state.press("r").requests?.visible.first?.revalidates == true)
    }

    @Test("o opens the page or shows a link over ssh; y copies the address")
    func addresses() throws {
        for start in [AppState.listing(), .detailing()] {
            var state = start
            let page = try #require(samplePhoto(0).page)
            #expect(state.press("o") == [.open(page)])
            _ = state.update(.notice(.opened("x")))
            #expect(state.notice == .opened("x"))
            #expect(state.press("y") == [.copy(page.text)] && state.notice == .copied(page.text))
            state.traits.isRemote = true
            #expect(state.press("o").isEmpty && state.notice == .link(page.text))
        }
    }

    @Test("A photo without page and files has nothing to open, copy or save")
    func nothing() {
        var state = AppState.fresh()
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
        #expect(
            notices == [
                .hint(DetailTexts.all.noPage), .hint(DetailTexts.all.nothingToCopy), .hint(SaveTexts.all.nothingToSave),
            ])
    }
}

@Suite("DetailGeometry")
struct DetailGeometryTests {
    private static let sizes = [
        (1, 1), (2, 2), (3, 10), (10, 3), (20, 5), (40, 6), (80, 2), (80, 24), (89, 24), (90, 24), (100, 30), (120, 40),
        (200, 60), (300, 20), (1000, 1000),
    ].map { CellSize(clamping: $0.0, $0.1) }
    private static let ratios: [Double?] = [nil, 0, 0.01, 0.3, 0.67, 1, 4.0 / 3, 1.5, 2, 5, 40, .infinity, .nan]

    private func geometry(
        _ size: CellSize, _ ratio: Double?, _ content: DetailGeometry.Content = .pictureAndText,
        _ change: (inout Preferences) -> Void = { _ in }
    ) -> DetailGeometry {
        var preferences = Preferences()
        change(&preferences)
        return DetailGeometry(
            TerminalTraits(size: size), preferences, showsImages: true, ratio: ratio, content: content)
    }

    /// The cells that a picture covers in a box, by the renderer.
    private func cells(_ box: CellSize?, _ ratio: Double) -> Int {
        guard let box else { return 0 }
        let shape = PixelSize(width: Int(ratio * 1000), height: 1000)
        let size = TargetSize(box: SymbolSet.half.pixelBox(for: box), allowsUpscaling: true, pixelAspect: 0.5)
            .inCells(of: SymbolSet.half.grid).size(for: shape)
        return (size.width + 1) / 2 * ((size.height + 1) / 2)
    }

    @Test("Picture and text stay on the screen without overlap, at any size", arguments: sizes)
    func disjoint(size: CellSize) {
        let screen = CellArea(size)
        for ratio in Self.ratios {
            for content in [DetailGeometry.Content.pictureAndText, .picture, .text] {
                let geometry = geometry(size, ratio, content)
                #expect((geometry.picture == nil) == (content == .text))
                if let text = geometry.text { #expect(!text.isEmpty && screen.intersection(text) == text) }
                guard let picture = geometry.picture, let covered = geometry.covered else { continue }
                #expect(!covered.isEmpty && picture.intersection(covered) == covered)
                #expect(screen.intersection(picture) == picture)
                #expect(geometry.text.map { $0.intersection(picture).isEmpty } ?? true, "\(size) \(picture)")
                #expect(geometry.box == CellSize(clamping: picture.columns, picture.rows))
            }
        }
    }

    @Test(
        "A 4:3 photo covers a quarter of the cells, in full screen 45 %",
        arguments: [(80, 24), (120, 40), (200, 60)])
    func share(columns: Int, rows: Int) {
        let size = CellSize(clamping: columns, rows)
        #expect(cells(geometry(size, 4 / 3).box, 4 / 3) * 4 >= columns * rows)
        #expect(cells(geometry(size, 4 / 3, .picture).box, 4 / 3) * 100 >= columns * rows * 45)
    }

    @Test("A picture is never smaller than in the grid or the list", arguments: sizes)
    func neverSmaller(size: CellSize) {
        for ratio in [0.2, 0.67, 1, 4.0 / 3, 1.5, 2, 5] {
            for (arrangement, step) in [(.list, 0), (.list, 2), (.list, 4), (.grid, 1), (.grid, 2), (.grid, 9)]
                as [(Preferences.Arrangement, Int)]
            {
                func set(_ preferences: inout Preferences) {
                    preferences.arrangement = arrangement
                    preferences.density = step
                    preferences.gridColumns = step
                }
                var preferences = Preferences()
                set(&preferences)
                let list = ListGeometry(screen: size, preferences: preferences, showsImages: true)
                let small = cells(list.thumbnail, ratio)
                for content in [DetailGeometry.Content.pictureAndText, .picture] {
                    #expect(cells(geometry(size, ratio, content, set).box, ratio) >= small, "\(size) \(ratio)")
                }
            }
        }
    }

    @Test("Text is below a wide picture over all columns, and beside a tall one over all rows")
    func shapes() throws {
        let size = CellSize(clamping: 120, 40)
        let wide = geometry(size, 3)
        #expect(!wide.isBeside && wide.picture == CellArea(column: 0, row: 2, columns: 120, rows: 20))
        #expect(wide.text == CellArea(column: 2, row: 23, columns: 96, rows: 16))
        let tall = geometry(size, 0.5)
        #expect(tall.isBeside && tall.picture == CellArea(column: 2, row: 2, columns: 38, rows: 37))
        #expect(tall.text == CellArea(column: 42, row: 2, columns: 76, rows: 37))
        let square = geometry(size, 1)
        #expect(square.isBeside && square.covered?.rows == 37)
        #expect(try #require(geometry(size, 1.5).text).rows >= 3)
        #expect(try #require(geometry(size, 4 / 3).text).columns >= 30)
    }

    @Test("Facts that fit one line go under the picture, which has the width, and stay there when it is enlarged")
    func oneLine() throws {
        for columns in [80, 120] {
            var state = AppState.browsing(ExampleFolder(folders: 0, pictures: 1), columns: columns, rows: 40)
            var photo = try #require(state.list?.photo(at: 0))
            (photo.width, photo.height, photo.camera) = (2000, 3000, "X-1")
            _ = state.details(of: photo)
            state.press("\r")
            let geometry = state.detailGeometry
            #expect(geometry.isLine && geometry.picture == CellArea(column: 0, row: 2, columns: columns, rows: 36))
            let line = state.grid.text(ofRow: 38)
            #expect(line.contains("1.jpg") && line.contains("3 May 2024 · X-1 · 2,000 × 3,000"))
            state.press("+")
            #expect(state.detailGeometry == geometry)
            state.press("0")
            photo.description = "A line of its own"
            _ = state.details(of: photo)
            #expect(columns == 80 || state.detailGeometry.isBeside)
        }
    }

    @Test("Below 90 columns the text is one line, or what a wide picture leaves")
    func narrow() {
        for (columns, rows) in [(20, 5), (80, 24), (89, 60)] {
            let geometry = geometry(CellSize(clamping: columns, rows), 0.5)
            #expect(geometry.isLine && geometry.covered?.rows == geometry.picture?.rows)
        }
        let texts = [(80, 24, 5.0), (10, 2, 1)].map { geometry(CellSize(clamping: $0.0, $0.1), $0.2).text?.rows }
        #expect(texts == [12, nil])
    }
}

@Suite("Pictures of a post")
struct PostPicturesTests {
    /// A list whose first photo has three pictures.
    private func listing() -> AppState {
        var post = samplePhoto(0)
        for number in 2...3 {
            guard let address = WebAddress("https://host.example/other-\(number).gif") else { continue }
            post.renditions.append(Rendition(address, width: 100 * number, height: 300, rel: "picture-\(number)"))
        }
        var state = AppState.listing()
        _ = state.details(of: post)
        return state
    }

    private func shownNames(_ state: AppState) -> [String] {
        state.visible.compactMap { $0.key.address.path.split(separator: "/").last.map(String.init) }
    }

    @Test("The keys step through them and stop at both ends")
    func stepping() {
        var state = listing()
        state.press("\r")
        #expect(state.list?.pictureCount == 3 && shownNames(state).allSatisfy { $0.hasPrefix("0~") })
        #expect(state.near.first?.key.address.path == "/other-2.gif")
        let pictures = state.values(after: ["[", "]", "]]]", "["]) { $0.list?.picture }
        #expect(pictures == [1, 2, 3, 2] && shownNames(state) == ["other-2.gif"])
        state.press("]")
        #expect(shownNames(state) == ["other-3.gif"] && state.detail?.ratio == 1)
    }

    @Test("Another photo, and the list, start with the first picture")
    func leaving() {
        var state = listing()
        state.press("\r]np")
        #expect(state.list?.picture == 1 && state.selected == 0)
        state.press("]\u{1B}")
        #expect(state.top == .list && state.list?.picture == 1 && !shownNames(state).contains("other-2.gif"))
    }

    @Test("The picture on the screen is saved, under a name of its own")
    func saving() {
        var state = listing()
        state.press("\r]s")
        #expect(state.save?.path.text == "id-0-2.gif" && state.save?.items[0].shown.original?.path == "/other-2.gif")
    }

    @Test("A retry keeps all pictures, and late details keep the chosen one")
    func details() throws {
        var state = listing()
        state.press("\r]")
        let whole = try #require(state.list?.wholePhoto(at: 0))
        #expect(state.press("r").deliberate == [.loadDetails(generation: 1, whole)])
        _ = state.details(of: whole)
        #expect(state.list?.picture == 2 && state.list?.pictureCount == 3)
    }

    @Test("Keys and help are offered only where there are several")
    func offers() {
        var state = listing()
        let keys: Set<Action> = [.nextPicture, .previousPicture]
        let offered = state.values(after: ["\r", "n"]) { keys.intersection($0.hints).count }
        #expect(offered == [2, 0])
        state.press("]")
        let single = HelpView.sections(of: state, UIStrings(.english)).joined()
        #expect(state.list?.picture == 1 && !single.contains { ["[", "]"].contains($0.keys) })
    }
}
