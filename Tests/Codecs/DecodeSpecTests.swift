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
        (spec.sharedCopies, spec.copiedBytes) = (2, 1 << 20)
        func reserve() throws(CodecError) -> WorkMemory.Share? {
            try spec.reserve([size], of: size, copies: 2, work: 2 << 20, within: limits)
        }
        let error = try #require(#expect(throws: CodecError.self) { try reserve() })
        guard case .workMemory(let needed) = error.exceeded else {
            Issue.record(error)
            return
        }
        limits.workBytes = needed
        spec.grant = WorkMemory(limit: needed).grantToDecode(nil)
        #expect(try reserve() != nil)
        spec.grant = WorkMemory(limit: needed - 1).grantToDecode(nil)
        #expect(throws: CodecError.self) { try reserve() }
    }
}
