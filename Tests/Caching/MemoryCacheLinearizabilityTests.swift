import Glibc
import SpyglassCaching
import SpyglassThreads
import Synchronization
import Testing

@Suite("MemoryCache: linearizability")
struct MemoryCacheLinearizabilityTests {
    @Test("Concurrent calls have the results and the order of use of one sequence of calls", arguments: [2, 4])
    func histories(threadCount: Int) async throws {
        var random = Xorshift(state: 0x9E37_79B9_7F4A_7C15)
        let threads = ThreadPool(count: threadCount)
        for number in 0..<2_000 {
            let recorder = Recorder(threadCount)
            var history = try await withThrowingTaskGroup(of: [Event].self) { group in
                for thread in 0..<threadCount {
                    let calls = (0..<20 / threadCount).map { Call.random(&random, value: 100 * thread + $0) }
                    group.addTask { try await threads.run { _ in recorder.runTogether(calls) } }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            // Evicts one after another, so that the final order counts, too.
            history.append(
                [2, 1, 0].flatMap { [.trim($0), .count] + (0..<Call.keyCount).map(Call.peek) }.map(recorder.run))
            var search = Search()
            guard search.finds(history) else {
                Issue.record("history \(number) is no sequence of calls: \(history)")
                return
            }
        }
    }
}

/// A call of a cache; both kinds of cache return a number for each.
private enum Call {
    case use(Int)
    case peek(Int)
    case insert(Int, Int)
    case remove(Int)
    case trim(Int)
    case count

    static let keyCount = 5

    static func random(_ random: inout Xorshift, value: Int) -> Call {
        let key = random.next(below: keyCount)
        return switch random.next(below: 16) {
        case 0: .remove(key)
        case 1: .trim(2)
        case 2: .count
        case 3: .peek(key)
        case 4...8: .insert(key, value)
        default: .use(key)
        }
    }

    func run(on cache: MemoryCache<SlowKey, Int>) -> Int? {
        switch self {
        case .use(let key): return cache.value(for: SlowKey(number: key))
        case .peek(let key): return cache.peek(SlowKey(number: key))
        case .insert(let key, let value): return cache.insert(value, for: SlowKey(number: key)) ? 1 : 0
        case .remove(let key): return cache.remove(SlowKey(number: key))
        case .trim(let count): cache.trim(toCount: count)
        case .count: return cache.count
        }
        return nil
    }

    func run(on cache: inout NaiveCache) -> Int? {
        switch self {
        case .use(let key): return cache.use(key)
        case .peek(let key): return cache.entries.first { $0.key == key }?.value
        case .insert(let key, let value): return cache.insert(value, key) ? 1 : 0
        case .remove(let key): return cache.remove(key)
        case .trim(let count): cache.trim(cost: .max, count: count)
        case .count: return cache.entries.count
        }
        return nil
    }
}

/// A key that lets other threads run while it is hashed and, under the lock, while it is compared.
private struct SlowKey: Hashable, Sendable {
    let number: Int

    private static let calls = Atomic(0)

    static func == (left: SlowKey, right: SlowKey) -> Bool {
        pause()
        return left.number == right.number
    }

    func hash(into hasher: inout Hasher) {
        Self.pause()
        hasher.combine(number)
    }

    private static func pause() {
        if calls.add(1, ordering: .relaxed).newValue % 3 == 0 { sched_yield() }
    }
}

/// A call with its result, and when it began and ended.
private struct Event {
    let call: Call
    let start: Int
    let result: Int?
    let end: Int
}

private final class Recorder: Sendable {
    let cache = MemoryCache<SlowKey, Int>(totalCostLimit: .max, countLimit: 3) { _ in 0 }
    private let clock = Atomic(0)
    private let missingThreads: Atomic<Int>

    init(_ threadCount: Int) { missingThreads = Atomic(threadCount) }

    func run(_ call: Call) -> Event {
        let start = clock.add(1, ordering: .sequentiallyConsistent).newValue
        let result = call.run(on: cache)
        let end = clock.add(1, ordering: .sequentiallyConsistent).newValue
        return Event(call: call, start: start, result: result, end: end)
    }

    /// Begins when all threads have come.
    func runTogether(_ calls: [Call]) -> [Event] {
        missingThreads.subtract(1, ordering: .sequentiallyConsistent)
        while missingThreads.load(ordering: .sequentiallyConsistent) > 0 { sched_yield() }
        return calls.map(run)
    }
}

/// Looks for a sequence of all calls that keeps the order of those that did not overlap, and whose results are the model's (Wing and
/// Gong, 1993).
private struct Search {
    private struct State: Hashable {
        let done: [Int]
        let entries: [[Int]]
    }

    private var failed: Set<State> = []

    /// Whether the events of some threads can be put into such a sequence.
    mutating func finds(_ history: [[Event]], done: [Int]? = nil, _ model: NaiveCache? = nil) -> Bool {
        let done = done ?? history.map { _ in 0 }
        let model = model ?? NaiveCache(costLimit: .max, countLimit: 3, entryCostLimit: .max)
        let heads = history.indices.filter { done[$0] < history[$0].count }
        guard let firstEnd = heads.map({ history[$0][done[$0]].end }).min() else { return true }
        guard failed.insert(State(done: done, entries: model.entries.map { [$0.key, $0.value] })).inserted else {
            return false
        }
        for thread in heads {
            let event = history[thread][done[thread]]
            var next = (done: done, model: model)
            guard event.start < firstEnd, event.call.run(on: &next.model) == event.result else { continue }
            next.done[thread] += 1
            if finds(history, done: next.done, next.model) { return true }
        }
        return false
    }
}
