import Glibc
import SpyglassBrowser
import SpyglassCaching
import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassPixels
import SpyglassTerminalUI
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassBench

@Suite("Benchmarks", .timeLimit(.minutes(10)))
struct BenchmarkTests {
    /// The scale of samples in tests.
    static let scale = 0.05

    /// A sampler whose clock advances by itself, so that each workload runs a few times.
    private static func sampler() -> Sampler {
        let clock = TickingClock(step: .milliseconds(100))
        let start = clock.now
        return Sampler(.quick, now: { start.duration(to: clock.now) })
    }

    @Test("Names are unique and start with their part")
    func names() {
        var names: [String] = []
        for part in BenchPart.allCases where part != .fetch {
            let ofPart = Bench([part], scale: Self.scale).names
            #expect(!ofPart.isEmpty && ofPart.allSatisfy { $0.hasPrefix("\(part.rawValue).") }, "\(ofPart)")
            for name in ofPart {
                #expect(
                    name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || ".-".contains($0)) }, "\(name)")
            }
            names += ofPart
        }
        #expect(Set(names).count == names.count)
    }

    @Test("Every benchmark runs", arguments: BenchPart.allCases.filter { $0 != .fetch })
    func all(part: BenchPart) async throws {
        // On a thread of its own: some benchmarks wait for tasks, which other tests may hold up for minutes.
        let (names, started, results) = try await ThreadPool(count: 1).run { _ in
            let bench = Bench([part], scale: Self.scale)
            var started: [String] = []
            var results: [Measurement] = []
            try bench.run(with: Self.sampler(), onStart: { started.append($0) }, onMeasurement: { results.append($0) })
            return (bench.names, started, results)
        }
        #expect([started, results.map(\.name)] == [names, names])
        for result in results {
            let isComplete = (result.reference == nil) == (result.ratio == nil)
            #expect(result.value.isFinite && result.value > 0 && isComplete, "\(result.name)")
        }
    }

    // MARK: Samples

    @Test(
        "Samples have their kind, differ from each other, and are reproducible; the C library gives the same pixels",
        arguments: SampleFile.Kind.made)
    func samples(kind: SampleFile.Kind) throws {
        let size = PixelSize(width: 61, height: 47)
        let files = try SampleFile.made(kind, size, count: 3)
        #expect(files.allSatisfy { $0.kind == kind && $0.size == size && $0.matchesCLibrary })
        #expect(Set(files.map(\.bytes)).count == 3)
        #expect(try SampleFile.made(kind, size, count: 3).map(\.bytes) == files.map(\.bytes))
        #expect(files.map { CLibrary.pixels(of: $0) } == (try files.map { try DecodeBench.decode($0) }))
    }

    private static func made(_ kind: SampleFile.Kind, side: Int) throws -> SampleFile {
        try #require(try SampleFile.made(kind, PixelSize(width: side, height: side), count: 1).first)
    }

    @Test("The C libraries reject corrupt files", arguments: SampleFile.Kind.made)
    func broken(kind: SampleFile.Kind) throws {
        let file = try Self.made(kind, side: 20)
        let cut = SampleFile(bytes: Array(file.bytes.prefix(40)), kind: kind, size: file.size)
        #expect(CLibrary.pixels(of: cut) == nil)
        #expect(throws: BenchError("\(kind.library ?? "") cannot decode an image of 20x20")) {
            try CLibrary.decode(cut)
        }
    }

    @Test(
        "giflib draws the same frames of a GIF",
        .enabled(if: dlopen("libgif.so.7", RTLD_NOW) != nil, "giflib is missing"))
    func gif() throws {
        let file = try SampleFile(Self.twoFrames)
        #expect(file.kind == .gif && file.frameCount == 2 && file.matchesCLibrary)
        let animation = try #require(try SampleFile.animation(file.bytes, file.limits))
        for count in 1...2 {
            let frame = try #require(try animation.next())
            #expect(CLibrary.pixels(of: file, frames: count) == frame.pixels)
        }
        #expect(try animation.next() == nil)
        #expect(Bench([.decode], of: [file]).names == ["decode.gif", "decode.gif.frames"])
        #expect(
            CLibrary.pixels(
                of: SampleFile(bytes: Array(file.bytes.dropLast(9)), kind: .gif, size: file.size), frames: 2) == nil)
    }

    /// 2x2 pixels in four colours; the second image covers the lower row, and its first pixel is transparent.
    private static let twoFrames: [UInt8] = [
        71, 73, 70, 56, 57, 97, 2, 0, 2, 0, 129, 0, 0, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 33, 249, 4,
        4, 10, 0, 0, 0, 44, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2, 4, 4, 67, 113, 5, 0, 33, 249, 4, 5, 10, 0, 0, 0,
        44, 0, 0, 1, 0, 2, 0, 1, 0, 0, 2, 2, 4, 83, 0, 59,
    ]

    @Test("Given files replace the samples, and missing kinds are left out")
    func given() throws {
        let files = try SampleFile.made(.png16, PixelSize(width: 30, height: 20), count: 1)
        #expect(Bench([.decode], of: files).names == ["decode.png.16bit"])
        #expect(Bench([.resize], of: files).names.last == "resize.thumbnail.160")
    }

    /// A fixture.
    private static func fixture(_ name: String) throws -> [UInt8] {
        let file = try #require(fopen(TestData.fixture(name), "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }

    /// A CMYK JPEG.
    private static func cmyk() throws -> [UInt8] { try fixture("color/pictures/cmyk.jpg") }

    /// The references of the decode benchmarks, by their names.
    private static func references(_ files: [SampleFile]) throws -> [String: String?] {
        var references: [String: String?] = [:]
        try Bench([.decode], of: files).run(with: sampler()) { references[$0.name] = $0.reference }
        return references
    }

    @Test(
        "Files that the C library decodes differently have no reference",
        arguments: [
            "images/exif/6-big.jpg", "images/png/exif-6.png", "images/png/grey-8-trns.png", "images/png/rgba-8.png",
        ])
    func finished(name: String) throws { try Self.expectFinished(name) }

    @Test(
        "Files whose colours are converted have benchmarks without a reference",
        .enabled(if: CodecLibraries.colorManagement != nil, "needs lcms2"),
        arguments: ["color/pictures/p3.jpg", "color/pictures/adobe.png", "images/png/gamma-1.0.png"])
    func converted(name: String) throws { try Self.expectFinished(name) }

    private static func expectFinished(_ name: String) throws {
        let file = try SampleFile(try fixture(name))
        let isDifferent = try CLibrary.pixels(of: file) != DecodeBench.decode(file)
        #expect(!file.matchesCLibrary && isDifferent)
        let references = try references([file])
        let areFinished = references.allSatisfy { $0.key.hasSuffix(".finished") && $0.value == nil }
        #expect(!references.isEmpty && areFinished, "\(references)")
    }

    @Test("Files without a reference, and CMYK, have benchmarks of their own and do not affect the others")
    func mixed() throws {
        let files = try SampleFile.made(.jpeg, PixelSize(width: 64, height: 48), count: 1)
        let others = try [Self.fixture("images/exif/6-big.jpg"), Self.cmyk()].map { try SampleFile($0) }
        let references = try Self.references(files + others)
        let found = ["decode.jpeg.full", "decode.jpeg.full.finished", "decode.jpeg.inks"].map { references[$0] }
        #expect(found == ["libjpeg", .some(nil), .some(nil)])
    }

    @Test("A reference that fails ends its benchmark")
    func refusal() throws {
        let file = SampleFile(bytes: try Self.cmyk(), kind: .jpeg, size: PixelSize(width: 30, height: 20))
        let figure = try #require(DecodeBench([file], scale: 1).benchmarks.first)
        #expect(throws: BenchError("libjpeg cannot decode an image of 30x20")) {
            try figure.run(Self.sampler())
        }
    }

    @Test("A truncated file, one that only Spyglass decodes, and one that is not an image are rejected")
    func rejected() throws {
        for kind in SampleFile.Kind.made {
            let whole = try Self.made(kind, side: 64).bytes
            #expect(throws: CodecError(.corrupt, "truncated or damaged; only complete images are measured"), "\(kind)")
            {
                try SampleFile(Array(whole.prefix(whole.count * 2 / 3)))
            }
        }
        // Without its IEND chunk, all rows are still there.
        let open = try Self.made(.png8, side: 20).bytes.dropLast(12)
        #expect(throws: CodecError(.unsupported, "libpng cannot decode an image of 20x20")) {
            try SampleFile(Array(open))
        }
        #expect(throws: CodecError.self) { try SampleFile(Array("GIF89a".utf8)) }
    }

    @Test("The resampled source has 64 MiB at scale 1")
    func resampledBytes() {
        let pixels = ResizeBench.sourceSize.pixelCount
        #expect((0.999...1).contains(Double(pixels * 3) / Double(64 << 20)))
    }

    @Test("The samples match their version")
    func version() {
        // JPEG and PNG bytes depend on the libraries; pixels and keys do not.
        let pixels = [PixelSize(width: 96, height: 72), PixelSize(width: 61, height: 47)].flatMap { size in
            (1...3).flatMap { SampleImage(size, seed: $0).pixels().bytes }
        }
        func hash(_ keys: [Key]) -> UInt64 { XXHash64.hash(Array("\(keys.map(\.code))".utf8)) }
        #expect(XXHash64.hash(pixels) == 0x5754_A468_FC3F_2761)
        #expect(hash(BrowseBench.script) == 0x7541_4DAB_99D1_10F6)
    }
}

extension CLibrary {
    /// The stored pixels of a whole file; `nil` when the library cannot decode it.
    fileprivate static func pixels(of file: SampleFile, frames: Int = 1) -> PixelBuffer? {
        try? withPixels(of: file, 8, frames: frames) { PixelBuffer(size: $0, bytes: Array($1)) }
    }
}

@Suite("BrowseBench", .timeLimit(.minutes(10)))
struct BrowseBenchTests {
    private static let photos = (0..<250).map { number in
        var photo = Photo(id: "id-\(number)", source: "nasa")
        photo.title = "Photo number \(number)."
        photo.thumbnail = WebAddress("https://host.example/\(number)~thumb.jpg")
        return photo
    }

    private func rehearsal(_ columns: Int = 100, _ rows: Int = 30) -> HeadlessBrowser {
        let pool = CellImagePool(count: 2)
        return HeadlessBrowser(TerminalTraits(size: CellSize(clamping: columns, rows)), Self.photos) {
            pool.image($0, $1)
        }
    }

    @Test("A headless browser starts with a list and its images")
    func begin() {
        let screen = rehearsal().screen
        #expect(screen.description.contains("Photo number 0.") && screen.description.contains("▀"))
    }

    @Test("The same keys give the same screens")
    func repeatable() {
        var (one, other) = (rehearsal(40, 12), rehearsal(40, 12))
        for key in BrowseBench.script {
            one.press(key)
            other.press(key)
            #expect(one.screen == other.screen)
        }
    }

    @Test("One step down takes at most a quarter of the bytes of a full repaint")
    func step() throws {
        let counted = BrowseBench(scale: 0.1).benchmarks.first { $0.name == "browse.down.bytes" }
        let down = try #require(counted).run(Sampler(.quick, now: { .zero }))
        #expect(down.reference == "full repaint" && (down.ratio ?? 0) >= 4 && down.value > 0)
    }
}
