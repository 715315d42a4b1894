import Testing

@testable import SpyglassBatch

@Suite("InFlightLimiter")
struct InFlightLimiterTests {
    private static func limiter(
        files: Int = 2, transfers: Int = 2, bodyBytes: Int = 1 << 20, span: Int = 100
    ) -> InFlightLimiter {
        InFlightLimiter(InFlightLimiter.Limits(files: files, transfers: transfers, bodyBytes: bodyBytes, span: span))
    }

    @Test("A body in a decoder frees its transfer slot")
    func decoding() async throws {
        let limiter = Self.limiter(transfers: 1)
        let first = try await limiter.enter(isTransfer: true)
        async let second = limiter.enter(isTransfer: true)
        limiter.arrived(1000, of: first)
        limiter.startedDecoding(of: first)
        #expect(try await second == 1)
        #expect(limiter.peaks.transfers == 1)
    }

    @Test("A body above the limit is fetched alone")
    func largeBody() async throws {
        let limiter = Self.limiter(bodyBytes: 1000)
        let first = try await limiter.enter(isTransfer: true)
        limiter.arrived(5000, of: first)
        limiter.startedDecoding(of: first)
        async let second = limiter.enter(isTransfer: true)
        limiter.leave(first)
        _ = try await second
        // Both together exceed the limit.
        #expect(limiter.peaks.bodyBytes == 256 << 10)
    }
}
