import SpyglassCatalog
import SpyglassFetching

/// Any response of a server: photos that can be shown and written, or an error in one line.
enum AnswersTarget {
    /// Responds to every URL with one body; the first byte selects an error status.
    private struct OneAnswer: Transport {
        let body: [UInt8]

        func fetch(_ request: FetchRequest) async throws -> FetchResponse {
            FetchResponse(address: request.address, status: body.first == 0x21 ? 404 : 200, body: body)
        }
    }

    /// Waits for nothing: a response may ask for a pause.
    private struct InstantClock: Clock {
        var now: ContinuousClock.Instant { .now }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
    }

    /// A source that refuses words is asked without them.
    ///
    /// The key is a word of many answers, where it is hidden.
    static func run(_ body: [UInt8]) async {
        for declaration in SourceRegistry.all where declaration.usesNetwork || declaration.retirement != nil {
            let source = SourceRegistry.factory(
                of: declaration, endpoint: WebAddress("https://api.example/v1/"), key: "NASA", clock: InstantClock())
            for words in ["mars", ""] { await read(source(OneAnswer(body: body)), PhotoQuery(words)) }
        }
    }

    private static func read(_ source: any PhotoSource, _ query: PhotoQuery) async {
        do {
            for photo in try await source.page(of: query, at: nil).photos {
                let line = PhotoJSON.line(for: photo)
                precondition(!line.utf8.contains { $0 < 0x20 || $0 == 0x7F })
                _ = PhotoFormatter(language: .english).byline(of: photo)
                _ = PhotoFormatter(language: .english).origin(of: photo, [photo.center, photo.location])
            }
        } catch {
            expectOneLine(error)
        }
    }
}
