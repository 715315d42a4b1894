import SpyglassCatalog
import SpyglassFetching
import Testing

@testable import SpyglassBrowser

@Suite("Refreshing")
struct RefreshTests {
    @Test("The old photos stay until the answer is there, and the selected one stays the selected one")
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
        // Three new photos have come before.
        var new = answer(0..<97, first: 0)
        new.photos.insert(contentsOf: [samplePhoto(-1), samplePhoto(-2), samplePhoto(-3)], at: 0)
        _ = state.update(.page(generation: 2, .next, .success(new)))
        #expect(state.list?.selected == 10 && state.list?.photo(at: 10)?.id == "id-7")
        #expect((state.list?.selected ?? 0) - (state.list?.topRow ?? 0) == offset)
        #expect(state.notice == .refreshed)
    }

    @Test("What a cache answers because the server cannot is not called up to date")
    func fallback() {
        var state = BrowserState.listing()
        state.press("r")
        var kept = answer(0..<100, first: 0)
        kept.isFallback = true
        _ = state.update(.page(generation: 2, .next, .success(kept)))
        #expect(state.notice == .nothingNewer)
    }

    @Test(
        "A cache has had to answer where no server has said that its answer holds",
        arguments: [
            (FetchResponse.Origin.cache, FetchResponse.Freshness.fresh, true), (.cache, .stale, true),
            (.cache, .revalidated, false), (.network, .fresh, false),
        ])
    func asking(origin: FetchResponse.Origin, freshness: FetchResponse.Freshness, isFallback: Bool) async throws {
        let address = try #require(WebAddress("https://host.example/search"))
        let transport = RevalidatingTransport(base: AnsweringTransport(origin: origin, freshness: freshness))
        _ = try await transport.fetch(FetchRequest(address))
        #expect(transport.hasFallenBack == isFallback)
    }

    @Test("A selected photo that is gone leaves its place selected")
    func goneAway() {
        var state = BrowserState.listing()
        state.press("jjjr")
        _ = state.update(
            .page(generation: 2, .next, .success(answer(500..<502, first: 0, of: 2, isAtStart: true, isAtEnd: true))))
        #expect(state.list?.selected == 1 && state.list?.photos.count == 2)
    }

    @Test("A refresh that fails leaves what was there, says why, and r tries it again")
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

    @Test("Answers of before a refresh are dropped, and while it lasts no page is asked for")
    func generations() {
        var state = BrowserState.listing()
        state.press("r")
        #expect(!state.press("G ").contains { if case .loadPage = $0 { true } else { false } })
        _ = state.update(.page(generation: 1, .next, .success(answer(100..<200))))
        #expect(state.list?.photos.count == 100)
    }

    @Test("Nothing found is asked about again too, past every cache")
    func nothing() {
        var state = BrowserState.fresh()
        state.press("mars\r")
        let none = PageAnswer(photos: [], firstPosition: 0, total: .exact(0), isAtStart: true, isAtEnd: true)
        _ = state.update(.page(generation: 1, .next, .success(none)))
        #expect(
            state.press("r").deliberate
                == [.search(generation: 2, PhotoQuery("mars"), source: "nasa", start: .position(0), revalidates: true)])
    }

    @Test("Results that have become fewer are refreshed from their start, past every cache")
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

    @Test("r tries every broken picture again, also where a page is what failed")
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

    @Test("What the source told of a photo is asked for again after a refresh, once its answer is there")
    func details() {
        var state = BrowserState.detailing()
        _ = state.update(.details(generation: 1, photoID: "id-0", .success(samplePhoto(0))))
        #expect(state.press("\u{1B}r\r").deliberate.count == 1)
        #expect(
            state.update(.page(generation: 2, .next, .success(answer(0..<100, first: 0)))).deliberate
                == [.loadDetails(generation: 2, samplePhoto(0))])
    }

    @Test("A picture that leaves the neighbourhood is no longer asked about")
    func left() {
        var state = BrowserState.listing()
        state.press("r")
        for _ in 0..<40 { state.press("j") }
        #expect(state.requests.visible.allSatisfy { !$0.revalidates })
        for _ in 0..<40 { state.press("k") }
        #expect(state.requests.visible.first?.revalidates == false)
    }

    @Test("A picture is asked about once a refresh, until its answer is there")
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

/// Answers everything at once, from where a test says.
private struct AnsweringTransport: Transport {
    let origin: FetchResponse.Origin
    let freshness: FetchResponse.Freshness

    func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        var response = FetchResponse(address: request.address, status: 200, body: [], origin: origin)
        response.freshness = freshness
        return response
    }
}
