internal import struct Synchronization.Atomic

/// Cancels blocking work.
///
///     let cancellation = Cancellation()
///     let image = try decoder.decode(file, to: target, cancellation: cancellation)  // `cancel()` on another thread ends it
///
/// Processors and decoders of your own find that of their request as `current`. Thread-safe.
public final class Cancellation: Sendable {
    private struct Actions {
        var all: [Int: @Sendable () -> Void] = [:]
        var lastNumber = 0
    }

    private let cancelled = Atomic(false)
    private let actions = Mutex(Actions())
    @TaskLocal private static var running: Cancellation?

    /// A cancellation that has not happened.
    public init() {}

    /// The cancellation of the work on a `ThreadPool` that calls this; `nil` elsewhere.
    public static var current: Cancellation? { running }

    /// Whether the work is cancelled.
    public var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Cancels the work, and wakes what waits within it; further calls do nothing.
    public func cancel() {
        let actions = actions.withLock { actions in
            cancelled.store(true, ordering: .releasing)
            defer { actions.all = [:] }
            return actions.all
        }
        for action in actions.values { action() }
    }

    /// Calls `action` once when cancelled, at once if it already is; until the registration is released.
    ///
    /// An action that has begun may outlast its registration.
    package func onCancel(_ action: @escaping @Sendable () -> Void) -> Registration {
        let number = actions.withLock { actions -> Int? in
            guard !isCancelled else { return nil }
            actions.lastNumber += 1
            actions.all[actions.lastNumber] = action
            return actions.lastNumber
        }
        if number == nil { action() }
        return Registration(owner: self, number: number)
    }

    /// An action that is called on cancellation, until the last reference is gone.
    package final class Registration: Sendable {
        private let owner: Cancellation
        private let number: Int?

        fileprivate init(owner: Cancellation, number: Int?) { (self.owner, self.number) = (owner, number) }

        deinit {
            guard let number else { return }
            // Released after unlocking.
            _ = owner.actions.withLock { $0.all.removeValue(forKey: number) }
        }
    }

    /// Runs `body` with this as `current`.
    package func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        try Self.$running.withValue(self, operation: body)
    }

    /// Throws if the work on a `ThreadPool` that calls this, or else its task, is cancelled.
    package static func check() throws(CancellationError) {
        if current.isCancelled { throw CancellationError() }
    }
}

extension Cancellation? {
    /// Whether the work is cancelled; without a cancellation, whether the task is.
    package var isCancelled: Bool { self?.isCancelled ?? Task.isCancelled }
}
