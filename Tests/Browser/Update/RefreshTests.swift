import SpyglassCatalog
import SpyglassFetching
import SpyglassTestSupport
import Testing

@testable import SpyglassBrowser

@Suite("Refreshing")
struct RefreshTests {
    @Test("Old photos and the selection stay until the results come")
    func keeps() {
        var state = AppState.listing()
        for _ in 0..<7 { state.press("j") }
        let offset = (state.selected ?? 0) - (state.list?.topRow ?? 0)
        let effects = state.press("r")
        #expect(
            effects.deliberate == [.searching(2, at: 7, revalidates: true)])
        #expect(effects.requests?.visible.allSatisfy(\.revalidates) == true)
        #expect(state.list?.photos.count == 100 && state.list?.isRefreshing == true)
        // Three new photos come first.
        var new = answer(0..<97, first: 0)
        new.photos.insert(contentsOf: [samplePhoto(-1), samplePhoto(-2), samplePhoto(-3)], at: 0)
        _ = state.update(.page(generation: 2, .next, .success(new)))
        #expect(state.selected == 10 && state.list?.photo(at: 10)?.id == "id-7")
        #expect((state.selected ?? 0) - (state.list?.topRow ?? 0) == offset && state.notice == .refreshed)
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

    @Test("A failed refresh keeps the list, shows why, and r retries")
    func fails() {
        var state = AppState.listing()
        state.press("jjr")
        _ = state.update(.page(generation: 2, .next, .failure(gone)))
        #expect(state.list?.photos.count == 100 && state.selected == 2 && state.top == .list)
        #expect(state.notice == .failed(gone) && state.list?.nextProblem == gone)
        #expect(state.press("r").deliberate == [.searching(3, at: 2, revalidates: true)])
    }

    @Test("Fewer results are refreshed from their start")
    func fewer() {
        var state = AppState.fresh()
        _ = state.update(.started(search: "apollo", at: .position(150)))
        _ = state.update(.page(generation: 1, .next, .success(answer(100..<200, first: 100, of: 200))))
        state.press("r")
        let none = PageAnswer(photos: [], firstPosition: 100, total: .exact(90), isAtStart: false, isAtEnd: true)
        #expect(
            state.update(.page(generation: 2, .next, .success(none))).deliberate == [
                .searching(3, at: 0, revalidates: true)
            ])
        _ = state.update(.page(generation: 3, .next, .success(answer(0..<90, first: 0, of: 90))))
        #expect(state.list?.positions == 0..<90 && state.selected == 0)
    }

    @Test("r retries every broken image, also after a failed page")
    func broken() throws {
        var state = AppState.listing(12, of: 90)
        let request = try #require(state.visible.first)
        _ = state.update(.page(generation: 1, .next, .failure(gone)))
        for _ in 0..<2 {
            state.fail(request.key, .notFound)
            #expect(!state.visible.map(\.key).contains(request.key))
            state.press("r")
            #expect(
                state.visible.map(\.key).contains(request.key)
                    && state.images.pictures[request.key] == .loading)
        }
    }
}
