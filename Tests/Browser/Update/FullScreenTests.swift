import SpyglassCatalog
import SpyglassFetching
import SpyglassFiles
import SpyglassPixels
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("Full screen and text")
struct FullScreenTests {
    @Test("f opens it, f and Escape lead back to where it was opened")
    func opens() {
        for leave in ["f", "\u{1B}"] {
            for start in ["", "v", "\r"] {
                var state = AppState.listing()
                state.press("j" + start)
                let (before, place) = (state.top, state.detailPosition)
                state.press("f")
                #expect(state.detail?.isFullScreen == true && state.detailPosition == 1)
                state.press(leave)
                #expect(state.detail?.isFullScreen != true && state.detailPosition == place)
                if start != "\r" { #expect(state.top == before) }
            }
        }
    }

    @Test("Arrows, pages, n and p turn to other photos")
    func turns() {
        var state = AppState.listing()
        state.press("f")
        let codes: [Key.Code] = [
            .down, .right, .pageDown, .character("n"), .up, .left, .pageUp, .character("p"), .up, .down, .home,
        ]
        let positions = state.values(after: codes) { [$0.detailPosition, $0.selected] }
        let expected: [Int?] = [1, 2, 3, 4, 3, 2, 1, 0, 0, 1, 0]
        #expect(positions == expected.map { [$0, $0] })
        state.press("\u{1B}")
        #expect(state.top == .list && state.selected == 0)
    }

    @Test("The line has title, position and keys, until nothing was pressed for a while")
    func line() {
        var state = AppState.listing()
        #expect(state.press("f").contains(.timer(.line, .seconds(2))))
        let line = state.lastRow
        #expect(line.contains("Photo 0") && line.contains("1 of 10,000") && line.contains("Esc back"))
        #expect(state.update(.timedOut(.line)).isEmpty && state.lastRow.allSatisfy { $0 == " " })
        #expect(!state.update(.input(.reply(.status))).contains(.timer(.line, .seconds(2))))
        #expect(state.lastRow.allSatisfy { $0 == " " })
        #expect(state.press("n").contains(.timer(.line, .seconds(2))) && state.lastRow.contains("Photo 1"))
    }

    @Test("A notice is shown over the whole screen, and leaves with the line")
    func notice() {
        var state = AppState.listing()
        state.press("f")
        _ = state.update(.timedOut(.line))
        #expect(state.update(.notice(.opened("page"))).contains(.timer(.line, .seconds(2))))
        #expect(state.lastRow.contains("page"))
        _ = state.update(.timedOut(.line))
        #expect(state.lastRow.allSatisfy { $0 == " " } && state.notice == nil)
    }

    @Test("Tab shows the text instead of the picture; Tab and Escape lead back")
    func text() throws {
        for leave in [Key.Code.tab, .escape] {
            var state = ExampleStates(.example(80, 24)).detail()
            let box = try #require(state.detailGeometry.box)
            #expect(state.lastRow.contains("Tab text only"))
            state.press(.tab)
            #expect(state.lastRow.contains("Tab picture"))
            #expect(state.detail?.showsText == true && state.detailGeometry.picture == nil)
            #expect(state.detailGeometry.box == box && state.firstKey.box == box)
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
        func deliver(_ width: Int, _ height: Int) -> PictureRequests? {
            state.show(state.firstKey, PictureFacts(size: PixelSize(width: width, height: height))).requests
        }
        let before = state.visible.first?.key.box
        #expect(deliver(1, 2)?.visible.first?.key.box != before && state.detailGeometry.isBeside)
        #expect(deliver(2, 1) == nil && state.detailGeometry.isBeside)
    }

    @Test("A local file of another shape in the place of the first changes the layout")
    func replacedFile() throws {
        var folder = ExampleFolder(folders: 0, pictures: 1).answer
        var state = AppState.browsing(ExampleFolder(folders: 0, pictures: 1), columns: 120, rows: 40)
        state.press("\r")
        func deliver(_ width: Int, _ height: Int) {
            state.show(state.firstKey, PictureFacts(size: PixelSize(width: width, height: height)))
        }
        deliver(1000, 1000)
        let square = state.detailGeometry
        let status = try Folder.working.status(of: "/proc/self/stat", followingLinks: true)
        folder.photos[0].file = LocalFile(Array(folder.photos[0].id.utf8), status)
        #expect(folder.photos[0].file != state.list?.photos.first?.file)
        _ = state.update(.folderChanged())
        state.deliver(folder)
        #expect(state.detail != nil && state.detailGeometry == square, "The shape stays until the new one is known")
        deliver(4000, 1000)
        #expect(state.detail?.ratio == 4 && state.detailGeometry != square)
        #expect(state.firstKey.box == state.detailGeometry.box)
    }
}
