// Measures MemoryCache beside Foundation's NSCache. Prints a line of JSON a sample, {"job","tool","value"}, in nanoseconds an operation.
//
//   compare-cache [ROUNDS=15]

import Foundation

let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 15
/// Entries: a few screens of pictures.
let entryCount = 1024
/// Times that all keys are looked up in one sample, so that one lasts some tens of milliseconds.
let passes = 200

/// Shuffled indices, the same in every run.
func shuffled(_ count: Int, seed: UInt64) -> [Int] {
    var state = seed
    var indices = Array(0..<count)
    for last in indices.indices.dropFirst().reversed() {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        indices.swapAt(last, Int(state >> 33) % (last + 1))
    }
    return indices
}

/// Nanoseconds that `threads` threads take for `body`, from the moment all are let go to the end of the last.
func measure(threads: Int, _ body: @escaping @Sendable (Int) -> Void) -> Double {
    let ready = DispatchSemaphore(value: 0)
    let start = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    for number in 0..<threads {
        Thread.detachNewThread {
            ready.signal()
            start.wait()
            body(number)
            done.signal()
        }
    }
    for _ in 0..<threads { ready.wait() }
    let began = DispatchTime.now().uptimeNanoseconds
    for _ in 0..<threads { start.signal() }
    for _ in 0..<threads { done.wait() }
    return Double(DispatchTime.now().uptimeNanoseconds - began)
}

func report(_ job: String, _ tool: String, _ value: Double) {
    print(#"{"job": "\#(job)", "tool": "\#(tool)", "value": \#(value)}"#)
}

/// Every key is there: what a look-up costs, for each of the operations of all threads together.
func measureHits<Cache: Contestant>(_ type: Cache.Type, threads: Int) {
    let cache = type.init(keyCount: entryCount, capacity: entryCount)
    for index in 0..<entryCount { cache.insert(Picture(cost: 1), index) }
    let orders = (0..<threads).map { shuffled(entryCount, seed: UInt64($0) + 1) }
    let time = measure(threads: threads) { number in
        for _ in 0..<passes {
            guard cache.find(orders[number]) == entryCount else { fatalError("\(type.name): an entry is missing") }
        }
    }
    report("hit, \(threads) thread\(threads == 1 ? "" : "s")", type.name, time / Double(threads * passes * entryCount))
}

/// Twice as many keys as places, looked up and inserted where missing: a long scroll.
func measureMixed<Cache: Contestant>(_ type: Cache.Type) {
    let cache = type.init(keyCount: entryCount * 2, capacity: entryCount)
    let order = shuffled(entryCount * 2, seed: 7)
    let pictures = order.map { _ in Picture(cost: 1) }
    let passes = 10
    let time = measure(threads: 1) { _ in
        for _ in 0..<passes {
            for index in order where !cache.holds(index) { cache.insert(pictures[index], index) }
        }
    }
    report("look up, insert and evict", type.name, time / Double(passes * order.count))
}

/// Which of eight entries in turn are there at the end, where there is room for four.
func survivors<Cache: Contestant>(_ type: Cache.Type) {
    let cache = type.init(keyCount: 8, capacity: 4)
    for index in 0..<8 { cache.insert(Picture(cost: 1), index) }
    let left = (0..<8).filter { cache.holds($0) }
    print(#"{"job": "survivors", "tool": "\#(type.name)", "value": \#(left)}"#)
}

let contestants: [any Contestant.Type] = [
    MemoryCacheOfAddresses.self, NSCacheOfAddresses.self, MemoryCacheOfNumbers.self, NSCacheOfNumbers.self,
]
for contestant in contestants { survivors(contestant) }
for _ in 0..<rounds {
    for threads in [1, 2] {
        for contestant in contestants { measureHits(contestant, threads: threads) }
    }
    for contestant in contestants { measureMixed(contestant) }
}
