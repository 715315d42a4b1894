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
        var running = 0
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
    package var runningCount: Int { state.withLock { $0.running } }

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

    // MARK: Workers

    private func withWorker<Value>(
        _ family: LibraryFamily, isCancelled: () -> Bool,
        _ body: (WorkerConnection) throws(WorkerConnection.Failure) -> Value
    ) throws(CodecError) -> Value {
        var isRetry = false
        while true {
            let (worker, isNew) = try take(family, isCancelled: isCancelled)
            do {
                let value = try body(worker)
                giveBack(worker)
                return value
            } catch {
                switch error {
                case .image(let error):
                    giveBack(worker)
                    throw error
                case .missing(let error):
                    end(worker)
                    state.withLock { $0.missing[family] = error }
                    throw error
                case .gone where !isNew && !isRetry:
                    // It ended while it was idle.
                    end(worker)
                    isRetry = true
                case .gone, .ended:
                    let fate = end(worker)
                    throw CodecError(.library, "the \(family.rawValue) worker ended: \(fate ?? "it was killed")")
                case .cancelled:
                    end(worker)
                    throw .cancelled
                case .deadline:
                    end(worker)
                    throw CodecError(.limit, "not decoded within \(deadline.components.seconds) s")
                case .protocolError:
                    end(worker)
                    throw CodecError(.library, "the \(family.rawValue) worker sent an invalid reply")
                case .system(let error):
                    end(worker)
                    throw CodecError(.outOfMemory, "cannot reach the \(family.rawValue) worker: \(error.reason)")
                }
            }
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
                } else if let index = state.idle.lastIndex(where: { $0.family == family }) {
                    turn = .worker(state.idle.remove(at: index))
                } else if state.running < count {
                    state.running += 1
                    turn = .start
                } else if !state.idle.isEmpty {
                    // Of another family; the new one takes its place.
                    retired = state.idle.removeFirst()
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
        do throws(CodecError) {
            return (WorkerConnection(try launcher.start(family, memoryBytes: memoryBytes()), family), true)
        } catch {
            forget()
            throw error
        }
    }

    private func giveBack(_ worker: WorkerConnection) {
        guard !worker.isWorn else {
            end(worker)
            return
        }
        state.withLock { $0.idle.append(worker) }
        state.wakeOne()
    }

    @discardableResult
    private func end(_ worker: WorkerConnection) -> String? {
        defer { forget() }
        return worker.end()
    }

    private func forget() {
        state.withLock { $0.running -= 1 }
        state.wakeOne()
    }

    static let noLauncher = CodecError(
        .unsupported, "needs a worker process, and this program starts none; give ImageDecoder a WorkerPool")
}
