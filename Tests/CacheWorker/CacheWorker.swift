import Glibc
import SpyglassCaching

/// The parts of `.ci/kill-loop`: processes that use one cache folder and are killed, and the checks afterwards.
///
///     cache-worker loop ROUNDS FOLDER     kills pairs of `hammer` and checks after each
///     cache-worker hammer FOLDER SEED     works on the folder until it is killed
///     cache-worker fill FOLDER            puts in what `read-only` expects
///     cache-worker full FOLDER            works on a disk that becomes full
///     cache-worker read-only FOLDER       works on a folder that cannot be written to
@main
struct CacheWorker {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.dropFirst().first, arguments.dropFirst(2).first) {
        case ("loop", let rounds?, let folder?): KillLoop(folder: folder, rounds: Int(rounds) ?? 200).run()
        case ("hammer", let folder?, let seed?): Hammer(folder: folder, seed: UInt64(seed) ?? 1).run()
        case ("fill", let folder?, _): DiskStates(folder: folder).fill()
        case ("full", let folder?, _): DiskStates(folder: folder).workOnFullDisk()
        case ("read-only", let folder?, _): DiskStates(folder: folder).workOnReadOnlyFolder()
        default: fail("usage: cache-worker loop|hammer|fill|full|read-only ...")
        }
    }
}

/// Ends the process with the failed condition.
func fail(_ what: String) -> Never {
    // Not through `stderr`, a variable that Swift cannot vouch for.
    var line = "cache-worker: \(what)\n"
    _ = line.withUTF8 { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(1)
}

/// Ends the process unless something holds.
func require(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { fail(what()) }
}

/// Random numbers that a seed determines (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// An entry whose every byte follows from its key and a number in its metadata.
enum Sample {
    static func key(_ number: Int) -> String { "https://example.org/pictures/\(number).jpg" }

    static func entry(_ key: String, edition: UInt64) -> CacheEntry {
        var numbers = SeededNumbers(state: key.utf8.reduce(edition) { $0 &* 31 &+ UInt64($1) })
        let count = Int(numbers.next() % 40_000)
        var body: [UInt8] = []
        body.reserveCapacity(count + 8)
        while body.count < count { withUnsafeBytes(of: numbers.next()) { body.append(contentsOf: $0) } }
        return CacheEntry(metadata: Array("\(edition)".utf8), body: body, isPartial: edition % 5 == 0)
    }

    /// Whether an entry is one that was once stored under its key.
    static func isRight(_ entry: CacheEntry, _ key: String) -> Bool {
        guard let edition = UInt64(String(decoding: entry.metadata, as: UTF8.self)) else { return false }
        return entry == self.entry(key, edition: edition)
    }
}

/// One process of those that are killed.
struct Hammer {
    static let byteLimit = 4 << 20
    static let keyCount = 400

    let folder: String
    let seed: UInt64

    func run() {
        let cache = DiskCache(folder: folder, byteLimit: Self.byteLimit, onError: { fail("\($0)") })
        var numbers = SeededNumbers(state: seed)
        while true {
            let key = Sample.key(Int.random(in: 0..<Self.keyCount, using: &numbers))
            switch Int.random(in: 0..<100, using: &numbers) {
            case 0..<55: cache.store(Sample.entry(key, edition: numbers.next()), for: key)
            case 55..<95:
                guard let entry = cache.entry(for: key) else { continue }
                require(Sample.isRight(entry, key), "WRONG BYTES under \(key)")
            case 95..<99: cache.remove(key)
            default: _ = try? cache.trim(toBytes: Self.byteLimit / 2)
            }
        }
    }
}
