import SpyglassCodecs
import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassBench

@Suite("What is measured", .timeLimit(.minutes(10)))
struct FigureTests {
    /// How large samples are in tests.
    static let scale = 0.1

    @Test("Every name is there once and begins with its part")
    func names() throws {
        var names: [String] = []
        for part in BenchPart.allCases where part != .fetch {
            let ofPart = try Bench([part], scale: Self.scale).names
            #expect(!ofPart.isEmpty, "\(part)")
            for name in ofPart {
                #expect(name.hasPrefix("\(part.rawValue)."))
                #expect(
                    name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || ".-".contains($0)) }, "\(name)")
            }
            names += ofPart
        }
        #expect(Set(names).count == names.count)
    }

    @Test("Every figure can be taken", arguments: BenchPart.allCases)
    func all(part: BenchPart) throws {
        let clock = TickingClock(step: .milliseconds(100))
        let start = clock.now
        let sampler = Sampler(.quick, now: { start.duration(to: clock.now) }, counters: nil)
        let bench = try Bench([part], scale: Self.scale)
        var started: [String] = []
        var figures: [Measurement] = []
        try bench.run(with: sampler, onStart: { started.append($0) }, onFigure: { figures.append($0) })
        #expect(started == bench.names)
        #expect(figures.map(\.name) == bench.names)
        for figure in figures {
            #expect(figure.value.isFinite && figure.value > 0, "\(figure.name)")
            #expect((figure.rival == nil) == (figure.ratio == nil), "\(figure.name)")
        }
    }

    // MARK: Samples

    @Test(
        "Samples are of their kind, different from each other, and the same every time",
        arguments: SampleFile.Kind.allCases)
    func samples(kind: SampleFile.Kind) throws {
        let size = PixelSize(width: 48, height: 36)
        let files = try SampleFile.made(kind, size, count: 3)
        #expect(files.allSatisfy { $0.kind == kind && $0.size == size })
        #expect(Set(files.map(\.bytes)).count == 3)
        #expect(try SampleFile.made(kind, size, count: 3).map(\.bytes) == files.map(\.bytes))
    }

    @Test("A plain call of the C library gives the pixels that we give", arguments: SampleFile.Kind.allCases)
    func identity(kind: SampleFile.Kind) throws {
        for file in try SampleFile.made(kind, PixelSize(width: 61, height: 47), count: 2) {
            #expect(PlainLibrary.pixels(of: file) == (try DecodeBench.decode(file, ratio: 1)))
        }
    }

    @Test("At a DCT scale the plain library gives the size that goes with it", arguments: [4, 2, 1])
    func scaled(eighths: Int) throws {
        let file = try #require(try SampleFile.made(.jpeg, PixelSize(width: 64, height: 48), count: 1).first)
        let size = PixelSize(width: 64 * eighths / 8, height: 48 * eighths / 8)
        #expect(PlainLibrary.pixels(of: file, eighths: eighths)?.size == size)
    }

    @Test("The plain calls refuse what is broken")
    func broken() throws {
        for kind in SampleFile.Kind.allCases {
            let file = try #require(try SampleFile.made(kind, PixelSize(width: 20, height: 20), count: 1).first)
            let bytes = Array(file.bytes.prefix(40))
            #expect(PlainLibrary.pixels(of: SampleFile(bytes, kind, file.size)) == nil)
            #expect(!PlainLibrary.decode(SampleFile(bytes, kind, file.size)))
        }
    }

    @Test("Files of the user's own take the place of the samples, and kinds that are not there are left out")
    func given() throws {
        let files = try SampleFile.made(.png16, PixelSize(width: 30, height: 20), count: 1)
        #expect(try Bench([.decode], of: files).names == ["decode.png.16bit"])
        #expect(try Bench([.resize], of: files).names.last == "resize.thumbnail.160")
    }

    @Test("What is no picture is no sample")
    func noPicture() {
        #expect(throws: DecodeError.self) { try SampleFile(Array("GIF89a".utf8)) }
    }
}
