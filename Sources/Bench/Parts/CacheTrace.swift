/// How often a picture is still there when somebody scrolls: our cache, one that lets the oldest insertion go, and the best there could
/// be, which knows what will come.
struct CacheTrace {
    /// Positions in a list, in the order in which they come into view.
    let positions: [Int]
    /// Pictures that the caches hold.
    let capacity: Int

    /// Pictures on one screen.
    private static let screen = 12
    /// Photos of the list.
    private static let listCount = 4_000
    private static let moves = 6_000

    /// A trace that is given.
    init(positions: [Int], capacity: Int) {
        self.positions = positions
        self.capacity = capacity
    }

    /// Somebody reads on, goes back a little now and then, and leaps sometimes to another place or to one that was seen before.
    init(seed: UInt64 = 1, capacity: Int = 128) {
        var random = SampleRandom(seed: seed)
        var positions: [Int] = []
        var places: [Int] = [0]
        var top = 0
        var shown = 0..<0
        for _ in 0..<Self.moves {
            switch random.below(100) {
            case 0..<60: top += 1 + random.below(4)
            case 60..<80: top -= 1 + random.below(8)
            case 80..<88: top += Self.screen
            case 88..<97: top = places[places.count - 1 - random.below(min(places.count, 4))]
            default:
                top = random.below(Self.listCount)
                places.append(top)
            }
            top = min(max(top, 0), Self.listCount - Self.screen)
            let seen = shown
            shown = top..<top + Self.screen
            positions += shown.filter { !seen.contains($0) }
        }
        self.positions = positions
        self.capacity = capacity
    }

    var figures: [Figure] {
        [
            .counted("cache.memory.trace.ours", .hitPercent) {
                let ours = share(of: OurCache(capacity: capacity))
                return (ours, ("optimal", optimalShare))
            },
            .counted("cache.memory.trace.fifo", .hitPercent) { (share(of: PlainCache(capacity: capacity)), nil) },
            .counted("cache.memory.trace.optimal", .hitPercent) { (optimalShare, nil) },
        ]
    }

    /// The share that a cache has, in percent; what it has not is put into it.
    func share(of cache: some MemoryContestant) -> Double {
        var hits = 0
        for position in positions {
            let key = "\(position)"
            if cache.find(key) != nil { hits += 1 } else { cache.insert(Sample.shared, key) }
        }
        return percent(hits)
    }

    /// What no cache can exceed: the picture goes that will be looked at last of all (Belady, 1966).
    var optimalShare: Double {
        var nextUses = [Int](repeating: .max, count: positions.count)
        var seen: [Int: Int] = [:]
        for index in positions.indices.reversed() {
            nextUses[index] = seen[positions[index]] ?? .max
            seen[positions[index]] = index
        }
        var kept: [Int: Int] = [:]
        var hits = 0
        for (index, position) in positions.enumerated() {
            if kept[position] != nil {
                hits += 1
            } else if kept.count == capacity, let last = kept.max(by: { $0.value < $1.value }) {
                kept[last.key] = nil
            }
            kept[position] = nextUses[index]
        }
        return percent(hits)
    }

    private func percent(_ hits: Int) -> Double { 100 * Double(hits) / Double(positions.count) }
}
