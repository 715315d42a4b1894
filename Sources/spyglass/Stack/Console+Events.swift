import SpyglassFetching
import SpyglassFiles
import SpyglassPipeline

extension Console {
    func log(_ event: FetchEvent) { verbose(Self.line(for: event)) }

    func log(_ event: PipelineEvent) {
        guard isVerbose, let line = Self.line(for: event) else { return }
        verbose(line)
    }

    private static func line(for event: FetchEvent) -> String {
        switch event {
        case .requestSent(let address): return "requesting \(address)"
        case .received(let address, let status, let bytes):
            return "\(address): HTTP \(status), \(ValueText.grouped(bytes)) bytes"
        case .cancelled(let address): return "\(address): cancelled"
        case .retrying(let address, let attempt, let delay, _, let offset, let reason):
            let resumed = offset > 0 ? ", resuming after \(ValueText.grouped(offset)) bytes" : ""
            return "\(address): \(reason); attempt \(attempt + 1) in \(delay.milliseconds) ms\(resumed)"
        case .hostPaused(let host, let pause): return "\(host): no request for \(pause.milliseconds) ms"
        case .cacheHit(let address, let freshness): return "\(address): from the disk cache, \(freshness)"
        case .revalidated(let address): return "\(address): not modified"
        case .stored(let address, let bytes): return "\(address): stored on disk, \(ValueText.grouped(bytes)) bytes"
        }
    }

    private static func line(for event: PipelineEvent) -> String? {
        switch event {
        case .memoryHit(let source): return "\(source.name): from memory"
        case .thumbnailHit(let source, let freshness): return "\(source.name): decoded in the disk cache, \(freshness)"
        case .coalesced(let source, .image): return "\(source.name): shares a decode in progress"
        case .coalesced(let source, .transfer): return "\(source.name): shares a transfer in progress"
        case .decoded(let source, let duration): return "\(source.name): decoded in \(duration.tenthsOfMilliseconds) ms"
        case .cancelled(let source): return "\(source.name): cancelled"
        default: return nil
        }
    }
}

extension ImageSource {
    var name: String {
        switch self {
        case .address(let address, _): "\(address)"
        case .file(let path): path
        case .localFile(let file), .folder(let file): file.name
        case .bytes(let bytes): "\(ValueText.grouped(bytes.count)) bytes"
        }
    }
}
