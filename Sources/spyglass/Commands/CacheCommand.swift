import SpyglassCaching
import SpyglassJSON
import SpyglassTerminalUI

/// `spyglass cache stats|verify|trim|clear|path`: looks after the disk cache.
///
/// Starts no task and no thread.
struct CacheCommand: Sendable {
    private let task: CacheTask
    private let folder: String
    private let cache: DiskCache
    private let printsJSON: Bool

    init(_ settings: Settings, _ operands: [Argument], _ system: SystemServices) throws(Failure) {
        task = try CacheTask(operands)
        folder = try settings.requiredCacheFolder(in: system.environment)
        cache = DiskCache(folder: folder, byteLimit: settings.diskLimit, now: system.now)
        printsJSON = settings.printsJSON
    }

    /// Does the task; blocks while the folder is read.
    func run(_ console: Console) throws -> ExitCode {
        switch task {
        case .path: try print([Row("folder", .text(folder))], console) { "\(TerminalText(cleaning: folder).string)\n" }
        case .stats: try print(rows(of: try cache.statistics()), console)
        case .verify: return try verify(console)
        case .trim:
            let limit = try cache.statistics().byteLimit
            try print(rows(of: try cache.trim(toBytes: limit)), console)
        case .clear: try print(rows(of: try cache.clear()), console)
        }
        return .success
    }

    private func verify(_ console: Console) throws -> ExitCode {
        let found = try cache.verify()
        for name in found.damaged { console.error("\(folder)/\(name): damaged, and removed") }
        for name in found.foreign { console.verbose("\(folder)/\(name): not the cache's own, left alone") }
        try print(
            [
                Row("entries", .count(found.entries)), Row("content", .bytes(found.bytes)),
                Row("prefixes", .count(found.prefixes)), Row("damaged", .count(found.damaged.count)),
                Row("unread", .count(found.unread)), Row("foreign", .count(found.foreign.count)),
            ], console)
        return found.damaged.isEmpty ? .success : .someFailed
    }

    // MARK: What is printed

    /// One line of a report, or one member of its object.
    private struct Row {
        enum Value {
            case text(String)
            case count(Int)
            case bytes(Int)
        }

        let name: String
        let value: Value

        init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }

        var json: String {
            switch value {
            case .text(let text): JSONText.string(text)
            case .count(let count), .bytes(let count): "\(count)"
            }
        }

        var text: String {
            switch value {
            case .text(let text): TerminalText(cleaning: text).string
            case .count(let count): Values.grouped(count)
            case .bytes(let count): Values.bytes(count)
            }
        }
    }

    private func rows(of statistics: DiskCache.Statistics) -> [Row] {
        [
            Row("folder", .text(folder)), Row("entries", .count(statistics.entries)),
            Row("bytes", .bytes(statistics.bytes)), Row("limit", .bytes(statistics.byteLimit)),
            Row("unfinished", .count(statistics.temporaryFiles)),
        ]
    }

    private func rows(of removal: DiskCache.RemovalResult) -> [Row] {
        [
            Row("removed", .count(removal.entries)), Row("bytes", .bytes(removal.bytes)),
            Row("left", .bytes(removal.remainingBytes)), Row("foreign", .count(removal.unrecognizedFiles)),
        ]
    }

    /// Prints rows in two columns or, with --json, as one object.
    private func print(_ rows: [Row], _ console: Console) throws(TerminalError) {
        let width = rows.map(\.name.count).max() ?? 0
        try print(rows, console) {
            rows.map { row in
                "\(row.name)\(String(repeating: " ", count: width - row.name.count + 2))\(row.text)\n"
            }.joined()
        }
    }

    private func print(_ rows: [Row], _ console: Console, text: () -> String) throws(TerminalError) {
        try console.print(printsJSON ? JSONText.object(rows.map { ($0.name, $0.json) }) + "\n" : text())
    }
}
