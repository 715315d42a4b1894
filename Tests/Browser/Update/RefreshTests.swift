import SpyglassCatalog
import SpyglassFetching
import SpyglassTestSupport
import Testing

@testable import SpyglassBrowser

@Suite("Refreshing")
struct RefreshTests {
    @Test("Old photos and the selection stay until the results come")
    func keeps() {
        var state = BrowserState.listing()
        for _ in 0..<7 { state.press("j") }
        let offset = (state.list?.selected ?? 0) - (state.list?.topRow ?? 0)
        let effects = state.press("r")
        #expect(
            effects.deliberate == [
                .search(generation: 2, PhotoQuery("apollo"), source: "nasa", start: .position(7), revalidates: true)
            ])
        #expect(effects.requests?.visible.allSatisfy(\.revalidates) == true)
        #expect(state.list?.photos.count == 100 && state.list?.isRefreshing == true)
        // Three new photos come first.
        var new = answer(0..<97, first: 0)
        new.photos.insert(contentsOf: [samplePhoto(-1), samplePhoto(-2), samplePhoto(-3)], at: 0)
        _ = state.update(.page(generation: 2, .next, .success(new)))
        #expect(state.list?.selected == 10 && state.list?.photo(at: 10)?.id == "id-7")
        #expect((state.list?.selected ?? 0) - (state.list?.topRow ?? 0) == offset)
        #expect(state.notice == .refreshed)
    }

    @Test("Cached results are not called up to date")
    func fallback() {
        var state = BrowserState.listing()
        state.press("r")
        var kept = answer(0..<100, first: 0)
        kept.isFallback = true
        _ = state.update(.page(generation: 2, .next, .success(kept)))
        #expect(state.notice == .nothingNewer)
    }

    @Test(
        "A response without revalidation counts as a fallback",
        arguments: [
            (FetchResponse.Origin.cache, FetchResponse.Freshness.fresh, true), (.cache, .stale, true),
            (.cache, .revalidated, false), (.network, .fresh, false),
        ])
    func asking(origin: FetchResponse.Origin, freshness: FetchResponse.Freshness, isFallback: Bool) async throws {
        let address = try #require(WebAddress("https://host.example/search"))
        let transport = RevalidatingTransport(
            base: StubTransport {
                FetchResponse(address: $0.address, status: 200, body: [], origin: origin, freshness: freshness)
            })
        _ = try await transport.fetch(FetchRequest(address))
        #expect(transport.hasFallenBack == isFallback)
    }

    @Test("If the selected photo disappears, its position stays selected")
    func goneAway() {
        var state = BrowserState.listing()
        state.press("jjjr")
        _ = state.update(
            .page(generation: 2, .next, .success(answer(500..<502, first: 0, of: 2, isAtStart: true, isAtEnd: true))))
        #expect(state.list?.selected == 1 && state.list?.photos.count == 2)
    }

    @Test("A failed refresh keeps the list, shows why, and r retries")
    func fails() {
        var state = BrowserState.listing()
        state.press("jjr")
        _ = state.update(.page(generation: 2, .next, .failure(gone)))
        #expect(state.list?.photos.count == 100 && state.list?.selected == 2 && state.top == .list)
        #expect(state.notice == .failed(gone) && state.list?.nextProblem == gone)
        #expect(
            state.press("r").deliberate == [
                .search(generation: 3, PhotoQuery("apollo"), source: "nasa", start: .position(2), revalidates: true)
            ])
    }

    @Test("During a refresh old pages are dropped and none is requested")
    func generations() {
        var state = BrowserState.listing()
        state.press("r")
        #expect(!state.press("G ").contains { if case .loadPage = $0 { true } else { false } })
        _ = state.update(.page(generation: 1, .next, .success(answer(100..<200))))
        #expect(state.list?.photos.count == 100)
    }

    @Test("An empty result is revalidated, too")
    func nothing() {
        var state = BrowserState.fresh()
        state.press("mars\r")
        let none = PageAnswer(photos: [], firstPosition: 0, total: .exact(0), isAtStart: true, isAtEnd: true)
        _ = state.update(.page(generation: 1, .next, .success(none)))
        #expect(
            state.press("r").deliberate
                == [.search(generation: 2, PhotoQuery("mars"), source: "nasa", start: .position(0), revalidates: true)])
    }

    @Test("Fewer results are refreshed from their start")
    func fewer() {
        var state = BrowserState.fresh()
        _ = state.update(.started(search: "apollo", at: .position(150)))
        _ = state.update(.page(generation: 1, .next, .success(answer(100..<200, first: 100, of: 200))))
        state.press("r")
        let none = PageAnswer(photos: [], firstPosition: 100, total: .exact(90), isAtStart: false, isAtEnd: true)
        #expect(
            state.update(.page(generation: 2, .next, .success(none))).deliberate
                == [
                    .search(generation: 3, PhotoQuery("apollo"), source: "nasa", start: .position(0), revalidates: true)
                ])
        _ = state.update(.page(generation: 3, .next, .success(answer(0..<90, first: 0, of: 90))))
        #expect(state.list?.positions == 0..<90 && state.list?.selected == 0)
    }

    @Test("r retries every broken image, also after a failed page")
    func broken() throws {
        var state = BrowserState.listing(12, of: 90)
        let request = try #require(state.requests.visible.first)
        _ = state.update(.page(generation: 1, .next, .failure(gone)))
        for _ in 0..<2 {
            _ = state.update(.picture(request.key, .failed(.notFound)))
            #expect(!state.requests.visible.map(\.key).contains(request.key))
            state.press("r")
            #expect(state.requests.visible.map(\.key).contains(request.key) && state.pictures[request.key] == .loading)
        }
    }

    @Test("Details are requested again after a refresh")
    func details() {
        var state = BrowserState.detailing()
        _ = state.update(.details(generation: 1, photoID: "id-0", .success(samplePhoto(0))))
        #expect(state.press("\u{1B}r\r").deliberate.count == 1)
        #expect(
            state.update(.page(generation: 2, .next, .success(answer(0..<100, first: 0)))).deliberate
                == [.loadDetails(generation: 2, samplePhoto(0))])
    }

    @Test("Images that are out of range stop revalidating")
    func left() {
        var state = BrowserState.listing()
        state.press("r")
        for _ in 0..<40 { state.press("j") }
        #expect(state.requests.visible.allSatisfy { !$0.revalidates })
        for _ in 0..<40 { state.press("k") }
        #expect(state.requests.visible.first?.revalidates == false)
    }

    @Test("An image is revalidated once per refresh")
    func pictures() throws {
        var state = BrowserState.listing()
        let key = try #require(state.requests.visible.first?.key)
        _ = state.update(.picture(key, .shown(.sample, isFinal: true, isStale: false)))
        state.press("r")
        #expect(state.requests.visible.first?.revalidates == true)
        #expect(state.pictures[key] == .shown(.sample, isFinal: true, isStale: false))
        _ = state.update(.picture(key, .shown(.sample, isFinal: true, isStale: false)))
        #expect(state.requests.visible.first?.revalidates == false)
    }
}
