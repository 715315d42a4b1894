internal import SpyglassFiles
internal import SpyglassPixels
internal import SpyglassSandbox
internal import SpyglassThreads

/// The workers of a process: each decodes with the libraries of one family, one image after another.
///
///     let workers = WorkerPool(launcher: launcher, count: 2)
///     let decoder = ImageDecoder(memory: memory, workers: workers)
///
/// Workers start on demand and are kept. One that crashes, breaks the protocol or misses the deadline costs its image, and is
/// replaced; so is one after 64 images. They end with the pool. Thread-safe; calls block.
public final class WorkerPool: Sendable {
    /// Decodes in this process, without a worker: for debugging, and inside of workers.
    public static let inProcess = WorkerPool(nil, { 0 }, { 0 }, .zero, [:]) { .now }

    /// Images that one worker decodes.
    public static let imagesPerWorker = 64

    /// Formats that are decoded in a worker besides those that must be, for tests.
    let families: [ImageFormat: LibraryFamily]
    let launcher: (any WorkerLauncher)?
    let deadline: Duration
    private let findCount: @Sendable () -> Int
    private let knownCount = Mutex<Int?>(nil)
    private var count: Int {
        knownCount.withLock { known in
            let count = known ?? max(findCount(), 1)
            known = count
            return count
        }
    }
    private let memoryBytes: @Sendable () -> Int
    private let now: @Sendable () -> ContinuousClock.Instant

    private struct State {
        var idle: [WorkerConnection] = []
        var busy: [WorkerConnection] = []
        var starting = 0
        /// Why a family cannot be used: its library is missing.
        var missing: [LibraryFamily: CodecError] = [:]
    }

    private let state = Monitor(State())

    /// Starts no process.
    ///
    /// - Parameters:
    ///   - launcher: starts workers.
    ///   - count: the maximum number of workers, at least one; looked up when the first is started.
    ///   - memoryBytes: the memory that each may use for images, looked up when one is started.
    ///   - deadline: the time that an image may take.
    public convenience init(
        launcher: any WorkerLauncher, count: @autoclosure @escaping @Sendable () -> Int,
        memoryBytes: @autoclosure @escaping @Sendable () -> Int = 1 << 30, deadline: Duration = .seconds(60)
    ) { self.init(launcher, count, memoryBytes, deadline, [:]) { .now } }

    package convenience init(
        launcher: any WorkerLauncher, count: @autoclosure @escaping @Sendable () -> Int,
        deadline: Duration = .seconds(60),
        families: [ImageFormat: LibraryFamily],
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) { self.init(launcher, count, { 1 << 30 }, deadline, families, now) }

    private init(
        _ launcher: (any WorkerLauncher)?, _ count: @escaping @Sendable () -> Int,
        _ memoryBytes: @escaping @Sendable () -> Int,
        _ deadline: Duration, _ families: [ImageFormat: LibraryFamily],
        _ now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.families = families
        self.launcher = launcher
        findCount = count
        self.memoryBytes = memoryBytes
        self.deadline = deadline
        self.now = now
    }

    /// For tests.
    package var runningCount: Int { state.withLock { $0.idle.count + $0.busy.count + $0.starting } }

    /// Starts a worker, if none is idle, and waits until it is locked; returns what took hold: `landlock ABI 6, seccomp yes`.
    package func prepare(_ family: LibraryFamily) throws(CodecError) -> String {
        try withWorker(family, isCancelled: { false }) { (worker) throws(WorkerConnection.Failure) in
            try worker.awaitReady(until: now() + deadline, now, { false })
            return worker.report ?? ""
        }
    }

    /// Decodes an input whose header is known.
    func decode(
        _ input: ByteReader, of info: ImageInfo, by family: LibraryFamily, _ request: DecodeRequest, workBytes: Int
    ) throws(CodecError) -> DecodedImage {
        let spec = request.spec
        guard spec.targets.count <= WorkerRequest.maxTargets else {
            throw CodecError(.limit, "more than \(WorkerRequest.maxTargets) sizes")
        }
        let stored = try spec.storedSizes(of: info, request.limits)
        let share = try spec.reserve(
            stored, of: info.storedSize, copies: Self.copies, and: workBytes, isCancelled: input.isCancelled)
        var request = request
        request.sizes = stored.map { info.orientation.displayed($0) }
        let file = try input.descriptor(limit: request.limits.bodyBytes)
        return try withWorker(family, isCancelled: input.isCancelled) { (worker) throws(WorkerConnection.Failure) in
            let (reply, buffers, exif) = try worker.decode(
                request, file.number, until: now() + deadline, now, input.isCancelled)
            return DecodedImage(
                buffers: buffers, info: info, completeness: reply.completeness, warnings: reply.warnings,
                firstWarning: reply.firstWarning, colorWarning: reply.colorWarning, exif: exif
            ).holding(share)
        }
    }

    /// Of the output: the worker's, converted or turned, shared, and ours.
    private static let copies = 4

    // MARK: Animations

    /// Opens an animation in a worker, which then holds it among other work; `nil` for a still image.
    func animation(
        _ input: ByteReader, of info: ImageInfo, by family: LibraryFamily, _ request: DecodeRequest
    ) throws(CodecError) -> WorkerFrames? {
        let stored = try request.spec.storedSizes(of: info, request.limits)
        var request = request
        request.sizes = stored.map { info.orientation.displayed($0) }
        // Two canvases, a frame and what it restores; as for frames in this process.
        let bytes =
            4 * info.storedSize.pixelCount * PixelBuffer.bytesPerPixel
            + DecodeSpec.byteCount(stored, of: info.storedSize, copies: Self.copies)
        var share: WorkMemory.Share?
        if let memory = request.spec.memory, bytes >= WorkMemory.minBytes {
            if bytes > memory.limit { throw CodecError(.exceedsLimit(needed: bytes, limit: memory.limit)) }
            share = memory.reserveIfFree(bytes)
            guard share != nil else { throw .outOfMemory(to: "animate") }
        }
        let file = try input.descriptor(limit: request.limits.bodyBytes)
        let isCancelled = input.isCancelled
        return try withWorker(family, isCancelled: isCancelled) { (worker) throws(WorkerConnection.Failure) in
            let number = worker.newNumber()
            guard
                case .frame(let plays, _) = try worker.ask(
                    .open(number, request), file.number, until: now() + deadline, now, isCancelled)
            else { return nil }
            worker.hold(number)
            return WorkerFrames(
                self, worker, number, info, request.sizes[0], plays: plays < 0 ? nil : plays, isCancelled, share)
        }
    }

    /// Asks the worker that holds an animation, as soon as it has time.
    func frame(
        _ request: WorkerRequest, _ frames: WorkerFrames, size: PixelSize?
    ) throws(CodecError) -> (plays: Int, duration: Int, PixelBuffer?) {
        let worker = frames.worker
        var isHeld = false
        var hasEnded = false
        repeat {
            if frames.isCancelled() { throw .cancelled }
            _ = state.wait(milliseconds: 50) { state in
                if let index = state.idle.firstIndex(where: { $0 === worker }) {
                    state.busy.append(state.idle.remove(at: index))
                    isHeld = true
                } else {
                    hasEnded = !state.busy.contains { $0 === worker }
                }
                return isHeld || hasEnded
            }
        } while !isHeld && !hasEnded
        guard isHeld else { throw CodecError(.library, "the \(worker.family.rawValue) worker of the animation ended") }
        return try using(worker) { (worker) throws(WorkerConnection.Failure) in
            try worker.frame(request, size, until: now() + deadline, now, frames.isCancelled)
        }
    }

    // MARK: Workers

    private func withWorker<Value>(
        _ family: LibraryFamily, isCancelled: () -> Bool,
        _ body: (WorkerConnection) throws(WorkerConnection.Failure) -> Value
    ) throws(CodecError) -> Value {
        while true {
            let (worker, isNew) = try take(family, isCancelled: isCancelled)
            do throws(WorkerConnection.Failure) {
                let value = try body(worker)
                giveBack(worker)
                return value
            } catch {
                guard case .gone = error, !isNew else {
                    throw failure(of: worker, error)
                }
                // It ended while it was idle; of the others one is new at last.
                end(worker)
            }
        }
    }

    private func using<Value>(
        _ worker: WorkerConnection, _ body: (WorkerConnection) throws(WorkerConnection.Failure) -> Value
    ) throws(CodecError) -> Value {
        let value: Value
        do throws(WorkerConnection.Failure) { value = try body(worker) } catch { throw failure(of: worker, error) }
        giveBack(worker)
        return value
    }

    /// What a failure means for the worker, and the line for the image.
    private func failure(of worker: WorkerConnection, _ failure: WorkerConnection.Failure) -> CodecError {
        let name = "the \(worker.family.rawValue) worker"
        if case .image(let error) = failure {
            giveBack(worker)
            return error
        }
        let fate = end(worker)
        switch failure {
        case .image(let error): return error
        case .missing(let error):
            state.withLock { $0.missing[worker.family] = error }
            return error
        case .gone, .ended: return CodecError(.library, "\(name) ended: \(fate ?? "it was killed")")
        case .cancelled: return .cancelled
        case .deadline: return CodecError(.limit, "not decoded within \(deadline.components.seconds) s")
        case .protocolError: return CodecError(.library, "\(name) sent an invalid reply")
        case .system(let error): return CodecError(.outOfMemory, "cannot reach \(name): \(error.reason)")
        }
    }

    private enum Turn {
        case worker(WorkerConnection)
        case start
        case missing(CodecError)
    }

    private func take(
        _ family: LibraryFamily, isCancelled: () -> Bool
    ) throws(CodecError) -> (WorkerConnection, isNew: Bool) {
        guard let launcher else { throw Self.noLauncher }
        let count = count
        var turn: Turn?
        var retired: WorkerConnection?
        repeat {
            if isCancelled() { throw .cancelled }
            _ = state.wait(milliseconds: 50) { state in
                if let error = state.missing[family] {
                    turn = .missing(error)
                } else if let index = state.idle.lastIndex(where: { $0.family == family && !$0.isFull }) {
                    let worker = state.idle.remove(at: index)
                    state.busy.append(worker)
                    turn = .worker(worker)
                } else if state.starting + (state.idle + state.busy).count(where: { !$0.holdsAnimations }) < count {
                    // A worker that holds animations does not count: they play for as long as they are shown.
                    state.starting += 1
                    turn = .start
                } else if let index = state.idle.firstIndex(where: { !$0.holdsAnimations }) {
                    // Of another family; the new one takes its place.
                    retired = state.idle.remove(at: index)
                    state.starting += 1
                    turn = .start
                }
                return turn != nil
            }
        } while turn == nil
        retired?.end()
        switch turn {
        case .worker(let worker): return (worker, false)
        case .missing(let error): throw error
        default: break
        }
        let started = Result { () throws(CodecError) in
            WorkerConnection(try launcher.start(family, memoryBytes: memoryBytes()), family)
        }
        state.withLock { state in
            state.starting -= 1
            if case .success(let worker) = started { state.busy.append(worker) }
        }
        state.wakeAll()
        return (try started.get(), true)
    }

    private func giveBack(_ worker: WorkerConnection) {
        guard !worker.isWorn else {
            end(worker)
            return
        }
        state.withLock { state in
            state.busy.removeAll { $0 === worker }
            state.idle.append(worker)
        }
        state.wakeAll()
    }

    @discardableResult
    private func end(_ worker: WorkerConnection) -> String? {
        defer {
            state.withLock { state in state.busy.removeAll { $0 === worker } }
            state.wakeAll()
        }
        return worker.end()
    }

    static let noLauncher = CodecError(
        .unsupported, "needs a worker process, and this program starts none; give ImageDecoder a WorkerPool")
}
