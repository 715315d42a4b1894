import SpyglassFetching
import SpyglassFiles
import SpyglassJSON
import SpyglassPipeline
import SpyglassThreads

/// The counts of a run for `--stats`, from the events of its transports and its pipeline.
final class Statistics: Sendable {
    private struct Counts {
        var requests = 0
        var bytesDownloaded = 0
        var memoryHits = 0
        var diskHits = 0
        var revalidated = 0
        var coalesced = 0
        var retries = 0
        var decoded = 0
        var failed = 0
        var cancelled = 0
        var stale = 0
        var firstImage: Duration?
    }

    private let counts = Mutex(Counts())
    private let stopwatch: ElapsedClock

    init(clock: any Clock<Duration>) { stopwatch = ElapsedClock(clock) }

    func count(_ event: FetchEvent) {
        counts.withLock { counts in
            switch event {
            case .requestSent: counts.requests += 1
            case .received(_, _, let bytes): counts.bytesDownloaded += bytes
            case .retrying: counts.retries += 1
            case .cacheHit(_, .stale):
                counts.diskHits += 1
                counts.stale += 1
            case .cacheHit: counts.diskHits += 1
            case .revalidated: counts.revalidated += 1
            default: break
            }
        }
    }

    func count(_ event: PipelineEvent) {
        counts.withLock { counts in
            switch event {
            case .memoryHit: counts.memoryHits += 1
            case .thumbnailHit(_, let freshness):
                counts.diskHits += 1
                if freshness == .stale { counts.stale += 1 }
            case .coalesced: counts.coalesced += 1
            case .decoded: counts.decoded += 1
            case .cancelled: counts.cancelled += 1
            default: break
            }
        }
    }

    func decodedLocally() { counts.withLock { $0.decoded += 1 } }

    func failed() { counts.withLock { $0.failed += 1 } }

    /// 1 when an item failed or was partial.
    var exitCode: ExitCode { counts.withLock { $0.failed == 0 ? .success : .someFailed } }

    var staleCount: Int { counts.withLock { $0.stale } }

    func printedImage() {
        let now = stopwatch.now()
        counts.withLock { if $0.firstImage == nil { $0.firstImage = now } }
    }

    func line(_ form: StatsForm, peakMemory: Int) -> String {
        let fields = fields(peakMemory: peakMemory)
        switch form {
        case .json: return JSONText.object(fields)
        case .text: return fields.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        }
    }

    private func fields(peakMemory: Int) -> [(name: String, value: String)] {
        let counts = counts.withLock { $0 }
        let numbers = [
            ("requests", counts.requests), ("bytes_downloaded", counts.bytesDownloaded),
            ("memory_hits", counts.memoryHits), ("disk_hits", counts.diskHits), ("revalidated", counts.revalidated),
            ("coalesced", counts.coalesced), ("retries", counts.retries), ("decoded", counts.decoded),
            ("failed", counts.failed), ("cancelled", counts.cancelled),
        ]
        return numbers.map { (name: $0, value: "\($1)") } + [
            ("time_to_first_image_ms", JSONText.number(counts.firstImage?.milliseconds)),
            ("wall_ms", "\(stopwatch.now().milliseconds)"), ("peak_rss_bytes", "\(peakMemory)"),
        ]
    }
}

extension Console {
    func failed(_ message: String, _ statistics: Statistics) {
        error(message)
        statistics.failed()
    }

    func report(_ statistics: Statistics, _ form: StatsForm?, _ system: SystemServices) {
        guard let form else { return }
        report(statistics.line(form, peakMemory: system.peakMemory()))
    }
}

enum PeakMemory {
    /// `VmHWM` of `/proc/self/status`, in bytes (proc_pid_status(5)); 0 if unreadable.
    static func bytes() -> Int {
        bytes(inStatus: Folder.startOfFile("/proc/self/status"))
    }

    /// Reads the line `VmHWM:     12345 kB`.
    static func bytes(inStatus status: String) -> Int {
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let number = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({ Int($0) })
        else { return 0 }
        let (bytes, overflows) = number.multipliedReportingOverflow(by: 1024)
        return overflows ? 0 : bytes
    }
}

extension Duration {
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    }

    var roundedUpSeconds: Int { Int(components.seconds) + (components.attoseconds > 0 ? 1 : 0) }

    var tenthsOfMilliseconds: String {
        let (seconds, attoseconds) = components
        let tenths = Int(seconds) * 10_000 + Int(attoseconds / 100_000_000_000_000)
        return "\(tenths / 10).\(tenths % 10)"
    }
}
