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
        let whole = state.images.requests.visible
        state.press("+=+")
        #expect((state.detail?.zoom.factor ?? 0) >= 1.5)
        state.press("0")
        #expect(state.detail?.zoom == .fit && state.images.requests.visible == whole)
        state.press("++---")
        #expect(state.detail?.zoom == .fit && state.images.requests.visible == whole)
    }

    @Test("1 shows a pixel of the picture as a pixel of the screen")
    func pixels() throws {
        var state = AppState.detailing()
        state.press("1")
        #expect(state.zoomPercent == 100)
        let key = try #require(state.images.requests.visible.first?.key)
        let box = SymbolSet.half.pixelBox(for: key.box)
        let area = key.region.area(in: PixelSize(width: 4000, height: 2666))
        #expect(abs(area.size.width - box.width) <= 1 && abs(area.size.height - box.height) <= 1)
        #expect(name(state.images.requests.visible.first) == "0~orig.jpg")
    }

    @Test("An arrow to the right shows what is to the right, also right-to-left")
    func physical() {
        for language in [Language.english, .arabic] {
            var state = AppState.listing()
            state.preferences.language = language
            state.press("\r+++")
            let before = state.images.requests.visible.first?.key.region.x ?? 0
            state.press(.right)
            #expect((state.images.requests.visible.first?.key.region.x ?? 0) > before)
            #expect(state.detail?.position == 0)
        }
    }

    @Test("Factor and position stay over next and previous; Escape ends them")
    func neighbours() {
        var state = AppState.detailing()
        state.press("++")
        state.press(.right)
        let zoom = state.detail?.zoom
        let region = state.images.requests.visible.first?.key.region
        state.press("n")
        #expect(state.detail?.zoom == zoom && state.images.requests.visible.first?.key.region == region)
        #expect(state.detail?.position == 1)
        state.press("p")
        #expect(state.detail?.zoom == zoom && state.detail?.position == 0)
        state.press("\u{1B}\r")
        #expect(state.detail?.zoom == .fit)
    }

    @Test("The whole photo is near, for a coarse frame; neighbours are requested whole")
    func requests() throws {
        var state = AppState.detailing()
        let whole = try #require(state.images.requests.visible.first)
        let ahead = state.images.requests.ahead
        state.press("+")
        let zoomed = try #require(state.images.requests.visible.first)
        #expect(state.images.requests.visible.count == 1)
        #expect(zoomed.key.region != .whole && zoomed.key.box == state.detailGeometry.box && zoomed.key.isFull)
        #expect(zoomed.coarse == [whole.key] + whole.coarse)
        #expect(state.images.requests.near.first == whole)
        #expect(state.images.requests.ahead == ahead)
    }

    @Test("A larger file is requested once the smaller one has no more to give, at last the original")
    func files() {
        var state = AppState.detailing()
        var names: [Substring] = []
        for _ in 0..<20 {
            if let name = name(state.images.requests.visible.first), names.last != name { names.append(name) }
            state.press("+")
        }
        #expect(names == ["0~thumb.jpg", "0~medium.jpg", "0~orig.jpg"])
    }

    @Test("The last frame stays until the first one of the next region comes")
    func held() throws {
        var state = AppState.detailing()
        let whole = try #require(state.images.requests.visible.first?.key)
        _ = state.update(.picture(whole, .shown(.sample, isFinal: true, isStale: false)))
        state.press("+")
        let zoomed = try #require(state.images.requests.visible.first?.key)
        #expect(state.images.pictures[zoomed] == .shown(.sample, isFinal: false, isStale: false))
        #expect(state.images.pictures[whole] == .shown(.sample, isFinal: true, isStale: false))
        state.press("n")
        let next = try #require(state.images.requests.visible.first?.key)
        #expect(state.images.pictures[next] == .loading)
    }

    @Test("A failed original is named, and the next smaller file is requested")
    func failed() throws {
        var state = AppState.detailing()
        state.press("1")
        let key = try #require(state.images.requests.visible.first?.key)
        _ = state.update(.picture(key, .failed(.tooLarge)))
        #expect(state.notice == .cannotEnlarge(.tooLarge))
        #expect(name(state.images.requests.visible.first) == "0~medium.jpg")
        #expect(state.images.requests.visible.first?.key.region == key.region)
    }

    @Test("A part that fails leaves the whole photo as it is")
    func failedPart() throws {
        var remote = AppState.detailing()
        remote.press("1")
        let part = try #require(remote.images.requests.visible.first?.key)
        _ = remote.update(.picture(part, .failed(.damaged)))
        #expect(remote.images.requests.visible.first?.key.source != part.source && remote.images.lostRenditions.isEmpty)

        var local = AppState.detailing()
        var photo = samplePhoto(0)
        photo.file = LocalFile.example(Array("/1.jpg".utf8), isFolder: false)
        _ = local.details(of: photo)
        let file = try #require(local.images.requests.visible.first?.key)
        _ = local.update(.picture(file, .shown(.sample, isFinal: true, isStale: false)))
        local.press("+")
        let zoomed = try #require(local.images.requests.visible.first?.key)
        #expect(zoomed.region != .whole && zoomed.source == file.source)
        _ = local.update(.picture(zoomed, .failed(.outOfMemory)))
        #expect(local.notice == .cannotEnlarge(.outOfMemory))
        for _ in 0..<2 {
            #expect(local.images.requests.visible.map(\.key) == [file] && local.zoomPercent == nil)
            #expect(local.detail.map(local.isBroken) == false)
            local.press(.right)
        }
        local.press("r")
        #expect(local.images.requests.visible.first?.key.region != .whole)
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
        let key = try #require(state.images.requests.visible.first?.key)
        func header(_ state: AppState) -> Substring? {
            BrowserView.frame(of: state).grid.description.split(separator: "\n").first
        }
        #expect(header(state)?.contains("Original: 12 MB") == true && header(state)?.contains("100 %") == true)
        _ = state.update(.progress(key, BodyProgress(received: 4_800_000, total: 12_000_000)))
        #expect(header(state)?.contains("Original: 12 MB, 40 %") == true)
        _ = state.update(.picture(key, .shown(.sample, isFinal: true, isStale: false)))
        #expect(header(state)?.contains("Original") == false && header(state)?.contains("100 %") == true)
        state.press("0")
        #expect(header(state)?.contains("%") == false)
    }

    @Test("The wheel over the picture zooms around the pointer, over the text it scrolls")
    func wheel() throws {
        var state = AppState.detailing()
        let corner = cell(state, column: 0, row: 0)
        for _ in 0..<6 { _ = state.update(mouse(.wheelUp, corner)) }
        let region = try #require(state.images.requests.visible.first?.key.region)
        #expect(region.width < 0.5 && region.x < 0.05 && region.y < 0.05)
        for _ in 0..<6 { _ = state.update(mouse(.wheelDown, corner)) }
        #expect(state.detail?.zoom == .fit)
        let text = try #require(state.detailGeometry.text)
        _ = state.update(mouse(.wheelUp, CellPosition(column: text.column, row: text.row)))
        #expect(state.detail?.zoom == .fit)
    }

    @Test("Dragging moves the picture with the pointer, from where the button went down")
    func drag() throws {
        var state = AppState.detailing()
        state.press("1")
        let before = try #require(state.images.requests.visible.first?.key.region)
        let start = cell(state, column: 20, row: 10)
        _ = state.update(mouse(.press(.left), start))
        let moved = CellPosition(column: start.column + 8, row: start.row - 3)
        let effects = state.update(mouse(.drag(.left), moved))
        let after = try #require(effects.requests?.visible.first?.key.region)
        // Half-blocks: 8 pixels to the right, 6 up, of 4000 x 2666.
        #expect(abs((before.x - after.x) * 4000 - 8) < 1e-6)
        #expect(abs((after.y - before.y) * 2666 - 6) < 1e-6)
        _ = state.update(mouse(.release(.left), moved))
        #expect(state.update(mouse(.drag(.left), start)).isEmpty)
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

    @Test("An enlarged photo has all columns and all rows but the fewest lines of text", arguments: [0.3, 1, 1.5, 6])
    func area(ratio: Double) throws {
        var state = AppState.browsing(ExampleFolder(folders: 0, pictures: 1), columns: 120, rows: 40)
        state.press("\r")
        let facts = PictureFacts(size: PixelSize(width: Int(ratio * 3000), height: 3000))
        let first = try #require(state.images.requests.visible.first?.key)
        _ = state.update(.picture(first, .shown(.sample, facts, isFinal: true, isStale: false)))
        let (layout, whole) = (state.detailGeometry, try #require(state.images.requests.visible.first?.key))
        _ = state.update(.picture(whole, .shown(.sample, facts, isFinal: true, isStale: false)))
        state.press("+")
        let area = try #require(state.detailGeometry.picture)
        let text = try #require(state.detailGeometry.text)
        #expect(area.column == 0 && area.columns == 120 && area.row == 2 && area.endRow == text.row)
        #expect(text.endRow == 39 && text.rows < 5 && area != layout.picture)
        #expect(state.images.requests.near.first?.key == whole)
        let key = try #require(state.images.requests.visible.first?.key)
        #expect(state.images.pictures[key] == .shown(.sample, facts, isFinal: false, isStale: false))
        state.press("-")
        #expect(state.detailGeometry == layout && state.images.requests.visible.first?.key == whole)
    }

    @Test("The part of a photo of unknown size follows its first frame")
    func learned() throws {
        var state = AppState.browsing(ExampleFolder(folders: 0, pictures: 2), columns: 120, rows: 40)
        state.press("\rf++")
        let before = try #require(state.images.requests.visible.first?.key)
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
