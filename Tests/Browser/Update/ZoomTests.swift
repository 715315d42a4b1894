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
    private func cell(_ state: BrowserState, column: Int, row: Int) -> CellPosition {
        let area = state.detailGeometry.picture ?? CellArea(columns: 0, rows: 0)
        return CellPosition(column: area.column + column, row: area.row + row)
    }

    private func mouse(_ kind: MouseEvent.Kind, _ position: CellPosition) -> BrowserEvent {
        .input(.mouse(MouseEvent(kind, at: position)))
    }

    @Test("Three + enlarge at least 1.5 times; 0 and three - lead back to fit")
    func keys() {
        var state = BrowserState.detailing()
        let whole = state.requests.visible
        state.press("+=+")
        #expect((state.detail?.zoom.factor ?? 0) >= 1.5)
        state.press("0")
        #expect(state.detail?.zoom == .fit && state.requests.visible == whole)
        state.press("++---")
        #expect(state.detail?.zoom == .fit && state.requests.visible == whole)
    }

    @Test("1 shows a pixel of the picture as a pixel of the screen")
    func pixels() throws {
        var state = BrowserState.detailing()
        state.press("1")
        #expect(state.zoomPercent == 100)
        let key = try #require(state.requests.visible.first?.key)
        let box = SymbolSet.half.pixelBox(for: key.box)
        let area = key.region.area(in: PixelSize(width: 4000, height: 2666))
        #expect(abs(area.size.width - box.width) <= 1 && abs(area.size.height - box.height) <= 1)
        #expect(name(state.requests.visible.first) == "0~orig.jpg")
    }

    @Test("Forty presses of an arrow reach the edge, with letters, too")
    func edges() {
        for keys: [Key.Code] in [
            [.left, .up, .right, .down], [.character("h"), .character("k"), .character("l"), .character("j")],
        ] {
            for start in ["+", "+++", "1", "++++++++++++++++++++++++++++++"] {
                var state = BrowserState.detailing()
                state.press(start)
                let selected = state.list?.selected
                for (index, key) in keys.enumerated() {
                    for _ in 0..<40 { state.press(key) }
                    guard let region = state.requests.visible.first?.key.region else { return #expect(Bool(false)) }
                    switch index {
                    case 0: #expect(region.x == 0)
                    case 1: #expect(region.y == 0)
                    case 2: #expect(abs(region.x + region.width - 1) < 1e-9)
                    default: #expect(abs(region.y + region.height - 1) < 1e-9)
                    }
                }
                #expect(state.list?.selected == selected && state.detail?.scroll == 0)
            }
        }
    }

    @Test("An arrow to the right shows what is to the right, also right-to-left")
    func physical() {
        for language in [Language.english, .arabic] {
            var state = BrowserState.listing()
            state.preferences.language = language
            state.press("\r+++")
            let before = state.requests.visible.first?.key.region.x ?? 0
            state.press(.right)
            #expect((state.requests.visible.first?.key.region.x ?? 0) > before)
            #expect(state.detail?.position == 0)
        }
    }

    @Test("Factor and position stay over next and previous; Escape ends them")
    func neighbours() {
        var state = BrowserState.detailing()
        state.press("++")
        state.press(.right)
        let zoom = state.detail?.zoom
        let region = state.requests.visible.first?.key.region
        state.press("n")
        #expect(state.detail?.zoom == zoom && state.requests.visible.first?.key.region == region)
        #expect(state.detail?.position == 1)
        state.press("p")
        #expect(state.detail?.zoom == zoom && state.detail?.position == 0)
        state.press("\u{1B}\r")
        #expect(state.detail?.zoom == .fit)
    }

    @Test("The whole photo is near, for a coarse frame; neighbours are requested whole")
    func requests() throws {
        var state = BrowserState.detailing()
        let whole = try #require(state.requests.visible.first)
        let ahead = state.requests.ahead
        state.press("+")
        let zoomed = try #require(state.requests.visible.first)
        #expect(state.requests.visible.count == 1)
        #expect(zoomed.key.region != .whole && zoomed.key.box == state.detailGeometry.box && zoomed.key.isFull)
        #expect(zoomed.coarse == [whole.key] + whole.coarse)
        #expect(state.requests.near.first == whole)
        #expect(state.requests.ahead == ahead)
    }

    @Test("A larger file is requested once the smaller one has no more to give, at last the original")
    func files() {
        var state = BrowserState.detailing()
        var names: [Substring] = []
        for _ in 0..<20 {
            if let name = name(state.requests.visible.first), names.last != name { names.append(name) }
            state.press("+")
        }
        #expect(names == ["0~thumb.jpg", "0~medium.jpg", "0~orig.jpg"])
    }

    @Test("An original of unknown size follows the largest known file")
    func unknownOriginal() throws {
        var photo = samplePhoto(0)
        photo.renditions = photo.renditions.map { rendition in
            rendition.rel == "canonical" ? Rendition(rendition.address, rel: "canonical") : rendition
        }
        let size = PixelSize(width: 801, height: 900)
        #expect(photo.rendition(enlargedTo: size, except: [])?.address == photo.original)
        let lost = try #require(photo.rendition(enlargedTo: size, except: []))
        #expect(photo.rendition(enlargedTo: size, except: [lost])?.address?.path == "/0~medium.jpg")
    }

    @Test("Beyond the maximum, + changes nothing")
    func maximum() {
        var state = BrowserState.detailing()
        for _ in 0..<60 { state.press("+") }
        let requests = state.requests
        #expect(state.press("+").isEmpty && state.requests == requests)
    }

    @Test("The last frame stays until the first one of the next region comes")
    func held() throws {
        var state = BrowserState.detailing()
        let whole = try #require(state.requests.visible.first?.key)
        _ = state.update(.picture(whole, .shown(.sample, isFinal: true, isStale: false)))
        state.press("+")
        let zoomed = try #require(state.requests.visible.first?.key)
        #expect(state.pictures[zoomed] == .shown(.sample, isFinal: false, isStale: false))
        #expect(state.pictures[whole] == .shown(.sample, isFinal: true, isStale: false))
        state.press("n")
        let next = try #require(state.requests.visible.first?.key)
        #expect(state.pictures[next] == .loading)
    }

    @Test("A failed original is named, and the next smaller file is requested")
    func failed() throws {
        var state = BrowserState.detailing()
        state.press("1")
        let key = try #require(state.requests.visible.first?.key)
        _ = state.update(.picture(key, .failed(.tooLarge)))
        #expect(state.notice == .cannotEnlarge(.tooLarge))
        #expect(name(state.requests.visible.first) == "0~medium.jpg")
        #expect(state.requests.visible.first?.key.region == key.region)
    }

    @Test("A part that fails leaves the whole photo as it is")
    func failedPart() throws {
        var remote = BrowserState.detailing()
        remote.press("1")
        let part = try #require(remote.requests.visible.first?.key)
        _ = remote.update(.picture(part, .failed(.damaged)))
        #expect(remote.requests.visible.first?.key.source != part.source && remote.lostRenditions.isEmpty)

        var local = BrowserState.detailing()
        var photo = samplePhoto(0)
        photo.file = LocalFile.example(Array("/1.jpg".utf8), isFolder: false)
        _ = local.details(of: photo)
        let file = try #require(local.requests.visible.first?.key)
        _ = local.update(.picture(file, .shown(.sample, isFinal: true, isStale: false)))
        local.press("+")
        let zoomed = try #require(local.requests.visible.first?.key)
        #expect(zoomed.region != .whole && zoomed.source == file.source)
        _ = local.update(.picture(zoomed, .failed(.outOfMemory)))
        #expect(local.notice == .cannotEnlarge(.outOfMemory))
        for _ in 0..<2 {
            #expect(local.requests.visible.map(\.key) == [file] && local.zoomPercent == nil)
            #expect(local.detail.map(local.isBroken) == false)
            local.press(.right)
        }
        local.press("r")
        #expect(local.requests.visible.first?.key.region != .whole)
    }

    @Test("Coarse frames of other files keep what is known of the original")
    func coarseFacts() throws {
        var state = BrowserState.detailing()
        var photo = samplePhoto(0)
        photo.renditions = photo.renditions.map { Rendition($0.address, rel: $0.rel) }
        _ = state.details(of: photo)
        state.press("+++")
        let key = try #require(state.requests.visible.first?.key)
        let facts = PictureFacts(size: PixelSize(width: 4000, height: 3000))
        _ = state.update(.picture(key, .shown(.sample, facts, isFinal: true, isStale: false)))
        let percent = try #require(state.zoomPercent)
        for _ in 0..<3 {
            state.press(.right)
            let next = try #require(state.requests.visible.first?.key)
            _ = state.update(.picture(next, .shown(.sample, isFinal: false, isStale: false)))
            #expect(state.pictures[next]?.facts?.size == facts.size)
            #expect(state.zoomPercent == percent)
        }
    }

    @Test("At any enlargement, the size on the screen stays while panning")
    func constantSize() throws {
        let picture = PixelSize(width: 4000, height: 2666)
        let small = PixelBuffer(size: PixelSize(width: 40, height: 27))
        for steps in [1, 5, 12, 60] {
            var state = BrowserState.detailing()
            let whole = try #require(state.requests.visible.first?.key)
            for _ in 0..<steps { state.press("+") }
            let renderer = CellRenderer(state.traits)
            var sharp: Set<PixelSize> = []
            var coarse: Set<PixelSize> = []
            for step in 0..<12 {
                let key = try #require(state.requests.visible.first?.key)
                sharp.insert(renderer.target(for: key).size(for: key.region.area(in: picture).size))
                let image = renderer.enlarged(small, of: whole, for: key)
                coarse.insert(PixelSize(width: image.columns, height: image.rows))
                state.press(step < 6 ? .down : .right)
            }
            let size = try #require(sharp.first)
            #expect(sharp.count == 1, "\(steps)")
            // Half-blocks.
            #expect(coarse == [PixelSize(width: size.width, height: (size.height + 1) / 2)], "\(steps)")
        }
    }

    @Test("The size of the original comes first, then what has arrived, until its first final image")
    func progress() throws {
        var state = BrowserState.detailing()
        var photo = samplePhoto(0)
        photo.renditions = photo.renditions.map {
            Rendition($0.address, width: $0.width, height: $0.height, bytes: 12_000_000, rel: $0.rel)
        }
        _ = state.details(of: photo)
        _ = state.update(.transfers(1))
        state.press("+")
        #expect(state.originalTransfer == nil)
        state.press("1")
        let key = try #require(state.requests.visible.first?.key)
        func header(_ state: BrowserState) -> Substring? {
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

    @Test("A decoded file tells the picture's size")
    func decodedSize() throws {
        var state = BrowserState.detailing()
        var photo = samplePhoto(0)
        photo.renditions = photo.renditions.map { Rendition($0.address, rel: $0.rel) }
        _ = state.details(of: photo)
        let whole = try #require(state.requests.visible.first?.key)
        let facts = PictureFacts(size: PixelSize(width: 3000, height: 2000))
        _ = state.update(.picture(whole, .shown(.sample, facts, isFinal: true, isStale: false)))
        state.press("1")
        let key = try #require(state.requests.visible.first?.key)
        let box = SymbolSet.half.pixelBox(for: key.box)
        #expect(abs(key.region.width * 3000 - Double(min(box.width, 3000))) < 1)
    }

    @Test("The wheel over the picture zooms around the pointer, over the text it scrolls")
    func wheel() throws {
        var state = BrowserState.detailing()
        let corner = cell(state, column: 0, row: 0)
        for _ in 0..<6 { _ = state.update(mouse(.wheelUp, corner)) }
        let region = try #require(state.requests.visible.first?.key.region)
        #expect(region.width < 0.5 && region.x < 0.05 && region.y < 0.05)
        for _ in 0..<6 { _ = state.update(mouse(.wheelDown, corner)) }
        #expect(state.detail?.zoom == .fit)
        let text = try #require(state.detailGeometry.text)
        _ = state.update(mouse(.wheelUp, CellPosition(column: text.column, row: text.row)))
        #expect(state.detail?.zoom == .fit)
    }

    @Test("Dragging moves the picture with the pointer, from where the button went down")
    func drag() throws {
        var state = BrowserState.detailing()
        state.press("1")
        let before = try #require(state.requests.visible.first?.key.region)
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

    @Test("A drag that began on the text moves nothing")
    func textDrag() throws {
        var state = BrowserState.detailing()
        state.press("1")
        let text = try #require(state.detailGeometry.text)
        _ = state.update(mouse(.press(.left), CellPosition(column: text.column, row: text.row)))
        #expect(state.update(mouse(.drag(.left), cell(state, column: 20, row: 10))).isEmpty)
    }

    @Test("A video, a photo without files and a screen without images have nothing to enlarge")
    func nothing() {
        var video = samplePhoto(0)
        video.mediaType = .video
        for photo in [video, Photo(id: "x", source: "nasa")] {
            var state = BrowserState.fresh()
            _ = state.update(.started(search: "x", at: .first))
            var page = answer(0..<1, first: 0, of: 1)
            page.photos = [photo]
            _ = state.update(.page(generation: 1, .next, .success(page)))
            state.press("\r+++1")
            #expect(state.detail?.zoom == .fit && state.zoomPercent == nil)
        }
        var plain = BrowserState.listing { $0.showsImages = false }
        plain.press("\r+")
        #expect(plain.detail?.zoom == .fit)
    }

    @Test("A photo of unknown size is enlarged, too")
    func unknownSize() throws {
        var state = BrowserState.detailing()
        var photo = samplePhoto(0)
        photo.renditions = photo.renditions.map { Rendition($0.address, rel: $0.rel) }
        _ = state.details(of: photo)
        state.press("++")
        let region = try #require(state.requests.visible.first?.key.region)
        #expect(abs(region.width - 1 / 2.25) < 1e-9 && abs(region.height - 1 / 2.25) < 1e-9)
        #expect(name(state.requests.visible.first) == "0~orig.jpg")
    }

    @Test("A larger screen shows more of the picture, at the same factor")
    func resized() throws {
        var state = BrowserState.detailing()
        state.press("++++")
        let zoom = state.detail?.zoom
        _ = state.update(.resized(CellSize(clamping: 200, 60), cellPixels: nil))
        #expect(state.detail?.zoom == zoom)
        #expect(state.requests.visible.first?.key.box == state.detailGeometry.box)
    }

    /// A folder whose thumbnails and whole photos have come, with the second of four photos over the whole screen.
    private func localPhotos() -> BrowserState {
        var state = BrowserState.browsing(ExampleFolder(folders: 0, pictures: 4), columns: 120, rows: 40)
        deliver(to: &state)
        state.press("j\rf")
        deliver(to: &state)
        return state
    }

    /// Delivers the images that are requested, as those in memory come.
    private func deliver(to state: inout BrowserState) {
        let facts = PictureFacts(size: PixelSize(width: 6000, height: 4000))
        for request in state.requests.visible + state.requests.near {
            _ = state.update(.picture(request.key, .shown(.sample, facts, isFinal: true, isStale: false)))
        }
    }

    @Test("An enlarged photo has all columns and all rows but the fewest lines of text", arguments: [0.3, 1, 1.5, 6])
    func area(ratio: Double) throws {
        var state = BrowserState.browsing(ExampleFolder(folders: 0, pictures: 1), columns: 120, rows: 40)
        state.press("\r")
        let facts = PictureFacts(size: PixelSize(width: Int(ratio * 3000), height: 3000))
        let first = try #require(state.requests.visible.first?.key)
        _ = state.update(.picture(first, .shown(.sample, facts, isFinal: true, isStale: false)))
        let (layout, whole) = (state.detailGeometry, try #require(state.requests.visible.first?.key))
        _ = state.update(.picture(whole, .shown(.sample, facts, isFinal: true, isStale: false)))
        state.press("+")
        let area = try #require(state.detailGeometry.picture)
        let text = try #require(state.detailGeometry.text)
        #expect(area.column == 0 && area.columns == 120 && area.row == 2 && area.endRow == text.row)
        #expect(text.endRow == 39 && text.rows < 5 && area != layout.picture)
        #expect(state.requests.near.first?.key == whole)
        let key = try #require(state.requests.visible.first?.key)
        #expect(state.pictures[key] == .shown(.sample, facts, isFinal: false, isStale: false))
        state.press("-")
        #expect(state.detailGeometry == layout && state.requests.visible.first?.key == whole)
    }

    @Test("The requested part is the drawn one once the size is known", arguments: [["n", "p"], ["p", "n"]])
    func returned(keys: [String]) throws {
        var state = localPhotos()
        state.press("+++")
        for key in [""] + keys {
            state.press(key)
            for _ in 0..<2 {
                let photo = try #require(state.list?.photo(at: state.list?.selected ?? 0))
                let shown = try state.zoomedKey(of: photo, in: #require(state.detail))
                #expect(shown != nil && state.requests.visible.map(\.key) == [shown])
                deliver(to: &state)
            }
        }
    }

    @Test("The part of a photo of unknown size follows its first frame")
    func learned() throws {
        var state = BrowserState.browsing(ExampleFolder(folders: 0, pictures: 2), columns: 120, rows: 40)
        state.press("\rf++")
        let before = try #require(state.requests.visible.first?.key)
        let facts = PictureFacts(size: PixelSize(width: 6000, height: 1000))
        let effects = state.update(.picture(before, .shown(.sample, facts, isFinal: false, isStale: false)))
        let after = try #require(effects.requests?.visible.first?.key)
        #expect(after.region != before.region)
        #expect(state.pictures[after] == .shown(.sample, facts, isFinal: false, isStale: false))
        let coarse = PictureFacts(size: PixelSize(width: 300, height: 60))
        let later = state.update(.picture(after, .shown(.sample, coarse, isFinal: false, isStale: false)))
        #expect(later.requests == nil, "A smaller size changes nothing")
    }
}
