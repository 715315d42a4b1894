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
    private let memoryBytes: @Sendable () -> Int
    private let now: @Sendable () -> ContinuousClock.Instant

    private struct State {
        /// The maximum number of workers, once it is known.
        var count: Int?
        var idle: [WorkerConnection] = []
        var busy: [WorkerConnection] = []
        var starting = 0
        /// Why a family cannot be used: its library is missing.
        var missing: [LibraryFamily: CodecError] = [:]

        /// Makes an idle worker busy.
        mutating func takeIdle(where matches: (WorkerConnection) -> Bool) -> WorkerConnection? {
            guard let index = idle.lastIndex(where: matches) else { return nil }
            busy.append(idle.remove(at: index))
            return busy.last
        }
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
        try withWorker(family, isCancelled: { false }) { (worker, wait) throws(WorkerConnection.Failure) in
            try worker.awaitReady(wait)
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
            stored, of: info.storedSize, copies: Self.copies, work: workBytes,
            more: input.copiedBytes(request.limits), within: request.limits, input.cancellation)
        var request = request
        request.sizes = stored.map { info.orientation.displayed($0) }
        let file = try input.descriptor(limit: request.limits.bodyBytes)
        return try withWorker(family, isCancelled: input.isCancelled) {
            (worker, wait) throws(WorkerConnection.Failure) in
            let (reply, buffers, exif) = try worker.decode(request, file.number, wait)
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
        _ input: ByteReader, of info: ImageInfo, by family: LibraryFamily, _ request: DecodeRequest, workBytes: Int
    ) throws(CodecError) -> WorkerFrames? {
        let stored = try request.spec.storedSizes(of: info, request.limits)
        var request = request
        request.sizes = stored.map { info.orientation.displayed($0) }
        let share = try request.spec.reserveToAnimate(
            stored, of: info.storedSize, copies: Self.copies, work: workBytes,
            more: input.copiedBytes(request.limits), within: request.limits)
        let file = try input.descriptor(limit: request.limits.bodyBytes)
        let isCancelled = input.isCancelled
        return try withWorker(family, toAnimate: true, isCancelled: isCancelled) {
            (worker, wait) throws(WorkerConnection.Failure) in
            let number = worker.newNumber()
            guard case .frame(let plays, _) = try worker.ask(.open(number, request), file.number, wait) else {
                return nil
            }
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
        var isTaken = false
        var hasEnded = false
        repeat {
            if frames.isCancelled() { throw .cancelled }
            _ = state.wait(milliseconds: 50) { state in
                isTaken = state.takeIdle { $0 === worker } != nil
                hasEnded = !isTaken && !state.busy.contains { $0 === worker }
                return isTaken || hasEnded
            }
        } while !isTaken && !hasEnded
        let reply =
            hasEnded
            ? nil
            : try using(worker, frames.isCancelled) { (worker, wait) throws(WorkerConnection.Failure) in
                try worker.frame(request, size, wait)
            }
        guard let reply else { throw CodecError(.library, "\(Self.name(worker.family)) of the animation ended") }
        return reply
    }

    /// Releases an animation: at once where its worker is idle, otherwise after the request that is being answered.
    func release(_ number: Int, of worker: WorkerConnection) {
        worker.release(number)
        if state.withLock({ $0.takeIdle { $0 === worker } != nil }) { giveBack(worker) }
    }

    // MARK: Workers

    private static func name(_ family: LibraryFamily) -> String { "the \(family.rawValue) worker" }

    private func withWorker<Value>(
        _ family: LibraryFamily, toAnimate: Bool = false, isCancelled: @escaping () -> Bool,
        _ body: (WorkerConnection, WorkerConnection.Wait) throws(WorkerConnection.Failure) -> Value
    ) throws(CodecError) -> Value {
        // Each time but the last, one that ended while it was idle.
        for _ in 0...state.withLock({ $0.idle.count }) {
            let worker = try take(family, toAnimate: toAnimate, isCancelled: isCancelled)
            if let value = try using(worker, isCancelled, body) { return value }
        }
        throw CodecError(.library, "\(Self.name(family)) ended before it was asked")
    }

    /// Asks a worker that was taken, and gives it back or ends it; `nil` if it had ended before.
    private func using<Value>(
        _ worker: WorkerConnection, _ isCancelled: @escaping () -> Bool,
        _ body: (WorkerConnection, WorkerConnection.Wait) throws(WorkerConnection.Failure) -> Value
    ) throws(CodecError) -> Value? {
        do throws(WorkerConnection.Failure) {
            let value = try body(worker, .init(end: now() + deadline, now: now, isCancelled: isCancelled))
            giveBack(worker)
            return value
        } catch {
            if case .image(let error) = error {
                giveBack(worker)
                throw error
            }
            let fate = end(worker)
            let name = Self.name(worker.family)
            switch error {
            case .gone: return nil
            case .image(let error): throw error
            case .missing(let error):
                state.withLock { $0.missing[worker.family] = error }
                throw error
            case .ended: throw CodecError(.library, "\(name) ended: \(fate ?? "it was killed")")
            case .cancelled: throw .cancelled
            case .deadline: throw CodecError(.limit, "not decoded within \(deadline.components.seconds) s")
            case .protocolError: throw CodecError(.library, "\(name) sent an invalid reply")
            case .system(let error): throw CodecError(.library, "cannot reach \(name): \(error.reason)")
            }
        }
    }

    private enum Turn {
        case worker(WorkerConnection)
        /// A new one, in place of another, which ends.
        case start(WorkerConnection?)
        case missing(CodecError)
    }

    /// Takes an idle worker, or starts one when there may be one more.
    ///
    /// Animations share workers. Other images get workers without animations, since a worker ends with its image's failure
    /// or cancellation.
    private func take(
        _ family: LibraryFamily, toAnimate: Bool, isCancelled: () -> Bool
    ) throws(CodecError) -> WorkerConnection {
        guard let launcher else { throw Self.noLauncher }
        var turn: Turn?
        repeat {
            if isCancelled() { throw .cancelled }
            _ = state.wait(milliseconds: 50) { state in
                turn = nextTurn(&state, family, toAnimate)
                return turn != nil
            }
        } while turn == nil
        switch turn {
        case .worker(let worker): return worker
        case .missing(let error): throw error
        case .start(let other): other?.end()
        case nil: break
        }
        let started = Result { () throws(CodecError) in
            WorkerConnection(try launcher.start(family, memoryBytes: memoryBytes()), family)
        }
        state.withLock { state in
            state.starting -= 1
            if case .success(let worker) = started { state.busy.append(worker) }
        }
        state.wakeAll()
        return try started.get()
    }

    private func nextTurn(_ state: inout State, _ family: LibraryFamily, _ toAnimate: Bool) -> Turn? {
        if let error = state.missing[family] { return .missing(error) }
        if toAnimate, let worker = state.takeIdle(where: { $0.family == family && $0.holdsAnimations && !$0.isFull }) {
            return .worker(worker)
        }
        if let worker = state.takeIdle(where: { $0.family == family && !$0.holdsAnimations }) { return .worker(worker) }
        let count = state.count ?? max(findCount(), 1)
        state.count = count
        // A worker that holds animations does not count: they play for as long as they are shown.
        if state.starting + (state.idle + state.busy).count(where: { !$0.holdsAnimations }) < count {
            state.starting += 1
            return .start(nil)
        }
        guard let index = state.idle.firstIndex(where: { !$0.holdsAnimations }) else { return nil }
        state.starting += 1
        return .start(state.idle.remove(at: index))
    }

    private func giveBack(_ worker: WorkerConnection) {
        var isBack = false
        while !isBack {
            worker.flushReleased()
            guard !worker.isWorn else {
                end(worker)
                return
            }
            isBack = state.withLock { state in
                // Another thread may just have released an animation.
                guard !worker.hasReleased else { return false }
                state.busy.removeAll { $0 === worker }
                state.idle.append(worker)
                return true
            }
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
