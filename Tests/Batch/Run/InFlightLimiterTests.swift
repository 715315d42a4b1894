import Testing

@testable import SpyglassBatch

@Suite("InFlightLimiter")
struct InFlightLimiterTests {
    private static func window(
        files: Int = 2, transfers: Int = 2, bodyBytes: Int = 1 << 20, span: Int = 100
    ) -> InFlightLimiter {
        InFlightLimiter(InFlightLimiter.Limits(files: files, transfers: transfers, bodyBytes: bodyBytes, span: span))
    }

    @Test("Files and transfers have their own room")
    func rooms() async throws {
        let window = Self.window(files: 1, transfers: 1)
        #expect(try await window.enter(isTransfer: false) == 0)
        #expect(try await window.enter(isTransfer: true) == 1)
        #expect(window.peaks.files == 1)
        #expect(window.peaks.transfers == 1)
    }

    @Test("A body that a decoder has taken makes room for the next transfer")
    func decoding() async throws {
        let window = Self.window(transfers: 1)
        let first = try await window.enter(isTransfer: true)
        async let second = window.enter(isTransfer: true)
        window.arrived(1000, of: first)
        window.startedDecoding(of: first)
        #expect(try await second == 1)
        #expect(window.peaks.transfers == 1)
    }

    @Test("A body above the limit goes when nothing else does, and nothing begins beside it")
    func largeBody() async throws {
        let window = Self.window(bodyBytes: 1000)
        let first = try await window.enter(isTransfer: true)
        window.arrived(5000, of: first)
        window.startedDecoding(of: first)
        async let second = window.enter(isTransfer: true)
        window.leave(first)
        _ = try await second
        // Before the second one the first must have gone: together they are more.
        #expect(window.peaks.bodyBytes == 256 << 10)
    }

    @Test("Nobody gets further ahead of the oldest than the span")
    func span() async throws {
        let window = Self.window(files: 10, span: 2)
        let oldest = try await window.enter(isTransfer: false)
        let other = try await window.enter(isTransfer: false)
        async let third = window.enter(isTransfer: false)
        window.leave(other)
        window.leave(oldest)
        #expect(try await third == 2)
        #expect(window.peaks.span == 2)
    }

    @Test("A window that was closed lets nobody in, nor those who wait")
    func closed() async throws {
        let window = Self.window(files: 1)
        _ = try await window.enter(isTransfer: false)
        let waiting = Task { try await window.enter(isTransfer: false) }
        window.close()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await #expect(throws: CancellationError.self) { try await window.enter(isTransfer: true) }
    }
}
