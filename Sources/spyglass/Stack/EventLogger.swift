import SpyglassFetching
import SpyglassPipeline

/// Tells people who asked for it (--verbose) what happens to every fetch and picture.
struct EventLogger: Sendable {
    private let console: Console

    init(_ console: Console) { self.console = console }

    func log(_ event: FetchEvent) { console.verbose(Self.line(for: event)) }

    func log(_ event: PipelineEvent) {
        guard console.isVerbose, let line = Self.line(for: event) else { return }
        console.verbose(line)
    }

    private static func line(for event: FetchEvent) -> String {
        switch event {
        case .requestSent(let address): return "asking \(address)"
        case .received(let address, let status, let bytes):
            return "\(address) answered \(status), \(Values.grouped(bytes)) bytes"
        case .cancelled(let address): return "\(address): no longer wanted"
        case .retrying(let address, let attempt, let delay, let offset, let reason):
            let kept = offset > 0 ? ", keeping \(Values.grouped(offset)) bytes" : ""
            return "\(address): \(reason); try \(attempt + 1) in \(delay.milliseconds) ms\(kept)"
        case .concurrencyChanged(let host, let transfers, let pause):
            let rest = pause.map { " after a pause of \($0.milliseconds) ms" } ?? ""
            return "transfers at once from \(host): \(transfers)\(rest)"
        case .cacheHit(let address, let freshness): return "\(address) from the disk cache, \(freshness)"
        case .revalidated(let address): return "\(address) has not changed"
        case .stored(let address, let bytes): return "\(address) kept on disk, \(Values.grouped(bytes)) bytes"
        }
    }

    private static func line(for event: PipelineEvent) -> String? {
        switch event {
        case .memoryHit(let source): return "\(source.name) from memory"
        case .thumbnailHit(let source, let freshness):
            return "\(source.name) from the disk cache, already decoded, \(freshness)"
        case .coalesced(let source, .image): return "\(source.name) shares a decode that is under way"
        case .coalesced(let source, .transfer): return "\(source.name) shares a transfer that is under way"
        case .decoded(let source, let duration): return "\(source.name) decoded in \(duration.tenthsOfMilliseconds) ms"
        case .cancelled(let source): return "\(source.name) is no longer wanted"
        default: return nil
        }
    }
}

extension ImageSource {
    /// What messages call it.
    var name: String {
        switch self {
        case .address(let address, _): "\(address)"
        case .file(let path): path
        case .bytes(let bytes): "\(Values.grouped(bytes.count)) bytes"
        }
    }
}
