import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassFiles
import SpyglassPixels
import SpyglassTerminalUI
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import spyglass

@Suite("Failure", .timeLimit(.minutes(10)))
struct FailureTests {
    @Test("A source's error is a usage error if it names an option")
    func catalog() {
        let errors = [
            CatalogError(.invalidQuery, "no such page"), CatalogError(.unavailable, "busy"),
            CatalogError(.invalidResponse, "no JSON"),
        ]
        #expect(errors.map { Failure($0)?.code } == [.usage, .unavailable, .unavailable])
    }

    @Test(
        "A failed fetch exits 3; an exceeded limit names the option, and is a usage error if it is one of bytes",
        arguments: [
            (FetchError(.timedOut, "nothing came"), ExitCode.unavailable, "nothing came"),
            (FetchError(.unavailable, "no libcurl"), .unavailable, "no libcurl"),
            (
                FetchError(.tooLarge, "it has 3 bytes", exceededLimit: .body), .usage,
                "it has 3 bytes (raise the limit with --max-bytes)"
            ),
            (FetchError(.timedOut, "slow", exceededLimit: .stall), .unavailable, "slow (wait longer with --timeout)"),
            (
                FetchError(.timedOut, "slow", exceededLimit: .deadline), .unavailable,
                "slow (wait longer with --timeout)"
            ),
            (FetchError(.timedOut, "slow", exceededLimit: .rate), .unavailable, "slow (try again later)"),
        ])
    func fetch(error: FetchError, code: ExitCode, message: String) {
        #expect(Failure(error) == Failure(code, message))
    }

    @Test(
        "A source's error names the option of its subject",
        arguments: [CatalogError.Subject.text, .filter("center"), .endpoint])
    func subjects(subject: CatalogError.Subject) {
        let message = Failure(CatalogError(.invalidQuery, "no", at: subject))?.message ?? ""
        #expect(message.contains(subject == .text ? "the search words" : "--"))
    }

    @Test("A closed output is not a failure, and an unknown error is an internal one")
    func unknown() {
        struct Surprise: Error {}
        #expect(Failure(TerminalError.outputClosed) == nil)
        let failure = Failure(Surprise())
        #expect(failure?.code == .internalError && failure?.message.contains("please report it") == true)
    }
}

@Suite("CodecError: messages")
struct CodecErrorRemedyTests {
    @Test(
        "An exceeded limit names the option and a sufficient value",
        arguments: [
            (ImageLimits.Exceeded.pixels(needing: 900_000_000), "big (raise it with --max-pixels 900M)"),
            (.pixels(needing: 100_000_001), "big (raise it with --max-pixels 101M)"),
            (.side(needing: 70_000), "big (raise it with --max-pixels 100M)"),
            (.scans(needing: 101), "big (save it as a baseline JPEG, neither progressive nor in several scans)"),
            (.bodyBytes, "big (raise it with --max-bytes)"),
            (
                .coefficientBytes(needing: 1),
                "big (save it as a baseline JPEG, neither progressive nor in several scans)"
            ),
            (.pngChunkBytes, "big (save it without its metadata)"),
        ])
    func options(exceeded: ImageLimits.Exceeded, advice: String) {
        #expect(CodecError(exceeded, "big").message(within: ImageLimits()) == advice)
    }

    @Test("An error without a remedy is unchanged")
    func none() {
        #expect(CodecError(.corrupt, "bad").message(within: ImageLimits()) == "bad")
    }

    @Test("Coefficients of a progressive JPEG are limited by the work memory alone")
    func coefficients() throws {
        var file = try Folder.working.read(TestData.fixture("images/jpeg/progressive-420.jpg"), limit: 1 << 20)
        // SOF2 (T.81 figure B.3): marker, length, precision, height, width.
        let frame = try #require(file.indices.first { file[$0...].starts(with: [0xFF, 0xC2]) })
        file.replaceSubrange(
            frame + 5..<frame + 9, with: [9000, 11_000].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
        let decoder = ImageDecoder(limits: Options().limits, memory: WorkMemory(limit: 256 << 20))
        do {
            _ = try decoder.decode(.bytes(file), to: TargetSize(box: PixelSize(width: 100, height: 100)))
            Issue.record("it was decoded")
        } catch {
            // 4:2:0 has one and a half samples a pixel, each of two bytes.
            guard case .workMemory(let needed) = error.exceeded else { throw error }
            #expect(needed >= 11_000 * 9000 * 3)
            #expect(error.message(within: Options().limits).contains("--work-memory"))
        }
    }

    @Test("A gigantic image is reported with its size and the option")
    func show() {
        let path = TestData.fixture("images/damaged/gigantic-900m.png")
        do {
            _ = try ImageDecoder().decode(.file(path), to: .original)
            Issue.record("it was decoded")
        } catch {
            let size = "30000x30000 is 900 M pixels, above the limit of 100 M"
            #expect(error.message(within: ImageLimits()) == "\(size) (raise it with --max-pixels 900M)")
        }
    }
}
