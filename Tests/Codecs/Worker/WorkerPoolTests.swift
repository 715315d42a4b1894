import Glibc
import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite(
    "WorkerPool",
    .enabled(if: TestLauncher.path != nil, "decode-worker has not been built beside the tests"),
    .timeLimit(.minutes(10)))
struct WorkerPoolTests {
    private let picture = PNGFile.gray(width: 40, height: 30) { UInt8(($0 * 5 + $1 * 7) & 255) }
    private let box = TargetSize.box(4, 4)

    private static func decoder(_ launcher: TestLauncher, _ pool: (TestLauncher) -> WorkerPool) -> ImageDecoder {
        ImageDecoder(workers: pool(launcher))
    }

    private static func pool(_ launcher: TestLauncher) -> WorkerPool {
        WorkerPool(launcher: launcher, count: 1, families: [.png: .webp])
    }

    private func hasEnded(_ process: Int32) -> Bool { kill(process, 0) == -1 && errno == ESRCH }

    @Test("A worker decodes the same bytes as this process")
    func sameBytes() throws {
        let decoder = Self.decoder(TestLauncher("honest"), Self.pool)
        let here = ImageDecoder()
        for filter in ResampleFilter.allCases {
            let targets = [TargetSize.original, box, TargetSize(box: PixelSize(width: 7, height: 90), fit: .cover)]
            let one = try decoder.decode(.bytes(picture), to: targets, filter: filter, readsMetadata: true)
            let other = try here.decode(.bytes(picture), to: targets, filter: filter, readsMetadata: true)
            #expect(one.buffers == other.buffers)
            #expect(one.info == other.info)
            #expect(one.exif == other.exif)
        }
        let region = ImageRegion(x: 0.3, y: 0.1, width: 0.4, height: 0.35)
        #expect(
            try decoder.decode(.bytes(picture), region: region, to: box).pixels
                == here.decode(.bytes(picture), region: region, to: box).pixels)
    }

    @Test("Lists of processes show a worker as spyglass")
    func name() throws {
        let launcher = TestLauncher("honest")
        let pool = Self.pool(launcher)
        _ = try pool.prepare(.webp)
        let file = try #require(fopen("/proc/\(launcher.processes[0])/cmdline", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = fread(&bytes, 1, bytes.count, file)
        #expect(Array(bytes[..<count]) == Array("spyglass\0honest\0".utf8))
    }

    @Test("A truncated file has the same rows and the same message as in this process")
    func truncated() throws {
        let cut = Array(picture.prefix(picture.count / 2))
        let decoder = Self.decoder(TestLauncher("honest"), Self.pool)
        let (one, other) = (try decoder.decode(.bytes(cut), to: box), try ImageDecoder().decode(.bytes(cut), to: box))
        #expect(one.completeness == other.completeness)
        #expect(one.completeness != .complete)
        #expect(one.firstWarning == other.firstWarning)
        #expect(one.pixels == other.pixels)
    }

    @Test("An error of the image is that of this process, and the worker goes on")
    func imageError() throws {
        let launcher = TestLauncher("honest")
        let decoder = Self.decoder(launcher, Self.pool)
        var broken = picture
        for index in 41..<broken.count { broken[index] = 0xFF }
        #expect(decoder.failure(.bytes(broken), to: box) == ImageDecoder().failure(.bytes(broken), to: box))
        #expect(decoder.failure(.bytes(broken), to: box) != nil)
        _ = try decoder.decode(.bytes(picture), to: box)
        #expect(launcher.processes.count == 1)
    }

    @Test("A worker that crashes costs one image and is replaced", arguments: ["crash", "garbage", "large"])
    func misbehaves(mode: String) throws {
        let launcher = TestLauncher(mode, "honest")
        let decoder = Self.decoder(launcher, Self.pool)
        let error = try #require(decoder.failure(.bytes(picture), to: box))
        #expect(error.kind == .library)
        #expect(error.description.contains(mode == "crash" ? "signal 11" : "invalid reply"))
        #expect(try decoder.decode(.bytes(picture), to: box).completeness == .complete)
        #expect(hasEnded(launcher.processes[0]))
    }

    @Test("A worker that does not answer is ended at the deadline")
    func silent() throws {
        let launcher = TestLauncher("silent", "honest")
        let start = ContinuousClock.now
        let calls = CallRecorder<Int>()
        // Each look at the clock is a minute later.
        let decoder = Self.decoder(launcher) { launcher in
            WorkerPool(launcher: launcher, count: 1, deadline: .seconds(90), families: [.png: .webp]) {
                calls.record(1)
                return start + .seconds(60 * calls.values.count)
            }
        }
        #expect(decoder.failure(.bytes(picture), to: box)?.description == "not decoded within 90 s")
        #expect(hasEnded(launcher.processes[0]))
    }

    @Test("A cancelled decode ends its worker")
    func cancelled() throws {
        let launcher = TestLauncher("silent", "honest", cancellingAt: 1)
        let decoder = Self.decoder(launcher, Self.pool)
        let error = #expect(throws: CodecError.self) {
            _ = try decoder.decode(.bytes(picture), to: box, cancellation: launcher.cancellation)
        }
        #expect(error?.kind == .cancelled)
        #expect(hasEnded(launcher.processes[0]))
    }

    @Test("What a worker writes after its reply does not change the pixels")
    func scribbles() throws {
        let decoder = Self.decoder(TestLauncher("scribbles"), Self.pool)
        let size = PixelSize(width: 4, height: 4)
        let image = try decoder.decode(.bytes(picture), to: TargetSize(box: size, fit: .fill))
        let before = image.pixels.bytes.map { $0 }
        // It is still writing, and the next image shares its memory.
        #expect(image.pixels.bytes == before)
        #expect(image.pixels.bytes.allSatisfy { $0 == 7 || $0 == 9 })
    }

    @Test("A missing library is one line, and its worker is started once")
    func missing() {
        let launcher = TestLauncher("missing")
        let decoder = Self.decoder(launcher, Self.pool)
        for _ in 0..<3 {
            #expect(
                decoder.failure(.bytes(picture), to: box)?.description == "needs libtest1: apt install libtest1")
        }
        #expect(launcher.processes.count == 1)
    }

    @Test("A worker is replaced after 64 images")
    func replaced() throws {
        let launcher = TestLauncher("honest")
        let decoder = Self.decoder(launcher, Self.pool)
        for _ in 0...WorkerPool.imagesPerWorker { _ = try decoder.decode(.bytes(picture), to: box) }
        #expect(launcher.processes.count == 2)
        #expect(hasEnded(launcher.processes[0]))
    }

    @Test("A worker that was killed while idle is replaced without an error")
    func killedWhileIdle() throws {
        let launcher = TestLauncher("honest")
        let decoder = Self.decoder(launcher, Self.pool)
        _ = try decoder.decode(.bytes(picture), to: box)
        kill(launcher.processes[0], SIGKILL)
        // It is gone when its end of the socket is: the kernel closes that before others can await it.
        var information = siginfo_t()
        waitid(P_PID, UInt32(launcher.processes[0]), &information, WEXITED | WNOWAIT)
        _ = try decoder.decode(.bytes(picture), to: box)
        #expect(launcher.processes.count == 2)
    }

    @Test("Workers end with their pool")
    func endsWithPool() throws {
        let launcher = TestLauncher("honest")
        do {
            let decoder = Self.decoder(launcher, Self.pool)
            _ = try decoder.decode(.bytes(picture), to: box)
            #expect(!hasEnded(launcher.processes[0]))
        }
        #expect(hasEnded(launcher.processes[0]))
    }

    private func frames(_ animation: Animation) throws -> [[UInt8]] {
        var frames: [[UInt8]] = []
        while let frame = try animation.next() { frames.append(frame.pixels.bytes) }
        return frames
    }

    @Test("An animation in a worker has the frames of this process; other images get another worker")
    func animation() throws {
        guard let shared = TestData.shared else { return print("skipped: no ../shared") }
        let file = EncodedImage.file("\(shared)/images/animated/transparent_dispose.gif")
        let launcher = TestLauncher("honest")
        let pool = WorkerPool(launcher: launcher, count: 1, families: [.gif: .webp, .png: .webp])
        let decoder = ImageDecoder(workers: pool)
        let one = try #require(try decoder.animation(of: file, to: box))
        let other = try #require(try ImageDecoder().animation(of: file, to: box))
        let expected = try frames(other)
        #expect(try frames(one) == expected)
        _ = try decoder.decode(.bytes(picture), to: box)
        one.restart()
        #expect(try one.skip() != nil)
        #expect(try frames(one) == Array(expected.dropFirst()))
        #expect(one.plays == other.plays)
        #expect(launcher.processes.count == 2)
    }

    @Test("An animation ends with its worker, and another family does not wait for it")
    func animationEnds() throws {
        guard let shared = TestData.shared else { return print("skipped: no ../shared") }
        let file = EncodedImage.file("\(shared)/images/animated/transparent_dispose.gif")
        let launcher = TestLauncher("honest")
        let pool = WorkerPool(launcher: launcher, count: 1, families: [.gif: .webp, .png: .heif])
        let decoder = ImageDecoder(workers: pool)
        let animation = try #require(try decoder.animation(of: file, to: box))
        _ = try decoder.decode(.bytes(picture), to: box)
        #expect(launcher.processes.count == 2)
        kill(launcher.processes[0], SIGKILL)
        #expect(throws: CodecError.self) { while try animation.next() != nil {} }
    }

    @Test("A cancelled image does not end the animations of its family")
    func cancelledBesideAnimation() throws {
        guard let shared = TestData.shared else { return print("skipped: no ../shared") }
        let file = EncodedImage.file("\(shared)/images/animated/transparent_dispose.gif")
        let launcher = TestLauncher("honest", "silent", cancellingAt: 2)
        let pool = WorkerPool(launcher: launcher, count: 1, families: [.gif: .webp, .png: .webp])
        let decoder = ImageDecoder(workers: pool)
        let animation = try #require(try decoder.animation(of: file, to: box))
        #expect(throws: CodecError.self) {
            _ = try decoder.decode(.bytes(picture), to: box, cancellation: launcher.cancellation)
        }
        #expect(try animation.next() != nil)
    }

    @Test("Animations share a worker, which serves other images after the last")
    func sharedWorker() throws {
        guard let shared = TestData.shared else { return print("skipped: no ../shared") }
        let file = EncodedImage.file("\(shared)/images/animated/transparent_dispose.gif")
        let launcher = TestLauncher("honest")
        let decoder = ImageDecoder(
            workers: WorkerPool(launcher: launcher, count: 1, families: [.gif: .webp, .png: .webp]))
        do {
            let one = try #require(try decoder.animation(of: file, to: box))
            let other = try #require(try decoder.animation(of: file, to: box))
            #expect(try frames(one) == frames(other))
        }
        _ = try decoder.decode(.bytes(picture), to: box)
        #expect(launcher.processes.count == 1)
    }

    @Test("A family takes the place of an idle worker of another one")
    func families() throws {
        let launcher = TestLauncher("honest")
        let pool = Self.pool(launcher)
        for family in LibraryFamily.allCases { _ = try pool.prepare(family) }
        #expect(launcher.processes.count == LibraryFamily.allCases.count)
        #expect(pool.runningCount == 1)
    }

    @Test("Without a launcher the error says what is missing")
    func noLauncher() {
        let webp: [UInt8] = Array("RIFF".utf8) + [26, 0, 0, 0] + Array("WEBPVP8L".utf8) + [13, 0, 0, 0, 0x2F]
        let failure = ImageDecoder().failure(.bytes(webp + [UInt8](repeating: 0, count: 13)), to: box)
        #expect(failure?.kind == .unsupported)
        #expect(failure?.description.contains("WorkerPool") == true)
    }

    @Test("A locked worker can neither open, connect, start, trace nor signal")
    func forbidden() throws {
        let probe = try Self.pool(TestLauncher("honest")).prepare(.webp)
        guard probe.hasSuffix("seccomp yes") else { return print("skipped: \(probe)") }
        #expect(try Self.pool(TestLauncher("forbidden")).prepare(.webp) == "nothing")
    }
}
