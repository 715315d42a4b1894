import SpyglassCaching
import SpyglassJSON
import SpyglassTerminalUI

enum CacheTask: String, CaseIterable, Sendable { case stats, verify, trim, clear, path }

/// `spyglass cache stats|verify|trim|clear|path`: inspects and cleans the disk cache, without tasks and threads.
struct CacheCommand: Sendable {
    private let task: CacheTask
    private let folder: String
    private let cache: DiskCache
    private let printsJSON: Bool

    init(_ settings: Settings, _ operands: [Argument], _ system: SystemServices) throws(Failure) {
        task = try CacheTask(operands, of: .cache, "task")
        guard let folder = settings.cacheFolder?.value else { throw .noCacheFolder }
        self.folder = folder
        cache = DiskCache(folder: folder, byteLimit: settings.diskLimit?.value, now: system.now)
        printsJSON = settings.printsJSON
    }

    func run(_ console: Console) throws -> ExitCode {
        switch task {
        case .path where !printsJSON: try console.print("\(TerminalText(cleaning: folder).string)\n")
        case .path: try print([Row("folder", folder)], console)
        case .stats: try print(rows(of: try cache.statistics()), console)
        case .verify: return try verify(console)
        case .trim: try print(rows(of: try cache.trim(toBytes: try cache.statistics().byteLimit)), console)
        case .clear: try print(rows(of: try cache.clear()), console)
        }
        return .success
    }

    private func verify(_ console: Console) throws -> ExitCode {
        let found = try cache.verify()
        for name in found.damaged { console.error("\(folder)/\(name): removed a damaged entry") }
        for name in found.foreign { console.verbose("\(folder)/\(name): skipped: not a cache entry") }
        try print(
            [
                Row("entries", found.entries), Row("content", found.bytes, in: ValueText.bytes),
                Row("prefixes", found.prefixes), Row("damaged", found.damaged.count), Row("unread", found.unread),
                Row("foreign", found.foreign.count),
            ], console)
        return found.damaged.isEmpty ? .success : .someFailed
    }

    /// One line of a report, or one member of its object.
    private struct Row {
        let name, text, json: String

        init(_ name: String, _ value: String) {
            (self.name, text, json) = (name, TerminalText(cleaning: value).string, JSONText.string(value))
        }

        init(_ name: String, _ number: Int, in format: (Int) -> String = ValueText.grouped) {
            (self.name, text, json) = (name, format(number), "\(number)")
        }
    }

    private func rows(of statistics: DiskCache.Statistics) -> [Row] {
        [
            Row("folder", folder), Row("entries", statistics.entries),
            Row("bytes", statistics.bytes, in: ValueText.bytes),
            Row("limit", statistics.byteLimit, in: ValueText.bytes), Row("unfinished", statistics.temporaryFiles),
        ]
    }

    private func rows(of removal: DiskCache.RemovalResult) -> [Row] {
        [
            Row("removed", removal.entries), Row("bytes", removal.bytes, in: ValueText.bytes),
            Row("left", removal.remainingBytes, in: ValueText.bytes), Row("foreign", removal.unrecognizedFiles),
        ]
    }

    private func print(_ rows: [Row], _ console: Console) throws(TerminalError) {
        guard !printsJSON else { return try console.print(JSONText.object(rows.map { ($0.name, $0.json) }) + "\n") }
        let width = (rows.map(\.name.count).max() ?? 0) + 2
        try console.print(
            rows.map { "\(TerminalText(cleaning: $0.name).padded(to: width).string)\($0.text)\n" }.joined())
    }
}
