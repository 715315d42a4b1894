import Glibc
import SpyglassCaching

/// Kills pairs of processes at random moments; after each round no byte is wrong, and the limit holds.
struct KillLoop {
    let folder: String
    let rounds: Int

    /// How long a process works before it is killed, in microseconds: starting takes some 5,000.
    private static let lifetime = 6_000...80_000
    /// Entries are read and checked after so many rounds, sizes after each.
    private static let roundsBetweenVerifications = 10

    func run() {
        var numbers = SeededNumbers(state: UInt64(getpid()) &* 7919 &+ UInt64(time(nil)))
        print("kill loop: \(rounds) rounds, seed \(numbers.state)")
        var (largest, abandoned, verified) = (0, 0, 0)
        for round in 1...max(1, rounds) {
            let pair = [spawnHammer(numbers.next()), spawnHammer(numbers.next())]
            for process in pair {
                // Any moment will do: the process is killed after a random time.
                usleep(UInt32(Int.random(in: Self.lifetime, using: &numbers)))
                // One may still be at work on it: the limit holds at every moment.
                largest = max(largest, checkSize())
                end(process)
            }
            largest = max(largest, checkSize())
            abandoned += temporaryFiles()
            if round % Self.roundsBetweenVerifications == 0 || round == rounds { verified += check() }
        }
        print(
            "kill loop: largest \(largest) of \(Hammer.byteLimit) bytes, \(abandoned) temporary files seen,",
            "\(verified) entries read, no wrong byte")
    }

    private func spawnHammer(_ seed: UInt64) -> pid_t {
        var process: pid_t = 0
        let words: [String] = ["cache-worker", "hammer", folder, "\(seed)"]
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        let code = posix_spawn(&process, "/proc/self/exe", nil, nil, arguments + [nil], environ)
        require(code == 0, "cannot start a process: \(String(cString: strerror(code)))")
        return process
    }

    private func end(_ process: pid_t) {
        kill(process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        // Any other end is a failure, which the process reports itself.
        require(status & 0x7F == SIGKILL, "a process ended by itself with \(status)")
    }

    /// The bytes of all files, counted by other means than the cache's own.
    private func checkSize() -> Int {
        var bytes = 0
        forEachFile { _, size in bytes += (size + 4095) / 4096 * 4096 }
        let limit = Hammer.byteLimit + DiskCache.slack(forLimit: Hammer.byteLimit)
        require(bytes <= limit, "\(bytes) bytes are kept, above the limit and its slack, \(limit)")
        return bytes
    }

    private func temporaryFiles() -> Int {
        var count = 0
        forEachFile { name, _ in count += name.hasPrefix("tmp-") ? 1 : 0 }
        return count
    }

    private func forEachFile(_ body: (String, Int) -> Void) {
        for number in 0..<256 {
            let digits = String(number, radix: 16)
            let path = "\(folder)/\(digits.count == 1 ? "0" : "")\(digits)"
            guard let stream = opendir(path) else { continue }
            defer { closedir(stream) }
            while let entry = readdir(stream) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                var status = stat()
                guard fstatat(dirfd(stream), name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
                if status.st_mode & S_IFMT == S_IFREG { body(name, Int(status.st_size)) }
            }
        }
    }

    /// Checks the cache while no process uses it.
    private func check() -> Int {
        let cache = DiskCache(folder: folder, byteLimit: Hammer.byteLimit, onError: { fail("\($0)") })
        do {
            let verification = try cache.verify()
            require(verification.damaged.isEmpty, "damaged: \(verification.damaged)")
            var right = 0
            for number in 0..<Hammer.keyCount {
                let key = Sample.key(number)
                guard let entry = cache.entry(for: key) else { continue }
                require(Sample.isRight(entry, key), "WRONG BYTES under \(key)")
                right += 1
            }
            require(right == verification.entries, "\(right) entries are found of \(verification.entries)")
            try cache.trim(toBytes: Hammer.byteLimit / 2)
            let statistics = try cache.statistics()
            require(statistics.temporaryFiles == 0, "a sweep leaves \(statistics.temporaryFiles) temporary files")
            require(statistics.bytes <= Hammer.byteLimit / 2, "a sweep leaves \(statistics.bytes) bytes")
            require(cache.store(Sample.entry("next", edition: 1), for: "next"), "the next process cannot store")
            require(cache.entry(for: "next").map { Sample.isRight($0, "next") } == true, "the next process cannot read")
            cache.remove("next")
            return right
        } catch {
            fail("\(error)")
        }
    }
}
