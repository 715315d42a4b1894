import SpyglassCatalog
import SpyglassFetching
import SpyglassPixels
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("Image requests")
struct PictureTests {
    private func numbers(_ requests: [PictureRequest]) -> [Int] {
        requests.compactMap { Int($0.key.address.path.dropFirst().prefix { $0 != "~" }) }
    }

    @Test("Order: selection, below, above; one screen near, one ahead")
    func order() throws {
        var state = AppState.listing()
        let screen = state.geometry.rowsInPart
        for _ in 0..<20 { state.press("j") }
        let list = try #require(state.list)
        let top = list.topRow
        #expect(numbers(state.visible) == Array(20..<top + screen) + Array(top..<20))
        #expect(
            numbers(state.near)
                == Array(top + screen..<top + 2 * screen) + (top - screen..<top).reversed())
        #expect(numbers(state.ahead) == Array(top + 2 * screen..<top + 3 * screen))
        state.press("k")
        #expect(numbers(state.near).first == top - 1)
        #expect(numbers(state.ahead) == (max(top - 2 * screen, 0)..<top - screen).reversed())
    }

    @Test("Images stay in memory while visible or near; others are dropped")
    func places() throws {
        var state = AppState.listing()
        let key = state.firstKey
        #expect(state.images.pictures[key] == .loading)
        state.show(key)
        #expect(state.images.pictures[key] == .sample)
        for _ in 0..<40 { state.press("j") }
        #expect(state.images.pictures[key] == nil)
        state.fail(key, .timedOut)
        #expect(state.images.pictures[key] == nil)
        #expect(state.images.pictures.count == state.visible.count + state.near.count)
    }

    @Test("A failed image is requested again once it has left the screen")
    func failed() throws {
        var state = AppState.listing()
        let request = try #require(state.visible.first)
        let effects = state.update(.picture(request.key, .failed(.notFound)))
        #expect(effects.requests?.visible.contains(request) == false)
        state.press("j")
        #expect(state.images.pictures[request.key] == .failed(.notFound))
        // One screen down it is near, but not visible.
        state.press(.pageDown)
        #expect(state.images.pictures[request.key] == .failed(.notFound) && !state.near.contains(request))
        state.press(.home)
        #expect(state.images.pictures[request.key] == .loading && state.visible.contains(request))
    }

    @Test("A complete image stays during its revalidation")
    func coarse() throws {
        var state = AppState.listing()
        let key = state.firstKey
        _ = state.update(.picture(key, .coarse))
        _ = state.update(.picture(key, .shown(.sample, isFinal: true, isStale: true)))
        state.press("r")
        _ = state.update(.picture(key, .coarse))
        #expect(state.images.pictures[key] == .shown(.sample, isFinal: true, isStale: true))
        #expect(state.visible.first?.revalidates == true)
        state.show(key)
        #expect(state.images.pictures[key] == .sample && state.visible.first?.revalidates == false)
    }

    @Test("An overlay keeps the list's requests, the home screen has none")
    func overlays() {
        var state = AppState.listing()
        let requests = state.images.requests
        for keys in ["/", "\u{1B}?", "\u{1B},", "\u{1B}s"] {
            state.press(keys)
            #expect(state.images.requests == requests, "after \(keys)")
        }
        state.press("\u{1B}\u{1B}")
        #expect(state.images.requests == PictureRequests() && state.images.pictures.isEmpty)
    }

    @Test("In detail: large image first, then its neighbours and the list near")
    func detail() throws {
        var state = AppState.listing()
        state.press("j")
        let thumbnail = state.firstKey
        let visible = Set(state.visible.map(\.key))
        state.press("\r")
        let request = try #require(state.visible.first)
        let box = try #require(state.detailGeometry.box)
        let address = try #require(samplePhoto(1).renditions.first?.address)
        #expect(request.key == PictureKey(address: address, box: box, isFull: true))
        #expect(request.coarse == [thumbnail] && numbers(Array(state.near.prefix(2))) == [2, 0])
        #expect(Set(state.near.dropFirst(2).map(\.key)) == visible)
        state.press("\u{1B}")
        #expect(Set(state.visible.map(\.key)) == visible)
    }

    @Test("n keeps the image in full until the next one comes, for 150 ms at most")
    func held() throws {
        var state = AppState.listing()
        state.press("\r")
        let key = state.firstKey
        state.show(key)
        var effects = state.press("n")
        let next = state.firstKey
        #expect(effects.contains(.timer(.hold, .milliseconds(150))))
        #expect(state.images.picture(for: next) == .coarse)
        _ = state.update(.timedOut(.hold))
        #expect(state.images.picture(for: next) == .loading)
        // A neighbour that is ready is shown at once.
        effects = state.press("p")
        #expect(!effects.contains(.timer(.hold, .milliseconds(150))))
        #expect(state.images.picture(for: key) == .sample)
    }

    @Test("The rendition is the smallest that fits, else the largest")
    func renditions() {
        let photo = samplePhoto(1)
        func name(_ columns: Int, _ rows: Int) -> String? {
            photo.rendition(filling: PixelSize(width: columns, height: rows * 2))?.address?.path
        }
        let sizes = [(80, 30), (320, 900), (321, 107), (321, 106), (801, 300), (1000, 1000)]
        let names = ["thumb", "thumb", "medium", "thumb", "orig", "orig"]
        #expect(sizes.map { name($0.0, $0.1) } == names.map { "/1~\($0).jpg" })
        var lacking = photo
        lacking.lacksFiles = true
        #expect(lacking.rendition(filling: PixelSize(width: 500, height: 1000))?.address == photo.thumbnail)
        var unknown = photo
        unknown.renditions = unknown.renditions.map { .init($0.address) }
        #expect(unknown.rendition(filling: PixelSize(width: 500, height: 1000))?.address == photo.thumbnail)
    }
}
