import SpyglassCodecs
import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("CodecError: messages")
struct CodecErrorRemedyTests {
    @Test(
        "An exceeded limit names the option and a sufficient value",
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

    @Test("A limit without an option explains how to save the file")
    func files() {
        #expect(CodecError(.coefficientBytes(needing: 1), "big").message(within: ImageLimits()).contains("baseline"))
        #expect(CodecError(.pngChunkBytes, "big").message(within: ImageLimits()).contains("metadata"))
    }

    @Test("An error without a remedy is unchanged")
    func none() {
        #expect(CodecError(.corrupt, "bad").message(within: ImageLimits()) == "bad")
    }

    @Test("A gigantic image is reported with its size and the option")
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
