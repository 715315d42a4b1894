import SpyglassCatalog
import SpyglassFetching
import SpyglassFiles
import SpyglassPixels
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("Full screen and text")
struct FullScreenTests {
    private func lastRow(_ state: AppState) -> String {
        BrowserView.frame(of: state).grid.text(ofRow: state.traits.size.rows - 1)
    }

    @Test("f opens it, f and Escape lead back to where it was opened")
    func opens() {
        for leave in ["f", "\u{1B}"] {
            for start in ["", "v", "\r"] {
                var state = AppState.listing()
                state.press("j" + start)
                let (before, place) = (state.top, state.detail?.position)
                state.press("f")
                #expect(state.detail?.isFullScreen == true && state.detail?.position == 1)
                state.press(leave)
                #expect(state.detail?.isFullScreen != true && state.detail?.position == place)
                if start != "\r" { #expect(state.top == before) }
            }
        }
    }

    @Test("Arrows, pages, n and p turn to other photos")
    func turns() {
        var state = AppState.listing()
        state.press("f")
        for (code, position) in [
            (Key.Code.down, 1), (.right, 2), (.pageDown, 3), (.character("n"), 4), (.up, 3),
            (.left, 2), (.pageUp, 1), (.character("p"), 0), (.up, 0), (.down, 1), (.home, 0),
        ] {
            state.press(code)
            #expect(state.detail?.position == position && state.list?.selected == position)
        }
        state.press("\u{1B}")
        #expect(state.top == .list && state.list?.selected == 0)
    }

    @Test("The line has title, position and keys, until nothing was pressed for a while")
    func line() {
        var state = AppState.listing()
        #expect(state.press("f").contains(.timer(.line, .seconds(2))))
        let line = lastRow(state)
        #expect(line.contains("Photo 0") && line.contains("1 of 10,000") && line.contains("Esc back"))
        #expect(state.update(.timedOut(.line)).isEmpty)
        #expect(lastRow(state).allSatisfy { $0 == " " })
        #expect(!state.update(.input(.reply(.status))).contains(.timer(.line, .seconds(2))))
        #expect(lastRow(state).allSatisfy { $0 == " " })
        #expect(state.press("n").contains(.timer(.line, .seconds(2))))
        #expect(lastRow(state).contains("Photo 1"))
    }

    @Test("A notice is shown over the whole screen, and leaves with the line")
    func notice() {
        var state = AppState.listing()
        state.press("f")
        _ = state.update(.timedOut(.line))
        #expect(state.update(.notice(.opened("page"))).contains(.timer(.line, .seconds(2))))
        #expect(lastRow(state).contains("page"))
        _ = state.update(.timedOut(.line))
        #expect(lastRow(state).allSatisfy { $0 == " " } && state.notice == nil)
    }

    @Test("Tab shows the text instead of the picture; Tab and Escape lead back")
    func text() throws {
        for leave in [Key.Code.tab, .escape] {
            var state = ExampleStates(.example(80, 24)).detail()
            let box = try #require(state.detailGeometry.box)
            #expect(lastRow(state).contains("Tab text only"))
            state.press(.tab)
            #expect(lastRow(state).contains("Tab picture"))
            #expect(state.detail?.showsText == true && state.detailGeometry.picture == nil)
            #expect(state.detailGeometry.box == box && state.images.requests.visible.first?.key.box == box)
            state.press("j")
            #expect(state.detail?.scroll == 1)
            state.press(leave)
            #expect(state.detail?.showsText == false && state.detail?.scroll == 0)
            #expect(state.detailGeometry.picture != nil)
        }
    }

    @Test("The picture's shape changes the layout once")
    func shape() throws {
        var state = AppState.fresh()
        _ = state.update(.started(search: "x", at: .first))
        var page = answer(0..<3, first: 0, of: 3)
        page.photos[0].renditions = []
        page.photos[0].description = "A text that is not in one line with the facts."
        _ = state.update(.page(generation: 1, .next, .success(page)))
        state.press("\r")
        #expect(state.detail?.ratio == nil && state.detailGeometry.covered?.columns == 84)
        func deliver(_ width: Int, _ height: Int) throws -> PictureRequests? {
            let key = try #require(state.images.requests.visible.first?.key)
            let facts = PictureFacts(size: PixelSize(width: width, height: height))
            return state.update(.picture(key, .shown(.sample, facts, isFinal: true, isStale: false))).requests
        }
        let before = state.images.requests.visible.first?.key.box
        #expect(try deliver(1, 2)?.visible.first?.key.box != before)
        #expect(state.detailGeometry.isBeside)
        #expect(try deliver(2, 1) == nil && state.detailGeometry.isBeside)
    }

    @Test("A local file of another shape in the place of the first changes the layout")
    func replacedFile() throws {
        var folder = ExampleFolder(folders: 0, pictures: 1).answer
        var state = AppState.browsing(ExampleFolder(folders: 0, pictures: 1), columns: 120, rows: 40)
        state.press("\r")
        func deliver(_ width: Int, _ height: Int) throws {
            let key = try #require(state.images.requests.visible.first?.key)
            let facts = PictureFacts(size: PixelSize(width: width, height: height))
            _ = state.update(.picture(key, .shown(.sample, facts, isFinal: true, isStale: false)))
        }
        try deliver(1000, 1000)
        let square = state.detailGeometry
        let status = try Folder.working.status(of: "/proc/self/stat", followingLinks: true)
        folder.photos[0].file = LocalFile(Array(folder.photos[0].id.utf8), status)
        #expect(folder.photos[0].file != state.list?.photos.first?.file)
        _ = state.update(.folderChanged())
        state.deliver(folder)
        #expect(state.detail != nil && state.detailGeometry == square, "The shape stays until the new one is known")
        try deliver(4000, 1000)
        #expect(state.detail?.ratio == 4 && state.detailGeometry != square)
        #expect(state.images.requests.visible.first?.key.box == state.detailGeometry.box)
    }
}
