internal import SpyglassBrowser
internal import SpyglassPixels
internal import SpyglassTerminalUI
internal import SpyglassThreads

/// Hit rates of a recorded scrolling session: `MemoryCache`, FIFO, and the optimum, which knows the future.
///
/// Look-ups are of visible and near images, without prefetches. `MemoryCache` is exact LRU, which has no benchmark of its own.
struct CacheTrace: Sendable {
    let lookUps: [Int]
    let capacity: Int

    private static let size = CellSize(clamping: 120, 40)
    private static let photoCount = 2_000
    private static let decisionCount = 1_500
    /// A tenth of the list: far more than a screen, far less than what the session shows.
    private static let defaultCapacity = 200

    init(lookUps: [Int], capacity: Int) {
        self.lookUps = lookUps
        self.capacity = capacity
    }

    /// Records a session, which takes some tenths of a second.
    init(seed: UInt64, decisions: Int = Self.decisionCount, capacity: Int = Self.defaultCapacity) {
        let recorder = Recorder()
        var browser = HeadlessBrowser(TerminalTraits(size: Self.size), SamplePhotos.list(Self.photoCount)) {
            recorder.lookUp($0, $1)
        }
        var session = ReadingSession(seed: seed)
        for _ in 0..<decisions {
            for key in session.next() { browser.press(key) }
        }
        self.init(lookUps: recorder.lookUps, capacity: capacity)
    }

    private static let session = CacheTrace(seed: 1)

    static var benchmarks: [Benchmark] {
        [
            .counted("cache.memory.trace.ours", .hitPercent) {
                (session.share(of: MemoryCacheUnderTest.self), ("optimal", session.optimalShare))
            },
            .counted("cache.memory.trace.fifo", .hitPercent) { (session.share(of: FIFOCache.self), nil) },
            .counted("cache.memory.trace.optimal", .hitPercent) { (session.optimalShare, nil) },
        ]
    }

    /// A cache's hits in percent; misses are inserted.
    func share(of type: any CacheUnderTest.Type) -> Double {
        let cache = type.init(capacity: capacity)
        var hits = 0
        for image in lookUps {
            let key = "\(image)"
            if cache.find(key) != nil { hits += 1 } else { cache.insert(Sample.shared, key) }
        }
        return percent(hits)
    }

    /// The maximum for any cache of that capacity, in percent: evicts what is needed last (Belady, 1966), even the new entry.
    var optimalShare: Double {
        let nextUses = nextUses
        var cached = PriorityQueue<Int>()
        var handles: [Int: PriorityQueue<Int>.Handle] = [:]
        var hits = 0
        for (index, image) in lookUps.enumerated() {
            if let handle = handles[image] {
                hits += 1
                cached.move(handle, to: nextUses[index])
                continue
            }
            handles[image] = cached.insert(image, priority: nextUses[index])
            if cached.count > capacity, let last = cached.popFirst() { handles[last] = nil }
        }
        return percent(hits)
    }

    /// The index of the next look-up of the same image, for each look-up; `.max` if there is none.
    private var nextUses: [Int] {
        var nextUses = [Int](repeating: .max, count: lookUps.count)
        var next: [Int: Int] = [:]
        for index in lookUps.indices.reversed() {
            nextUses[index] = next.updateValue(index, forKey: lookUps[index]) ?? .max
        }
        return nextUses
    }

    private func percent(_ hits: Int) -> Double { 100 * Double(hits) / Double(max(lookUps.count, 1)) }
}

private final class Recorder: Sendable {
    private struct Request: Hashable {
        let photo: Int
        let box: CellSize
    }

    private struct State {
        var numbers: [Request: Int] = [:]
        var lookUps: [Int] = []
    }

    private let state = Mutex(State())
    private let blank: CellImage = {
        var blocks = SymbolEncoder(depth: .truecolor)
        let bytes = [UInt8](repeating: .max, count: 2 * PixelBuffer.bytesPerPixel)
        return blocks.cells(of: PixelBuffer(size: PixelSize(width: 1, height: 2), bytes: bytes))
    }()

    var lookUps: [Int] { state.withLock(\.lookUps) }

    func lookUp(_ photo: Int, _ box: CellSize) -> CellImage {
        state.withLock { state in
            let request = Request(photo: photo, box: box)
            let number = state.numbers[request] ?? state.numbers.count
            state.numbers[request] = number
            state.lookUps.append(number)
        }
        return blank
    }
}
