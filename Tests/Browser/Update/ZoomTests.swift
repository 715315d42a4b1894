import SpyglassCatalog
import SpyglassFetching
import SpyglassFiles
import SpyglassPipeline
import SpyglassPixels
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("Zoom")
struct ZoomTests {
    private func name(_ request: PictureRequest?) -> Substring? { request?.key.address.path.dropFirst() }

    /// A cell of the picture, counted from its upper left corner.
    private func cell(_ state: AppState, column: Int, row: Int) -> CellPosition {
        let area = state.detailGeometry.picture ?? CellArea(columns: 0, rows: 0)
        return CellPosition(column: area.column + column, row: area.row + row)
    }

    private func mouse(_ kind: MouseEvent.Kind, _ position: CellPosition) -> BrowserEvent {
        .input(.mouse(MouseEvent(kind, at: position)))
    }

    @Test("Three + enlarge at least 1.5 times; 0 and three - lead back to fit")
    func keys() {
        var state = AppState.detailing()
        let whole = state.visible
        state.press("+=+")
        #expect((state.detail?.zoom.factor ?? 0) >= 1.5)
        let zooms = state.values(after: ["0", "++---"]) { $0.images.requests.visible == whole ? $0.detail?.zoom : nil }
        #expect(zooms == [.fit, .fit])
    }

    @Test("1 shows a pixel of the picture as a pixel of the screen")
    func pixels() throws {
        var state = AppState.detailing()
        state.press("1")
        #expect(state.zoomPercent == 100)
        let key = state.firstKey
        let box = SymbolSet.half.pixelBox(for: key.box)
        let area = key.region.area(in: PixelSize(width: 4000, height: 2666))
        #expect(abs(area.size.width - box.width / 2) <= 1 && abs(area.size.height - box.height) <= 1)
        #expect(name(state.visible.first) == "0~orig.jpg")
    }

    @Test("The footer names the arrows that pan: those up and down only where it cannot pan sideways")
    func panKeys() {
        var state = AppState.detailing()
        #expect(state.panKeys.isEmpty)
        #expect(state.values(after: ["1", "w"], \.panKeys) == [[.left, .right], [.up, .down]])
        #expect(state.lastRow.contains("↑↓ pan"))
    }

    @Test("w fills the width of the box, from the top of the photo")
    func width() throws {
        var state = AppState.detailing()
        state.press("w")
        let key = state.firstKey
        #expect(abs(key.region.width - 1) < 1e-9 && key.region.y == 0 && key.region.height < 1)
        #expect(key.partSize?.width == SymbolSet.half.pixelBox(for: key.box).width)
    }

    @Test("The next photo keeps w and 1, and another zoom if it has the same shape")
    func carried() throws {
        var state = AppState.detailing()
        state.press("wjjn")
        #expect(state.selected == 1 && state.detail?.zoom.mode == .width && state.detail?.zoom.y == 0)
        state.press("1n")
        #expect(state.selected == 2 && state.detail?.zoom.mode == .actualSize)
        state.press("0++")
        let zoom = try #require(state.detail?.zoom)
        state.press("n")
        #expect(state.selected == 3 && state.detail?.zoom == zoom)
        let next = try #require(state.list?.index(at: 4))
        state.list?.photos[next].renditions = []
        state.list?.photos[next].width = 1000
        state.list?.photos[next].height = 3000
        state.press("n")
        #expect(state.selected == 4 && state.detail?.zoom == .fit)
    }

    @Test("Page keys move an enlarged photo by its view")
    func pages() {
        var state = AppState.detailing()
        state.press("+++")
        let before = state.detail?.zoom.y ?? 0
        state.press(.pageDown)
        #expect((state.detail?.zoom.y ?? 0) > before && state.selected == 0)
        state.press(.pageUp)
        #expect(abs((state.detail?.zoom.y ?? 0) - before) < 0.2)
    }

    @Test("Rotating turns the view by quarters; its region is one of the upright photo, and another photo is upright")
    func rotation() throws {
        var state = AppState.detailing()
        let whole = state.visible
        state.press(">")
        #expect(state.detail?.turns == 1 && state.firstKey.turns == 1)
        #expect(try #require(state.detailGeometry.covered).columns < 60)
        state.press("+++")
        let key = state.firstKey
        #expect(key.region != .whole && key.turns == 1)
        state.press(">>>")
        #expect(state.visible == whole)
        state.press("<")
        #expect(state.detail?.turns == 3)
        let index = try #require(state.list?.index(at: 0))
        state.list?.photos[index].pageCount = 3
        state.press("]")
        #expect(state.list?.picture == 2 && state.detail?.turns == 3, "Pages of one file are turned alike")
        state.press("[np")
        #expect(state.detail?.turns == 0 && state.visible == whole)
    }

    @Test("Rotating keeps the width, and pixels at their own size", arguments: ["w", "1"])
    func rotatedZoom(key: String) throws {
        var state = AppState.detailing()
        state.press(key)
        let zoom = try #require(state.detail?.zoom)
        #expect(zoom.mode != .free)
        state.press(">")
        #expect(state.detail?.zoom.mode == zoom.mode && state.zoomPercent != nil)
        state.press("<")
        #expect(state.detail?.zoom.mode == zoom.mode)
    }

    @Test("A region of a turned photo leads back to the upright one")
    func uprightRegion() {
        let corner = ImageRegion(x: 0.75, y: 0, width: 0.25, height: 0.5)
        let regions = (0...3).map(corner.upright)
        #expect(
            regions == [
                corner, ImageRegion(x: 0, y: 0, width: 0.5, height: 0.25),
                ImageRegion(x: 0, y: 0.5, width: 0.25, height: 0.5),
                ImageRegion(x: 0.5, y: 0.75, width: 0.5, height: 0.25),
            ])
        #expect(ImageRegion.whole.upright(from: 3) == .whole)
    }

    @Test("An arrow to the right shows what is to the right, also right-to-left")
    func physical() {
        for language in [Language.english, .arabic] {
            var state = AppState.listing()
            state.preferences.language = language
            state.press("\r+++")
            let before = state.visible.first?.key.region.x ?? 0
            state.press(.right)
            #expect((state.visible.first?.key.region.x ?? 0) > before && state.detailPosition == 0)
        }
    }

    @Test("Factor and position stay over next and previous; Escape ends them")
    func neighbours() {
        var state = AppState.detailing()
        state.press("++")
        state.press(.right)
        let zoom = state.detail?.zoom
        let region = state.visible.first?.key.region
        state.press("n")
        #expect(state.detail?.zoom == zoom && state.firstKey.region == region && state.detailPosition == 1)
        state.press("p")
        #expect(state.detail?.zoom == zoom && state.detailPosition == 0)
        state.press("\u{1B}\r")
        #expect(state.detail?.zoom == .fit)
    }

    @Test("The whole photo is near, for a coarse frame; neighbours are requested whole")
    func requests() throws {
        var state = AppState.detailing()
        let whole = try #require(state.visible.first)
        let ahead = state.ahead
        state.press("+")
        let zoomed = try #require(state.visible.first)
        #expect(state.visible.count == 1)
        #expect(zoomed.key.region != .whole && zoomed.key.box == state.detailGeometry.box && zoomed.key.isFull)
        #expect(zoomed.coarse == [whole.key] + whole.coarse && state.near.first == whole)
        #expect(state.ahead == ahead)
    }

    @Test("A larger file is requested once the smaller one has no more to give, at last the original")
    func files() {
        var state = AppState.detailing()
        var names: [Substring] = []
        for _ in 0..<20 {
            if let name = name(state.visible.first), names.last != name { names.append(name) }
            state.press("+")
        }
        #expect(names == ["0~thumb.jpg", "0~medium.jpg", "0~orig.jpg"])
    }

    @Test("The last frame stays until the first one of the next region comes")
    func held() throws {
        var state = AppState.detailing()
        let whole = state.firstKey
        state.show(whole)
        state.press("+")
        let zoomed = state.firstKey
        #expect(state.images.pictures[zoomed] == .coarse && state.images.pictures[whole] == .sample)
        state.press("n")
        let next = state.firstKey
        #expect(state.images.pictures[next] == .loading)
    }

    @Test("A failed original is named, and the next smaller file is requested")
    func failed() throws {
        var state = AppState.detailing()
        state.press("1")
        let key = state.firstKey
        state.fail(key, .tooLarge(option: nil))
        #expect(state.notice == .cannotEnlarge(.tooLarge(option: nil)))
        #expect(name(state.visible.first) == "0~medium.jpg" && state.firstKey.region == key.region)
    }

    @Test("A photo that cannot be shown is not enlarged, and a retry says nothing of that")
    func failedPhoto() throws {
        var state = AppState.detailing()
        let key = state.firstKey
        state.fail(key, .notAPicture)
        while let key = state.visible.first?.key {
            state.fail(key, .notAPicture)
        }
        state.press("+")
        #expect(state.detail?.zoom == .fit && state.notice == nil)
    }

    @Test("A part that fails leaves the whole photo as it is")
    func failedPart() throws {
        var remote = AppState.detailing()
        remote.press("1")
        let part = remote.firstKey
        remote.fail(part, .damaged)
        #expect(remote.firstKey.source != part.source && remote.images.lostRenditions.isEmpty)

        var local = AppState.detailing()
        var photo = samplePhoto(0)
        photo.file = LocalFile.example(Array("/1.jpg".utf8), isFolder: false)
        _ = local.details(of: photo)
        let file = local.firstKey
        local.show(file)
        local.press("+")
        let zoomed = local.firstKey
        #expect(zoomed.region != .whole && zoomed.source == file.source)
        local.fail(zoomed, .outOfMemory)
        #expect(local.notice == .cannotEnlarge(.outOfMemory))
        for _ in 0..<2 {
            #expect(local.visible.map(\.key) == [file] && local.zoomPercent == nil)
            #expect(local.detail.map(local.isBroken) == false)
            local.press(.right)
        }
        local.press("r")
        #expect(local.firstKey.region != .whole)
    }

    @Test("The size of the original comes first, then what has arrived, until its first final image")
    func progress() throws {
        var state = AppState.detailing()
        var photo = samplePhoto(0)
        photo.renditions = photo.renditions.map {
            Rendition($0.address, width: $0.width, height: $0.height, bytes: 12_000_000, rel: $0.rel)
        }
        _ = state.details(of: photo)
        _ = state.update(.transfers(1))
        state.press("+")
        #expect(state.originalTransfer == nil)
        state.press("1")
        let key = state.firstKey
        func line(_ state: AppState) -> String { state.grid.text(ofRow: 38) }
        #expect(line(state).contains("Original: 12 MB") && line(state).contains("100 %"))
        _ = state.update(.progress(key, ImageTask.Progress(received: 4_800_000, total: 12_000_000)))
        #expect(line(state).contains("Original: 12 MB, 40 %"))
        state.show(key)
        #expect(line(state).contains("Original: 12 MB") == false && line(state).contains("100 %"))
        state.press("0")
        #expect(line(state).contains("%") == false)
    }

    @Test("Name, percentage and position of an enlarged photo are in one line, which stays in its place")
    func statusLine() {
        var state = AppState.detailing()
        var places: Set<Int> = []
        for _ in 0..<5 {
            state.press("+")
            let rows = (0..<40).map { state.grid.text(ofRow: $0) }
            let found = rows.indices.filter { rows[$0].contains("1 of 10,000") }
            #expect(found.count == 1 && found.allSatisfy { rows[$0].contains("Photo 0") && rows[$0].contains(" %") })
            places.formUnion(found)
        }
        #expect(places == [38])
    }

    @Test("The wheel over the picture zooms around the pointer, over the text it scrolls")
    func wheel() throws {
        var state = AppState.detailing()
        let corner = cell(state, column: 0, row: 0)
        for _ in 0..<6 { _ = state.update(mouse(.wheelUp, corner)) }
        let region = try #require(state.visible.first?.key.region)
        #expect(region.width < 0.5 && region.x < 0.05 && region.y < 0.05)
        for _ in 0..<6 { _ = state.update(mouse(.wheelDown, corner)) }
        #expect(state.detail?.zoom == .fit)
        let text = try #require(state.detailGeometry.text)
        _ = state.update(mouse(.wheelUp, CellPosition(column: text.column, row: text.row)))
        #expect(state.detail?.zoom == .fit)
    }

    @Test("Dragging moves an enlarged picture with the pointer, from where the button went down, to its edge")
    func drag() throws {
        var state = AppState.detailing()
        state.press("1")
        let before = try #require(state.visible.first?.key.region)
        let start = cell(state, column: 20, row: 10)
        _ = state.update(mouse(.press(.left), start))
        let moved = CellPosition(column: start.column + 8, row: start.row - 3)
        let effects = state.update(mouse(.drag(.left), moved))
        let after = try #require(effects.requests?.visible.first?.key.region)
        // Half-blocks: 8 pixels to the right, 6 up, of 4000 x 2666.
        #expect(abs((before.x - after.x) * 4000 - 8) < 1e-6 && abs((after.y - before.y) * 2666 - 6) < 1e-6)
        _ = state.update(mouse(.release(.left), moved))
        #expect(state.update(mouse(.drag(.left), start)).isEmpty)
        _ = state.update(mouse(.press(.left), start))
        _ = state.update(mouse(.drag(.left), CellPosition(column: 30_000, row: start.row)))
        #expect(state.visible.first?.key.region.x == 0)
        var whole = AppState.detailing()
        for (kind, cell) in [(MouseEvent.Kind.press(.left), start), (.drag(.left), moved)] {
            _ = whole.update(mouse(kind, cell))
        }
        #expect(whole.detail?.zoom == .fit)
    }

    @Test("A video, a photo without files and a screen without images have nothing to enlarge")
    func nothing() {
        var video = samplePhoto(0)
        video.mediaType = .video
        for photo in [video, Photo(id: "x", source: "nasa")] {
            var state = AppState.fresh()
            _ = state.update(.started(search: "x", at: .first))
            var page = answer(0..<1, first: 0, of: 1)
            page.photos = [photo]
            _ = state.update(.page(generation: 1, .next, .success(page)))
            state.press("\r+++1")
            #expect(state.detail?.zoom == .fit && state.zoomPercent == nil)
        }
        var plain = AppState.listing { $0.showsImages = false }
        plain.press("\r+")
        #expect(plain.detail?.zoom == .fit)
    }

    @Test("An enlarged photo has all columns and all rows but one line of text", arguments: [0.3, 1, 1.5, 6])
    func area(ratio: Double) throws {
        var state = AppState.browsing(ExampleFolder(folders: 0, pictures: 1), columns: 120, rows: 40)
        var photo = try #require(state.list?.photo(at: 0))
        photo.description = "A text that is not in one line with the facts."
        _ = state.details(of: photo)
        state.press("\r")
        let facts = PictureFacts(size: PixelSize(width: Int(ratio * 3000), height: 3000))
        let first = state.firstKey
        state.show(first, facts)
        let (layout, whole) = (state.detailGeometry, state.firstKey)
        state.show(whole, facts)
        state.press("+")
        let area = try #require(state.detailGeometry.picture)
        let text = try #require(state.detailGeometry.text)
        #expect(area.column == 0 && area.columns == 120 && area.row == 2 && area.endRow == text.row)
        #expect(text.endRow == 39 && text.rows == 1 && area != layout.picture && state.near.first?.key == whole)
        let key = state.firstKey
        #expect(state.images.pictures[key] == .shown(.sample, facts, isFinal: false, isStale: false))
        state.press("-")
        #expect(state.detailGeometry == layout && state.firstKey == whole)
    }

    @Test("The part of a photo of unknown size follows its first frame")
    func learned() throws {
        var state = AppState.browsing(ExampleFolder(folders: 0, pictures: 2), columns: 120, rows: 40)
        state.press("\rf++")
        let before = state.firstKey
        let facts = PictureFacts(size: PixelSize(width: 6000, height: 1000))
        let effects = state.update(.picture(before, .shown(.sample, facts, isFinal: false, isStale: false)))
        let after = try #require(effects.requests?.visible.first?.key)
        #expect(after.region != before.region)
        #expect(state.images.pictures[after] == .shown(.sample, facts, isFinal: false, isStale: false))
        let coarse = PictureFacts(size: PixelSize(width: 300, height: 60))
        let later = state.update(.picture(after, .shown(.sample, coarse, isFinal: false, isStale: false)))
        #expect(later.requests == nil, "A smaller size changes nothing")
    }
}

@Suite("ZoomGeometry")
struct ZoomGeometryTests {
    private static let pictures: [PixelSize?] = [
        PixelSize(width: 4000, height: 3000), PixelSize(width: 3000, height: 4000), PixelSize(width: 100, height: 100),
        PixelSize(width: 1, height: 1), PixelSize(width: 30_000, height: 2), PixelSize(width: 2, height: 30_000),
        PixelSize(width: 12_000, height: 9_000), nil,
    ]
    private static let boxes = [
        PixelSize(width: 80, height: 44), PixelSize(width: 1600, height: 900), PixelSize(width: 3, height: 6),
        PixelSize(width: 40, height: 200),
    ]

    /// Every picture in every box, with square and other pixels.
    private static var all: [ZoomGeometry] {
        pictures.flatMap { picture in
            boxes.flatMap { box in
                [1, 0.5, 1.1].map { ZoomGeometry(picture: picture, box: box, pixelAspect: $0) }
            }
        }
    }

    private static let factors = [1, 1.01, 1.5, 2, 3.375, 10, 70, 500, 1e6, .infinity]
    private static let centers = [-1, 0, 0.2, 0.5, 0.99, 1, 7]

    @Test("A region is inside the picture and has the centre in its middle")
    func inside() {
        for geometry in Self.all {
            for factor in Self.factors {
                for center in Self.centers {
                    let zoom = geometry.clamped(Zoom(factor: factor, x: center, y: 1 - center))
                    let region = geometry.region(of: zoom)
                    let (right, lower) = (region.x + region.width, region.y + region.height)
                    #expect(region.x >= 0 && region.y >= 0 && region.width > 0 && region.height > 0)
                    #expect(right <= 1 + 1e-12 && lower <= 1 + 1e-12 && geometry.clamped(zoom) == zoom)
                    let (x, y) = ((region.x + right) / 2, (region.y + lower) / 2)
                    #expect(abs(x - zoom.x) < 1e-9 && abs(y - zoom.y) < 1e-9)
                }
            }
        }
    }

    @Test("Fit shows the whole picture; more shows less, without jumps")
    func continuous() {
        for geometry in Self.all {
            #expect(geometry.region(of: .fit) == .whole)
            #expect(geometry.region(of: Zoom(factor: 0.2, x: 0.1, y: 0.9)) == .whole)
            var last = ImageRegion.whole
            for step in 1...400 {
                let factor = 1 + Double(step) / 100
                let region = geometry.region(of: Zoom(factor: factor, x: 0.3, y: 0.6))
                #expect(region.width <= last.width + 1e-12 && region.height <= last.height + 1e-12)
                #expect(region.width < 1 || region.height < 1)
                #expect(abs(region.x - last.x) < 0.02 && abs(region.y - last.y) < 0.02)
                #expect(abs(region.width - last.width) < 0.02 && abs(region.height - last.height) < 0.02)
                last = region
            }
        }
    }

    @Test("A picture narrower than its box is visible over its whole width")
    func narrow() {
        let geometry = ZoomGeometry(
            picture: PixelSize(width: 100, height: 400), box: PixelSize(width: 200, height: 200))
        // At factor 1 it is 50 wide; from factor 4 on it is wider than the box.
        let two = geometry.region(of: Zoom(factor: 2))
        #expect(two.x == 0 && two.width == 1 && two.height == 0.5 && two.y == 0.25)
        #expect(geometry.visibleSize(at: Zoom(factor: 2)) == (100, 200))
        let eight = geometry.region(of: Zoom(factor: 8))
        #expect(eight.width == 0.5 && eight.height == 0.125)
        #expect(geometry.visibleSize(at: Zoom(factor: 8)) == (200, 200))
    }

    @Test("Forty steps lead from edge to edge at any factor, and further ones nowhere")
    func pans() {
        for geometry in Self.all {
            for factor in Self.factors {
                var zoom = geometry.clamped(Zoom(factor: factor, x: 1, y: 1))
                for _ in 0..<40 { zoom = geometry.panned(zoom, right: -1, down: -1) }
                let start = geometry.region(of: zoom)
                #expect(start.x == 0 && start.y == 0)
                for _ in 0..<40 { zoom = geometry.panned(zoom, right: 1, down: 1) }
                let end = geometry.region(of: zoom)
                #expect(abs(end.x + end.width - 1) < 1e-9 && abs(end.y + end.height - 1) < 1e-9)
                #expect(geometry.panned(zoom, right: 1, down: 1) == zoom)
            }
        }
    }

    @Test("A point under the pointer stays in its place")
    func pointer() {
        let geometry = ZoomGeometry(
            picture: PixelSize(width: 400, height: 300), box: PixelSize(width: 80, height: 60))
        let zoom = Zoom(factor: 4, x: 0.5, y: 0.5)
        let closer = geometry.changed(zoom, to: 8, around: (x: 20, y: -15))
        // 20 of 80 pixels beside the centre: a sixteenth of the picture before, half as much afterwards.
        #expect(closer == Zoom(factor: 8, x: 0.53125, y: 0.46875))
        #expect(geometry.changed(closer, to: 4, around: (x: 20, y: -15)) == zoom)
    }

    @Test("One pixel a pixel needs the picture's size")
    func pixels() throws {
        for picture in Self.pictures.compactMap(\.self) {
            for box in Self.boxes {
                let geometry = ZoomGeometry(picture: picture, box: box)
                let factor = try #require(geometry.pixelFactor)
                let zoom = geometry.changed(.fit, to: factor)
                let needed = geometry.neededSize(at: zoom)
                #expect(abs(needed.width - picture.width) <= 1 && abs(needed.height - picture.height) <= 1)
            }
        }
        #expect(ZoomGeometry(picture: nil, box: Self.boxes[0]).pixelFactor == nil)
    }
}
