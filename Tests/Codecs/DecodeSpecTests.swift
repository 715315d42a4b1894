import SpyglassPixels
import SpyglassThreads
import Testing

@testable import SpyglassCodecs

@Suite("DecodeSpec")
struct DecodeSpecTests {
    @Test("The memory that an error names is enough for the whole decoding")
    func namedMemory() throws {
        let size = PixelSize(width: 10_000, height: 100)
        var limits = ImageLimits()
        limits.workBytes = 1 << 20
        var spec = DecodeSpec(.original, isExact: false)
        func reserve() throws(CodecError) -> WorkMemory.Share? {
            try spec.reserve(
                [size], of: size, copies: 4, work: 2 << 20, more: 1 << 20, within: limits, nil)
        }
        let error = try #require(#expect(throws: CodecError.self) { try reserve() })
        guard case .workMemory(let needed) = error.exceeded else {
            Issue.record(error)
            return
        }
        limits.workBytes = needed
        spec.memory = WorkMemory(limit: needed)
        #expect(try reserve() != nil)
        spec.memory = WorkMemory(limit: needed - 1)
        #expect(throws: CodecError.self) { try reserve() }
    }
}
