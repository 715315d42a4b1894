internal import SpyglassBrowser
internal import SpyglassPixels
internal import SpyglassTerminalUI
internal import SpyglassThreads

/// How often a picture is still there when somebody scrolls: our cache, one that lets the oldest insertion go, and the best there
/// could be, which knows what will come.
///
/// The look-ups are those of the browser itself, recorded while it is rehearsed: of what is visible and what is near, when it begins
/// to be wanted, in that order. What is only fetched ahead is not among them. A photo at another size is another picture; each
/// counts as one, however large it is.
///
/// `MemoryCache` evicts exactly what was used longest ago, so that LRU has no figure of its own.
struct CacheTrace: Sendable {
    /// Pictures by number, in the order in which they are looked up.
    let lookUps: [Int]
    /// Pictures that the caches hold.
    let capacity: Int

    /// The screen on which the design counts bytes.
    private static let size = CellSize(clamping: 120, 40)
    /// Photos of the list.
    private static let photoCount = 2_000
    /// Decisions of the reader, of a few keys each.
    private static let decisionCount = 1_500
    /// A tenth of the list: far more than a screen, far less than what is looked at.
    private static let defaultCapacity = 200

    /// Look-ups that are given.
    init(lookUps: [Int], capacity: Int) {
        self.lookUps = lookUps
        self.capacity = capacity
    }

    /// Records a session of so many decisions, which takes some tenths of a second.
    init(seed: UInt64, decisions: Int = Self.decisionCount, capacity: Int = Self.defaultCapacity) {
        let recorder = Recorder()
        var rehearsal = HeadlessBrowser(TerminalTraits(size: Self.size), SamplePhotos.list(Self.photoCount)) {
            recorder.lookUp($0, $1)
        }
        var session = ReadingSession(seed: seed)
        for _ in 0..<decisions {
            for key in session.next() { rehearsal.press(key) }
        }
        self.init(lookUps: recorder.lookUps, capacity: capacity)
    }

    /// The session that is measured, recorded when the first figure needs it.
    private static let usual = CacheTrace(seed: 1)

    static var benchmarks: [Benchmark] {
        [
            .counted("cache.memory.trace.ours", .hitPercent) {
                (usual.share(of: MemoryCacheUnderTest.self), ("optimal", usual.optimalShare))
            },
            .counted("cache.memory.trace.fifo", .hitPercent) { (usual.share(of: FIFOCache.self), nil) },
            .counted("cache.memory.trace.optimal", .hitPercent) { (usual.optimalShare, nil) },
        ]
    }

    /// The share of look-ups that a cache has, in percent; what it has not is put into it.
    func share(of contestant: any CacheUnderTest.Type) -> Double {
        let cache = contestant.init(capacity: capacity)
        var hits = 0
        for picture in lookUps {
            let key = "\(picture)"
            if cache.find(key) != nil { hits += 1 } else { cache.insert(Sample.shared, key) }
        }
        return percent(hits)
    }

    /// What no cache of that capacity can exceed, in percent.
    ///
    /// Of the pictures that are there and the one that comes, that one goes which will be looked at last of all (Belady, 1966): the
    /// newcomer itself, where that is it (bypass). The logarithm of the capacity for each look-up.
    var optimalShare: Double {
        let nextUses = nextUses
        var cached = PriorityQueue<Int>()
        var handles: [Int: PriorityQueue<Int>.Handle] = [:]
        var hits = 0
        for (index, picture) in lookUps.enumerated() {
            if let handle = handles[picture] {
                hits += 1
                cached.move(handle, to: nextUses[index])
                continue
            }
            handles[picture] = cached.insert(picture, priority: nextUses[index])
            if cached.count > capacity, let last = cached.popFirst() { handles[last] = nil }
        }
        return percent(hits)
    }

    /// When the picture of each look-up is looked up next; `.max` for never again.
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

/// Gives the browser blank pictures, and remembers for which it asked.
private final class Recorder: Sendable {
    private struct Picture: Hashable {
        let photo: Int
        let box: CellSize
    }

    private struct State {
        var numbers: [Picture: Int] = [:]
        var lookUps: [Int] = []
    }

    private let state = Mutex(State())
    private let blank = HalfBlock.blank

    var lookUps: [Int] { state.withLock(\.lookUps) }

    func lookUp(_ photo: Int, _ box: CellSize) -> CellImage {
        state.withLock { state in
            let number = state.numbers.count
            let picture = Picture(photo: photo, box: box)
            state.lookUps.append(state.numbers[picture] ?? number)
            if state.numbers[picture] == nil { state.numbers[picture] = number }
        }
        return blank
    }
}

extension HalfBlock {
    /// A picture of one cell.
    fileprivate static var blank: CellImage {
        var blocks = HalfBlock(depth: .truecolor)
        let size = PixelSize(width: 1, height: 2)
        return blocks.cells(
            of: PixelBuffer(size: size, bytes: [UInt8](repeating: .max, count: 2 * PixelBuffer.bytesPerPixel)))
    }
}
