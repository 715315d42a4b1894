import Glibc
import SpyglassFiles
import SpyglassPixels
import SpyglassSandbox
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassCodecs

@Suite(
    "WorkerPool",
    .enabled(if: TestLauncher.path != nil, "decode-worker has not been built beside the tests"),
    .timeLimit(.minutes(10)))
struct WorkerPoolTests {
    private let picture = PNGFile.gray(width: 40, height: 30) { UInt8(($0 * 5 + $1 * 7) & 255) }
    private let box = TargetSize.box(4, 4)
    /// Three frames; the second and the third begin with a transparent canvas.
    private let moving: EncodedImage = {
        var file = GIFFile(width: 40, height: 30)
        for color: UInt8 in 1...3 {
            file.control(GIFFile.Control(disposal: 2))
            file.image(width: 40, height: 30, [UInt8](repeating: color, count: 1200))
        }
        return .bytes(file.ended())
    }()

    private static func decoder(_ launcher: TestLauncher, _ pool: (TestLauncher) -> WorkerPool) -> ImageDecoder {
        ImageDecoder(workers: pool(launcher))
    }

    private static func pool(_ launcher: TestLauncher) -> WorkerPool {
        WorkerPool(launcher: launcher, count: 1, scope: .allFormats)
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
            #expect(one.buffers == other.buffers && one.info == other.info && one.exif == other.exif)
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
        _ = try pool.prepare(.builtIn)
        #expect(TestData.bytes(of: "/proc/\(launcher.processes[0])/cmdline") == Array("spyglass\0honest\0".utf8))
    }

    @Test("A truncated file has the same rows and the same message as in this process")
    func truncated() throws {
        let cut = Array(picture.prefix(picture.count / 2))
        let decoder = Self.decoder(TestLauncher("honest"), Self.pool)
        let (one, other) = (try decoder.decode(.bytes(cut), to: box), try ImageDecoder().decode(.bytes(cut), to: box))
        #expect(one.completeness == other.completeness && one.completeness != .complete)
        #expect(one.firstWarning == other.firstWarning && one.pixels == other.pixels)
    }

    @Test("An error of the image is that of this process, and the worker goes on")
    func imageError() throws {
        let launcher = TestLauncher("honest")
        let decoder = Self.decoder(launcher, Self.pool)
        let expected = try #require(ImageDecoder().failure(.bytes(Self.broken(picture)), to: box))
        for _ in 0..<2 { #expect(decoder.failure(.bytes(Self.broken(picture)), to: box) == expected) }
        _ = try decoder.decode(.bytes(picture), to: box)
        #expect(launcher.processes.count == 2)
    }

    private static func broken(_ file: [UInt8]) -> [UInt8] {
        file.enumerated().map { index, byte in index < 41 ? byte : 0xFF }
    }

    @Test("An image that only a used worker fails on is decoded by a fresh one", arguments: ["forgetful", "mortal"])
    func usedWorker(mode: String) throws {
        let launcher = TestLauncher(mode)
        let decoder = Self.decoder(launcher, Self.pool)
        for _ in 0..<3 { #expect(try decoder.decode(.bytes(picture), to: box).completeness == .complete) }
        #expect(launcher.processes.count == 3 && hasEnded(launcher.processes[0]))
    }

    @Test("A worker that crashes costs nothing, and is replaced", arguments: ["crash", "garbage", "large", "greedy"])
    func misbehaves(mode: String) throws {
        let launcher = TestLauncher(mode, "honest")
        let decoder = Self.decoder(launcher, Self.pool)
        #expect(try decoder.decode(.bytes(picture), to: box).completeness == .complete)
        #expect(launcher.processes.count == 2 && hasEnded(launcher.processes[0]))
    }

    @Test(
        "An image that crashes two workers, or makes both break the protocol, fails with one line; the next one is decoded",
        arguments: ["crash", "garbage", "large", "greedy"])
    func crashes(mode: String) throws {
        let decoder = Self.decoder(TestLauncher(mode, mode, "honest"), Self.pool)
        let description = mode == "crash" ? "decoder crashed (signal 11)" : "decoder sent an invalid reply"
        #expect(decoder.failure(.bytes(picture), to: box) == CodecError(.crashed, description))
        #expect(try decoder.decode(.bytes(picture), to: box).completeness == .complete)
    }

    @Test("A crash while an AVIF is made is not blamed on the decoder alone")
    func crashesEncoding() {
        let encoding = FilePlan.Encoding(
            .avif(quality: 60, effort: 0), comment: "", commentWithoutColor: "", background: RGBA(0, 0, 0))
        let error = #expect(throws: CodecError.self) {
            try Self.decoder(TestLauncher("crash"), Self.pool).files(
                [FilePlan(box, encoding: encoding)], of: .bytes(picture), opened: nil, filter: .area, isExact: false,
                keeping: [])
        }
        #expect(error?.description == "decoder or encoder crashed (signal 11)")
    }

    @Test("A worker that does not answer is ended at the deadline, which is final")
    func silent() throws {
        let launcher = TestLauncher("silent", "honest")
        let decoder = Self.decoder(launcher) {
            WorkerPool(launcher: $0, count: 1, deadline: .milliseconds(1500), scope: .allFormats)
        }
        #expect(decoder.failure(.bytes(picture), to: box) == CodecError(.limit, "not finished within 1.5 s"))
        #expect(launcher.processes.count == 1 && hasEnded(launcher.processes[0]))
    }

    /// Cancels a decode as soon as the condition holds.
    private func expectCancelled(_ decoder: ImageDecoder, when condition: () -> Bool) async throws {
        let (cancellation, picture) = (Cancellation(), picture)
        async let decoded = ThreadPool(count: 1).run { [box] _ in
            decoder.failure(.bytes(picture), to: box, cancellation: cancellation)
        }
        try await waitUntil { condition() }
        cancellation.cancel()
        #expect(try await decoded == .cancelled)
    }

    @Test("A cancelled decode ends its worker without waiting for a reply")
    func cancelled() async throws {
        let launcher = TestLauncher("silent", "honest")
        let decoder = Self.decoder(launcher, Self.pool)
        try await expectCancelled(decoder) { launcher.processes.count == 1 }
        #expect(hasEnded(launcher.processes[0]))
    }

    @Test("What a worker writes after its reply does not change the pixels")
    func scribbles() throws {
        let decoder = Self.decoder(TestLauncher("scribbles"), Self.pool)
        let size = PixelSize(width: 4, height: 4)
        let image = try decoder.decode(.bytes(picture), to: TargetSize(box: size, fit: .fill))
        let before = image.pixels.bytes.map { $0 }
        // It is still writing, and the next image shares its memory.
        #expect(image.pixels.bytes == before && before.allSatisfy { $0 == 7 || $0 == 9 })
    }

    @Test("An unrequested reply ends its worker and reaches no other image")
    func twice() throws {
        let launcher = TestLauncher("twice")
        let decoder = Self.decoder(launcher, Self.pool)
        for count in 1...3 {
            let size = PixelSize(width: 4, height: 4)
            let image = try decoder.decode(.bytes(picture), to: TargetSize(box: size, fit: .fill))
            #expect(image.pixels.bytes.allSatisfy { $0 == 7 } && launcher.processes.count == count)
        }
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

    @Test("Where the system allows fewer processes, images wait for the workers that there are")
    func fewerProcesses() async throws {
        let launcher = TestLauncher("honest", "none")
        let decoder = ImageDecoder(workers: WorkerPool(launcher: launcher, count: 4, scope: .allFormats))
        _ = try decoder.decode(.bytes(picture), to: box)
        let threads = ThreadPool(count: 4)
        try await withThrowingTaskGroup(of: PixelSize.self) { [picture, box] group in
            for _ in 0..<8 {
                group.addTask {
                    try await threads.run { _ in try decoder.decode(.bytes(picture), to: box).pixels.size }
                }
            }
            for try await size in group { #expect(size == PixelSize(width: 4, height: 3)) }
        }
        #expect(launcher.processes.count == 1)
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

    @Test("The worker finds that a TIFF is a RAW file")
    func raw() throws {
        let jpeg = try ImageEncoder(.jpeg(.init())).encode(PixelBuffer(9, 7) { x, y in RGBA(UInt8(x), UInt8(y), 9) })
        let file = EncodedImage.bytes(RAWDecodingTests.tiff(jpeg, []))
        let decoder = Self.decoder(TestLauncher("honest"), Self.pool)
        let formats = try [
            decoder.format(of: file), decoder.probe(file).format, decoder.decode(file, to: .original).info.format,
        ]
        #expect(formats == [.tiff, .raw, .raw])
        #expect(try decoder.embeddedPreview(of: file, for: .box(3, 3)) == nil)
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

    private func frames(_ animation: Animation) throws -> [PixelBuffer] { try animation.frames().map(\.pixels) }

    @Test("An animation in a worker has the frames of this process; other images get another worker")
    func animation() throws {
        let launcher = TestLauncher("honest")
        let decoder = Self.decoder(launcher, Self.pool)
        let one = try #require(try decoder.animation(of: moving, to: box))
        let other = try #require(try ImageDecoder().animation(of: moving, to: box))
        let expected = try frames(other)
        #expect(try frames(one) == expected)
        _ = try decoder.decode(.bytes(picture), to: box)
        one.restart()
        #expect(try one.skip() != nil)
        #expect(try frames(one) == Array(expected.dropFirst()))
        #expect(one.plays == other.plays && launcher.processes.count == 2)
    }

    @Test("Frames larger than the shared memory arrive whole")
    func largeFrames() throws {
        let target = TargetSize(box: PixelSize(width: 700, height: 700), allowsUpscaling: true)
        let decoder = Self.decoder(TestLauncher("honest"), Self.pool)
        let one = try #require(try decoder.animation(of: moving, to: target))
        let other = try #require(try ImageDecoder().animation(of: moving, to: target))
        #expect(try frames(one) == frames(other))
    }

    @Test("An animation that gets no memory leaves those in its worker alone")
    func refusedAnimation() throws {
        let decoder = ImageDecoder(memory: WorkMemory(limit: 4 << 20), workers: Self.pool(TestLauncher("honest")))
        let animation = try #require(try decoder.animation(of: moving, to: box))
        let large = TargetSize(box: PixelSize(width: 2000, height: 2000), allowsUpscaling: true)
        #expect(throws: CodecError.self) { try decoder.animation(of: moving, to: large) }
        #expect(try animation.next() != nil)
    }

    @Test("An animation ends with its worker, and other images do not wait for it")
    func animationEnds() throws {
        let launcher = TestLauncher("honest")
        let decoder = Self.decoder(launcher, Self.pool)
        let animation = try #require(try decoder.animation(of: moving, to: box))
        _ = try decoder.decode(.bytes(picture), to: box)
        #expect(launcher.processes.count == 2)
        kill(launcher.processes[0], SIGKILL)
        #expect(throws: CodecError.self) { while try animation.next() != nil {} }
    }

    @Test("A cancelled image does not end an animation")
    func cancelledBesideAnimation() async throws {
        let launcher = TestLauncher("honest", "silent")
        let decoder = Self.decoder(launcher, Self.pool)
        let animation = try #require(try decoder.animation(of: moving, to: box))
        try await expectCancelled(decoder) { launcher.processes.count == 2 }
        #expect(try animation.next() != nil)
    }

    @Test("A worker with another library takes the place of an idle one; every worker decodes what is built in")
    func libraries() throws {
        let launcher = TestLauncher("honest")
        let pool = Self.pool(launcher)
        for library in WorkerLibrary.allCases { _ = try pool.prepare(library) }
        #expect(launcher.processes.count == WorkerLibrary.allCases.count && pool.runningCount == 1)
        _ = try ImageDecoder(workers: pool).decode(.bytes(picture), to: box)
        #expect(launcher.processes.count == WorkerLibrary.allCases.count)
    }

    @Test("Header, metadata and frames come from a worker as from this process")
    func inspection() throws {
        let decoder = Self.decoder(TestLauncher("honest"), Self.pool)
        for name in ["exif/1-big.jpg", "exif/2-big.jpg"] {
            let file = EncodedImage.file(TestData.fixture("images/\(name)"))
            #expect(try decoder.metadata(of: file) == ImageDecoder().metadata(of: file))
            let info = try decoder.probe(file)
            #expect(try info == ImageDecoder().probe(file) && decoder.frameCount(of: file) == 1)
        }
    }

    @Test("Files made in a worker are those of this process")
    func files() throws {
        let decoder = Self.decoder(TestLauncher("honest"), Self.pool)
        func encoding(_ format: FilePlan.Format) -> FilePlan.Encoding {
            FilePlan.Encoding(format, comment: "one", commentWithoutColor: "two", background: RGBA(255, 0, 255))
        }
        let plans = [
            FilePlan(.original, encoding: encoding(.jpeg(.init(quality: 70)))),
            FilePlan(
                TargetSize(box: PixelSize(width: 12, height: 12), fit: .cover),
                filling: .crop(PixelSize(width: 12, height: 12), .attention), encoding: encoding(.png)),
            FilePlan(
                .box(9, 9), filling: .pad(PixelSize(width: 50, height: 9), RGBA(0, 0, 0, 0)), encoding: encoding(.png)),
            FilePlan(.box(9, 9), encoding: nil),
        ]
        func made(_ decoder: ImageDecoder) throws -> EncodedFiles {
            try decoder.files(
                plans, of: .bytes(picture), opened: nil, filter: .lanczos, isExact: false, keeping: [])
        }
        let (one, other) = (try made(decoder), try made(ImageDecoder()))
        #expect(one.files.map { $0?.bytes } == other.files.map { $0?.bytes })
        let sizes = one.files.map { $0?.size.description ?? "" }
        #expect(sizes == ["40x30", "12x12", "50x9", ""] && one.image.info == other.image.info)
    }

    @Test(
        "An image in memory is decoded, whether it fits into the shared memory or not",
        arguments: [0, 1])
    func inputInMemory(excess: Int) throws {
        // What follows the image's end is not read.
        let rest = [UInt8](repeating: 0, count: WorkerConnection.minSharedBytes + excess - picture.count)
        let decoder = Self.decoder(TestLauncher("honest"), Self.pool)
        // Nor what the memory has of the image before.
        for bytes in [picture, picture + rest, picture, Array(picture.dropLast(picture.count / 2))] {
            let image = try decoder.decode(.bytes(bytes), to: box)
            let expected = try ImageDecoder().decode(.bytes(bytes), to: box)
            #expect(image.pixels == expected.pixels && image.completeness == expected.completeness)
        }
    }

    @Test("Files larger than the shared memory arrive whole")
    func largeFiles() throws {
        let noise = PNGFile.gray(width: 900, height: 900) {
            UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761 ^ $1 &* 40_503) >> 7)
        }
        let decoder = Self.decoder(TestLauncher("honest"), Self.pool)
        let image = try decoder.decode(.bytes(noise), to: .original)
        #expect(try image.pixels == ImageDecoder().decode(.bytes(noise), to: .original).pixels)
    }

    @Test("Work memory is reserved before a worker decodes, and an image above the budget is refused")
    func workMemory() throws {
        let noise = PNGFile.gray(width: 900, height: 900) { UInt8(($0 * 5 + $1 * 7) & 255) }
        let memory = WorkMemory(limit: 4 << 20)
        let decoder = ImageDecoder(memory: memory, workers: Self.pool(TestLauncher("honest")))
        let failure = decoder.failure(.bytes(noise), to: .original)
        #expect(failure?.exceeded != nil && failure?.kind == .limit)
        #expect(try decoder.decode(.bytes(noise), to: box).completeness == .complete)
    }

    @Test("Without a launcher the error says what is missing")
    func noLauncher() {
        let webp: [UInt8] = Array("RIFF".utf8) + [26, 0, 0, 0] + Array("WEBPVP8L".utf8) + [13, 0, 0, 0, 0x2F]
        let failure = ImageDecoder().failure(.bytes(webp + [UInt8](repeating: 0, count: 13)), to: box)
        #expect(failure?.kind == .unsupported && failure?.description.contains("`workers:`") == true)
    }

    @Test("A worker ends at a request for more bytes than are shared", arguments: [false, true])
    func tooManyBytes(sharesMemory: Bool) throws {
        let (ours, theirs) = try MessageSocket.pair()
        let socket = MessageSocket(owning: ours)
        let memory = try SharedMemory(byteCount: 4096)
        var request = DecodeRequest()
        request.inputBytes = memory.byteCount + 1
        try socket.send(WorkerRequest.start(WorkerLibraries(.builtIn)).bytes(numbered: 1))
        try socket.send(
            WorkerRequest.decode(request).bytes(numbered: 2),
            descriptors: sharesMemory ? [memory.descriptor.number] : [])
        // After a reply it would find the end.
        shutdown(ours, Int32(SHUT_WR))
        #expect(DecodeWorker.serve(MessageSocket(owning: theirs)) { _ in "ready" } == 2)
        #expect(try socket.receive().bytes.isEmpty == false && socket.receive().bytes.isEmpty)
    }

    @Test("A signal ends a wait for a message")
    func signalled() async throws {
        let (ours, theirs) = try MessageSocket.pair()
        let other = MessageSocket(owning: theirs)
        signal(SIGURG) { _ in }
        let result = Mutex<Bool?>(nil)
        let thread = try SystemThreads.start {
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGURG)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            let found = try? MessageSocket(owning: ours).isReadable(within: .seconds(3600))
            result.withLock { $0 = found ?? true }
        }
        try await waitUntil {
            pthread_kill(thread, SIGURG)
            return result.withLock { $0 } != nil
        }
        pthread_join(thread, nil)
        #expect(result.withLock { $0 } == false)
        withExtendedLifetime(other) {}
    }

    @Test("A locked worker can neither open, connect, start, trace nor signal")
    func forbidden() throws {
        let probe = try Self.pool(TestLauncher("honest")).prepare(.builtIn)
        guard probe.hasSuffix("seccomp yes") else { return print("skipped: \(probe)") }
        #expect(try Self.pool(TestLauncher("forbidden")).prepare(.builtIn) == "nothing")
    }
}

/// Starts `decode-worker`, which is next to the tests, in one mode after another; the last one is repeated.
///
/// The mode `none` is a system that starts no process.
final class TestLauncher: WorkerLauncher {
    private let modes: [String]
    private let started = Mutex<[Int32]>([])

    init(_ modes: String...) { self.modes = modes }

    /// The processes that were started.
    var processes: [Int32] { started.withLock { $0 } }

    /// `nil` if it has not been built.
    static let path = ThisProcess.program("decode-worker")

    func start(memoryBytes: Int) throws(CodecError) -> WorkerProcess {
        do throws(FileError) {
            let (ours, theirs) = try MessageSocket.pair()
            let other = FileDescriptor(owning: theirs)
            let mode = modes[min(processes.count, modes.count - 1)]
            guard mode != "none" else { throw FileError("posix_spawn", code: EAGAIN) }
            let process = try ChildProcess.spawn(Self.path ?? "", [mode], socket: other.number)
            started.withLock { $0.append(process) }
            return WorkerProcess(socket: ours) {
                ChildProcess.end(process).map { WorkerExit(waitStatus: $0) } ?? .unknown
            }
        } catch {
            throw CodecError(.library, "\(error)")
        }
    }
}
