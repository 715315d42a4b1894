import Testing

@testable import SpyglassBatch

@Suite("InFlightLimiter")
struct InFlightLimiterTests {
    private static func limiter(files: Int = 2, transfers: Int = 2, span: Int = 100) -> InFlightLimiter {
        InFlightLimiter(InFlightLimiter.Limits(files: files, transfers: transfers, span: span))
    }

    @Test("Files and transfers have separate limits")
    func rooms() async throws {
        let limiter = Self.limiter(files: 1, transfers: 1)
        let turns = [try await limiter.enter(isTransfer: false), try await limiter.enter(isTransfer: true)]
        #expect(turns == [0, 1])
    }

    @Test("A body in a decoder frees its transfer slot")
    func decoding() async throws {
        let limiter = Self.limiter(transfers: 1)
        let first = try await limiter.enter(isTransfer: true)
        async let second = limiter.enter(isTransfer: true)
        limiter.startedDecoding(of: first)
        #expect(try await second == 1)
    }

    @Test("The newest item is at most the span ahead of the oldest")
    func span() async throws {
        let limiter = Self.limiter(files: 10, span: 2)
        let oldest = try await limiter.enter(isTransfer: false)
        let other = try await limiter.enter(isTransfer: false)
        async let third = limiter.enter(isTransfer: false)
        limiter.leave(other)
        limiter.leave(oldest)
        #expect(try await third == 2)
    }

    @Test("After close, waiting and new items are cancelled")
    func closed() async throws {
        let limiter = Self.limiter(files: 1)
        _ = try await limiter.enter(isTransfer: false)
        let waiting = Task { try await limiter.enter(isTransfer: false) }
        limiter.close()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await #expect(throws: CancellationError.self) { try await limiter.enter(isTransfer: true) }
    }
}
