internal import Glibc
internal import SpyglassFiles
internal import SpyglassPixels
internal import SpyglassSandbox
internal import SpyglassThreads

/// Processes that decode images, each locked before it reads the first byte of one.
///
///     let workers = WorkerPool.currentExecutable(count: 2)
///     let decoder = ImageDecoder(memory: memory, workers: workers)
///
/// Workers start on demand and are kept. A worker that crashes, breaks the protocol or misses the deadline is replaced; so is one
/// after 1,024 images. An image fails only after a fresh worker has failed on it, so results do not depend on what was
/// decoded before; a deadline, a cancellation and a refusal of memory are final at once. Workers end with the pool. Thread-safe; calls block.
public final class WorkerPool: Sendable {
    /// The formats that workers decode.
    package enum Scope: Hashable, Sendable {
        /// All but JPEG, PNG, GIF and BMP: formats of foreign libraries, and those with many kinds of headers.
        case foreignFormats
        /// All: this process looks at signatures only.
        case allFormats
    }

    /// Decodes in this process, without a worker: for debugging, and inside of workers.
    public static let inProcess = WorkerPool(launcher: nil, count: 0)

    /// Requests for images that one worker answers.
    package static let imagesPerWorker = 1024

    /// The formats that are decoded in workers; others are decoded in this process.
    package let scope: Scope
    private let launcher: (any WorkerLauncher)?
    private let deadline: Duration
    private let startLimit: Duration
    private let findCount: @Sendable () -> Int
    private let memoryBytes: @Sendable () -> Int

    struct State {
        /// The maximum number of workers, once it is known.
        var count: Int?
        var idle: [WorkerConnection] = []
        var busy: [WorkerConnection] = []
        var starting = 0
        /// Why libraries cannot be used.
        var missing: [WorkerLibraries: CodecError] = [:]
        /// Set if the program that was started is not a worker: none has answered.
        var noWorker: CodecError?
        var hasAnswered = false

        /// Makes an idle worker busy.
        mutating func takeIdle(where matches: (WorkerConnection) -> Bool) -> WorkerConnection? {
            guard let index = idle.lastIndex(where: matches) else { return nil }
            busy.append(idle.remove(at: index))
            return busy.last
        }
    }

    let state = Monitor(State())

    /// Starts no process.
    ///
    /// - Parameters:
    ///   - launcher: starts workers; `nil`: there are none.
    ///   - count: the maximum number of workers, at least one; looked up when the first is started.
    ///   - memoryBytes: the memory that each may use for images, looked up when one is started.
    ///   - deadline: the time that an image may take; large AVIF outputs have more.
    ///   - startLimit: the time that a worker may take to start, usually a fraction of a second.
    ///   - scope: the formats that are decoded in workers.
    package init(
        launcher: (any WorkerLauncher)?, count: @autoclosure @escaping @Sendable () -> Int,
        memoryBytes: @autoclosure @escaping @Sendable () -> Int = 1 << 30, deadline: Duration = .seconds(60),
        startLimit: Duration = .seconds(30), scope: Scope = .foreignFormats
    ) {
        (self.launcher, findCount, self.memoryBytes) = (launcher, count, memoryBytes)
        (self.deadline, self.startLimit, self.scope) = (deadline, startLimit, scope)
    }

    /// The number of processes, for tests.
    package var runningCount: Int { state.withLock { $0.idle.count + $0.busy.count + $0.starting } }

    /// Starts a worker, if none is idle, and waits until it is locked; returns what took hold: `landlock ABI 6, seccomp yes`.
    package func prepare(_ library: WorkerLibrary) throws(CodecError) -> String {
        try withWorker([library], nil) { (worker) throws(WorkerConnection.Failure) in
            try worker.awaitReady()
            return worker.report ?? ""
        }
    }

    // MARK: Attempts

    /// Crashes after which an image fails.
    private static let maxCrashes = 2
    /// Kills from outside after which an image fails: its memory may be why the system kills.
    private static let maxKills = 4

    /// Asks a worker that has `encoder` and the first installed one of `libraries`.
    ///
    /// A failure counts only in a fresh worker, and a crash only if it happens twice.
    func withWorker<Value>(
        _ libraries: [WorkerLibrary], encoder: WorkerLibrary = .builtIn, _ cancellation: Cancellation?,
        toAnimate: Bool = false,
        _ body: (WorkerConnection) throws(WorkerConnection.Failure) -> Value
    ) throws(CodecError) -> Value {
        var libraries = libraries[...]
        var (crashes, kills, needsFresh) = (0, 0, false)
        while true {
            let first = libraries.first ?? .builtIn
            // A worker that decodes the format, too, serves all inputs.
            let wanted = WorkerLibraries(first == .builtIn ? encoder : first, encoder: encoder)
            let worker: WorkerConnection
            do throws(CodecError) {
                worker = try take(wanted, isFresh: needsFresh, toAnimate: toAnimate, cancellation)
            } catch {
                guard libraries.count > 1, state.withLock({ $0.missing[wanted] }) == error else { throw error }
                libraries = libraries.dropFirst()
                continue
            }
            let isFirst = worker.images == 0
            let failure: WorkerConnection.Failure
            switch use(worker, cancellation, or: libraries.dropFirst().first, body) {
            case .success(let value): return value
            case .failure(let found): failure = found
            }
            if cancellation?.isCancelled == true { throw .cancelled }
            switch failure {
            case .missing where libraries.count > 1: libraries = libraries.dropFirst()
            case .elsewhere(let other): libraries = [other]
            case .image where !isFirst: needsFresh = true
            case .ended, .invalidReply:
                let exit = worker.end()
                if exit.isKill, case .ended = failure { kills += 1 } else { crashes += 1 }
                guard crashes < Self.maxCrashes, kills < Self.maxKills else {
                    if worker.report == nil, case .code = exit { throw refuse(worker) }
                    throw error(of: failure, after: exit, encoder)
                }
                needsFresh = true
            case .silent: throw refuse(worker)
            default: throw error(of: failure, after: .unknown)
            }
        }
    }

    /// Returns the error of a program that is not a worker, and remembers it unless another one has answered.
    private func refuse(_ worker: WorkerConnection) -> CodecError {
        let error = worker.noWorker
        state.withLock { state in
            if !state.hasAnswered { state.noWorker = error }
        }
        state.wakeAll()
        return error
    }

    /// Asks a worker that was taken, then gives it back if it still works, and suits the next image; ends it otherwise.
    ///
    /// `other` is the library that the image may need instead. An image in a worker that holds animations is not
    /// interrupted: they would end with it.
    func use<Value>(
        _ worker: WorkerConnection, _ cancellation: Cancellation?, or other: WorkerLibrary? = nil,
        _ body: (WorkerConnection) throws(WorkerConnection.Failure) -> Value
    ) -> Result<Value, WorkerConnection.Failure> {
        let (isFirst, isShared) = (worker.images == 0, worker.holdsAnimations)
        let registration = isShared ? nil : cancellation?.onCancel { worker.interrupt() }
        var result = withExtendedLifetime(registration) {
            Result { () throws(WorkerConnection.Failure) in try body(worker) }
        }
        if case .failure(.elsewhere(let library)) = result, library != other { result = .failure(.invalidReply) }
        if !isShared, cancellation?.isCancelled == true {
            // Its socket may be shut down.
            end(worker)
            return result
        }
        switch result {
        case .success, .failure(.elsewhere), .failure(.refused): giveBack(worker)
        case .failure(.image) where isFirst || isShared: giveBack(worker)
        case .failure(.missing(let error)):
            if error.kind == .unsupported { state.withLock { $0.missing[worker.libraries] = error } }
            end(worker)
        case .failure: end(worker)
        }
        return result
    }

    /// The error of an image after its last attempt.
    func error(
        of failure: WorkerConnection.Failure, after exit: @autoclosure () -> WorkerExit,
        _ encoder: WorkerLibrary = .builtIn
    ) -> CodecError {
        let part = encoder == .builtIn ? "decoder" : "decoder or encoder"
        return switch failure {
        case .image(let error), .refused(let error), .missing(let error): error
        case .ended, .silent:
            CodecError(.crashed, "\(part) \(exit().isKill ? "was killed" : "crashed") (\(exit().words))")
        case .invalidReply, .elsewhere: CodecError(.crashed, "\(part) sent an invalid reply")
        case .deadline(let limit): CodecError(.limit, "not finished within \(Self.text(of: limit))")
        case .system(let error) where error.code == EFBIG:
            CodecError(.limit, "cannot share memory with the decoder: \(error.reason) (raise `ulimit -f`)")
        case .system(let error) where [ENOSPC, ENOMEM].contains(error.code): .outOfMemory(to: "decode")
        case .system(let error): CodecError(.library, "cannot reach the decoder: \(error.reason)")
        }
    }

    private static func text(of duration: Duration) -> String {
        let seconds = duration / .seconds(1)
        return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
    }

    // MARK: Workers

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
        _ libraries: WorkerLibraries, isFresh: Bool, toAnimate: Bool, _ cancellation: Cancellation?
    ) throws(CodecError) -> WorkerConnection {
        guard let launcher else { throw Self.noLauncher }
        while true {
            switch try wait(cancellation, { state in nextTurn(&state, libraries, isFresh, toAnimate) }) {
            case .worker(let worker): return worker
            case .missing(let error): throw error
            case .start(let other): other?.end()
            }
            let started = Result { () throws(CodecError) in
                WorkerConnection(
                    try launcher.start(memoryBytes: memoryBytes()), libraries, deadline: deadline,
                    startLimit: startLimit)
            }
            let others = state.withLock { state in
                state.starting -= 1
                if case .success(let worker) = started { state.busy.append(worker) }
                let others = state.starting + (state.idle + state.busy).count(where: { !$0.holdsAnimations })
                // The system allows no more processes: images wait for those that there are.
                if case .failure = started, others > 0 { state.count = others }
                return others
            }
            state.wakeAll()
            if case .failure = started, others > 0 { continue }
            return try started.get()
        }
    }

    private func nextTurn(
        _ state: inout State, _ libraries: WorkerLibraries, _ isFresh: Bool, _ toAnimate: Bool
    ) -> Turn? {
        if let error = state.missing[libraries] { return .missing(error) }
        func suits(_ worker: WorkerConnection) -> Bool { worker.libraries.include(libraries) }
        if !isFresh {
            if toAnimate, let worker = state.takeIdle(where: { suits($0) && $0.holdsAnimations && !$0.isFull }) {
                return .worker(worker)
            }
            if let worker = state.takeIdle(where: { suits($0) && !$0.holdsAnimations }) { return .worker(worker) }
        }
        if let error = state.noWorker { return .missing(error) }
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

    /// Waits until `attempt` returns a value; throws if cancelled before.
    func wait<Value>(
        _ cancellation: Cancellation?, _ attempt: (inout sending State) -> sending Value?
    ) throws(CodecError) -> Value {
        guard let value = state.wait(unless: cancellation, attempt) else { throw .cancelled }
        return value
    }

    func giveBack(_ worker: WorkerConnection) {
        var isBack = false
        while !isBack {
            worker.flushReleased()
            guard !worker.isWorn else { return end(worker) }
            isBack = state.withLock { state in
                // Another thread may just have released an animation.
                guard !worker.hasReleased else { return false }
                state.busy.removeAll { $0 === worker }
                state.hasAnswered = true
                state.idle.append(worker)
                return true
            }
        }
        state.wakeAll()
    }

    private func end(_ worker: WorkerConnection) {
        worker.end()
        state.withLock { state in
            state.busy.removeAll { $0 === worker }
            // The system may allow more processes now.
            state.count = nil
        }
        state.wakeAll()
    }

    static let noLauncher = CodecError(
        .unsupported, "needs a worker process, and this program starts none: pass `workers:`")
}
