import SpyglassFetching
import SpyglassJSON
import SpyglassPipeline
import SpyglassThreads

/// The counts of a run for `--stats`, from the events of its transports and its pipeline.
final class Statistics: Sendable {
    private struct Counts {
        var requests = 0, retries = 0, bytesDownloaded = 0
        var memoryHits = 0, diskHits = 0, revalidated = 0, stale = 0
        var coalesced = 0, decoded = 0, failed = 0, cancelled = 0
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

    var exitCode: ExitCode { counts.withLock { $0.failed == 0 ? .success : .someFailed } }
    var staleCount: Int { counts.withLock { $0.stale } }

    func printedImage() {
        let now = stopwatch.now()
        counts.withLock { if $0.firstImage == nil { $0.firstImage = now } }
    }

    func line(_ form: StatsForm, peakMemory: Int) -> String {
        let counts = counts.withLock { $0 }
        let numbers = [
            ("requests", counts.requests), ("bytes_downloaded", counts.bytesDownloaded),
            ("memory_hits", counts.memoryHits), ("disk_hits", counts.diskHits), ("revalidated", counts.revalidated),
            ("coalesced", counts.coalesced), ("retries", counts.retries), ("decoded", counts.decoded),
            ("failed", counts.failed), ("cancelled", counts.cancelled),
        ]
        let fields: [(name: String, value: String)] =
            numbers.map { (name: $0, value: "\($1)") } + [
                ("time_to_first_image_ms", JSONText.number(counts.firstImage?.milliseconds)),
                ("wall_ms", "\(stopwatch.now().milliseconds)"), ("peak_rss_bytes", "\(peakMemory)"),
            ]
        switch form {
        case .json: return JSONText.object(fields)
        case .text: return fields.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        }
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

extension Duration {
    var milliseconds: Int { Int(components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000) }
    var roundedUpSeconds: Int { Int(components.seconds) + (components.attoseconds > 0 ? 1 : 0) }
}
