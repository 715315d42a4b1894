import Glibc
import SpyglassFetching
import SpyglassJSON
import SpyglassThreads

/// What a run counts, for `--stats`.
///
/// The names are those of the design's section 3.1. There is no cache, no retry of failed transfers and no sharing of
/// equal requests in this version, so what counts those stays 0.
final class Statistics: Sendable {
    private struct Counts {
        var requests = 0
        var bytesDownloaded = 0
        var decoded = 0
        var failed = 0
        var cancelled = 0
        var firstImage: Duration?
    }

    private let counts = Mutex(Counts())
    private let stopwatch: Stopwatch

    init(clock: any Clock<Duration>) { stopwatch = .started(on: clock) }

    func requestStarted() { counts.withLock { $0.requests += 1 } }

    func downloaded(_ bytes: Int) { counts.withLock { $0.bytesDownloaded += bytes } }

    func decoded() { counts.withLock { $0.decoded += 1 } }

    func failed() { counts.withLock { $0.failed += 1 } }

    func cancelled() { counts.withLock { $0.cancelled += 1 } }

    /// A picture has been printed; the first one's time is kept.
    func printedImage() {
        let now = stopwatch.elapsed()
        counts.withLock { if $0.firstImage == nil { $0.firstImage = now } }
    }

    /// The report, in one line.
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
            ("requests", counts.requests), ("bytes_downloaded", counts.bytesDownloaded), ("memory_hits", 0),
            ("disk_hits", 0), ("revalidated", 0), ("coalesced", 0), ("retries", 0), ("decoded", counts.decoded),
            ("failed", counts.failed), ("cancelled", counts.cancelled),
        ]
        return numbers.map { (name: $0, value: "\($1)") } + [
            ("time_to_first_image_ms", JSONText.number(counts.firstImage?.milliseconds)),
            ("wall_ms", "\(stopwatch.elapsed().milliseconds)"), ("peak_rss_bytes", "\(peakMemory)"),
        ]
    }
}

extension Console {
    /// Prints the report that `--stats` asked for.
    func report(_ statistics: Statistics, _ form: StatsForm?, _ world: World) {
        guard let form else { return }
        report(statistics.line(form, peakMemory: world.peakMemory()))
    }
}

/// Counts what passes through another transport.
struct CountingTransport: Transport {
    let base: any Transport
    let statistics: Statistics

    func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        statistics.requestStarted()
        do {
            let response = try await base.fetch(request)
            statistics.downloaded(response.body.count)
            return response
        } catch is CancellationError {
            statistics.cancelled()
            throw CancellationError()
        }
    }
}

/// The memory that this process has held at most.
enum PeakMemory {
    /// `VmHWM` of `/proc/self/status`, in bytes (proc_pid_status(5)); 0 where that cannot be read.
    static func bytes() -> Int {
        let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        // The file has about 1.5 kB.
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return 0 }
        return bytes(inStatus: String(decoding: buffer[..<count], as: UTF8.self))
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
