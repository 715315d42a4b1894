import Testing

@testable import SpyglassBatch

@Suite("InFlightLimiter")
struct InFlightLimiterTests {
    private static func limiter(
        files: Int = 2, transfers: Int = 2, bodyBytes: Int = 1 << 20, span: Int = 100
    ) -> InFlightLimiter {
        InFlightLimiter(InFlightLimiter.Limits(files: files, transfers: transfers, bodyBytes: bodyBytes, span: span))
    }

    @Test("Files and transfers have their own room")
    func rooms() async throws {
        let limiter = Self.limiter(files: 1, transfers: 1)
        #expect(try await limiter.enter(isTransfer: false) == 0)
        #expect(try await limiter.enter(isTransfer: true) == 1)
        #expect(limiter.peaks.files == 1)
        #expect(limiter.peaks.transfers == 1)
    }

    @Test("A body that a decoder has taken makes room for the next transfer")
    func decoding() async throws {
        let limiter = Self.limiter(transfers: 1)
        let first = try await limiter.enter(isTransfer: true)
        async let second = limiter.enter(isTransfer: true)
        limiter.arrived(1000, of: first)
        limiter.startedDecoding(of: first)
        #expect(try await second == 1)
        #expect(limiter.peaks.transfers == 1)
    }

    @Test("A body above the limit goes when nothing else does, and nothing begins beside it")
    func largeBody() async throws {
        let limiter = Self.limiter(bodyBytes: 1000)
        let first = try await limiter.enter(isTransfer: true)
        limiter.arrived(5000, of: first)
        limiter.startedDecoding(of: first)
        async let second = limiter.enter(isTransfer: true)
        limiter.leave(first)
        _ = try await second
        // Before the second one the first must have gone: together they are more.
        #expect(limiter.peaks.bodyBytes == 256 << 10)
    }

    @Test("Nobody gets further ahead of the oldest than the span")
    func span() async throws {
        let limiter = Self.limiter(files: 10, span: 2)
        let oldest = try await limiter.enter(isTransfer: false)
        let other = try await limiter.enter(isTransfer: false)
        async let third = limiter.enter(isTransfer: false)
        limiter.leave(other)
        limiter.leave(oldest)
        #expect(try await third == 2)
        #expect(limiter.peaks.span == 2)
    }

    @Test("A limiter that was closed lets nobody in, nor those who wait")
    func closed() async throws {
        let limiter = Self.limiter(files: 1)
        _ = try await limiter.enter(isTransfer: false)
        let waiting = Task { try await limiter.enter(isTransfer: false) }
        limiter.close()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await #expect(throws: CancellationError.self) { try await limiter.enter(isTransfer: true) }
    }
}
