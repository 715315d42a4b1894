import SpyglassCodecs
import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("CodecError's remedy")
struct CodecErrorRemedyTests {
    @Test(
        "A limit that an option raises is named with a value that is enough",
        arguments: [
            (ImageLimits.Exceeded.pixels(needing: 900_000_000), "big (raise it with --max-pixels 900M)"),
            (.pixels(needing: 100_000_001), "big (raise it with --max-pixels 101M)"),
            (.side(needing: 70_000), "big (raise it with --max-side 70000)"),
            (.scans(needing: 101), "big (raise it with --max-scans 200)"),
            (.bodyBytes, "big (raise it with --max-bytes)"),
        ])
    func options(exceeded: ImageLimits.Exceeded, advice: String) {
        #expect(CodecError(exceeded, "big").message(within: ImageLimits()) == advice)
    }

    @Test("A limit without an option says what to do with the file")
    func files() {
        #expect(CodecError(.coefficientBytes(needing: 1), "big").message(within: ImageLimits()).contains("baseline"))
        #expect(CodecError(.pngChunkBytes, "big").message(within: ImageLimits()).contains("metadata"))
    }

    @Test("What nothing helps against is left as it is")
    func none() {
        #expect(CodecError(.corrupt, "bad").message(within: ImageLimits()) == "bad")
    }

    @Test("show tells a gigantic picture's numbers and the option")
    func show() {
        let path = TestData.fixture("images/damaged/gigantic-900m.png")
        do {
            _ = try ImageDecoder().decode(.file(path), to: .original)
            Issue.record("it was decoded")
        } catch {
            let message = error.message(within: ImageLimits())
            #expect(
                message
                    == "30000x30000 is 900 M pixels, above the limit of 100 M (raise it with --max-pixels 900M)")
        }
    }
}
