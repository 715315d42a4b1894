internal import Glibc
internal import SpyglassCodecs
package import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassJSON
internal import SpyglassThreads

/// The images of a manifest (`ManifestForm`, `ManifestLine`), read on demand; it may be compressed with gzip.
///
/// Each invalid line or record fails one item. Colliding names fail when the second output is written.
package final class ManifestFeed: BatchFeed {
    private struct State: ~Copyable {
        var reader: LineReader
        /// The current line, from 1.
        var line = 0
        var number = 0
        /// `nil` before the first line.
        var form: ManifestForm?
        var columns: ManifestColumns
        /// The names of a table's columns.
        var header: [String]?
        /// A record that is not complete, and its lines.
        var record: TableRecord?
        var recordLines: [LineReader.Step] = []
        var recordBytes = 0
        /// Lines of a failed record that are read again, in reverse: the next one is at the end.
        ///
        /// Each is then a record of its own, except the one read last: so no line is read more than twice, whatever its quotes.
        var again: [LineReader.Step] = []
        /// Whether the current line was part of a longer record that failed, and is read alone.
        var isSeparate = false
        /// Bytes of blank lines since the last other one.
        var blankBytes = 0

        mutating func nextLine() -> LineReader.Step {
            isSeparate = again.count > 1
            let next = again.popLast() ?? reader.next()
            if next != .empty, next != .end { line += 1 }
            return next
        }
    }

    private enum Step: Sendable { case planned(PlannedItem), empty, end }

    /// A few compressed bytes hold any number of blank lines.
    private static let maxBlankBytes = 4 << 20
    private let name: String
    private let job: BatchJob
    private let shard: Shard?
    private let listTrust: NetworkReach
    private let state: Mutex<State>
    private let threads = ThreadPool(count: 1)
    private let waker: WakePipe
    package var count: Int? { nil }

    /// Reads from an open descriptor, which stays open.
    package convenience init(
        reading descriptor: Int32, name: String = "standard input", _ job: BatchJob, shard: Shard? = nil,
        listTrust: NetworkReach = .publicAddresses, columns: ManifestColumns = ManifestColumns()
    ) throws(BatchError) {
        try self.init(name, job, shard, listTrust, columns, form: nil) { () throws(FileError) in
            try FileDescriptor(duplicating: descriptor)
        }
    }

    /// Reads from a file or a named pipe; `next` waits for a pipe's writer.
    package convenience init(
        path: String, _ job: BatchJob, shard: Shard? = nil, listTrust: NetworkReach = .publicAddresses,
        columns: ManifestColumns = ManifestColumns()
    ) throws(BatchError) {
        try self.init(path.quoted, job, shard, listTrust, columns, form: ManifestForm(name: path)) {
            () throws(FileError) in try Folder.working.open(path)
        }
    }

    private init(
        _ name: String, _ job: BatchJob, _ shard: Shard?, _ listTrust: NetworkReach, _ columns: ManifestColumns,
        form: ManifestForm?, _ open: () throws(FileError) -> FileDescriptor
    ) throws(BatchError) {
        (self.name, self.job, self.shard, self.listTrust) = (name, job, shard, listTrust)
        waker = try Self.attempt(name) { () throws(FileError) in try WakePipe() }
        state = Mutex(State(reader: LineReader(try Self.attempt(name, open)), form: form, columns: columns))
    }

    private static func attempt<Value: ~Copyable>(
        _ name: String, _ body: () throws(FileError) -> Value
    ) throws(BatchError) -> Value {
        do { return try body() } catch {
            throw BatchError(.unavailable, "cannot open the manifest \(name): \(error.reason)")
        }
    }

    package func next() async throws -> PlannedItem? {
        while true {
            switch try state.withLock({ try step(&$0) }) {
            case .planned(let item): return item
            case .end: return nil
            case .empty: try await fill()
            }
        }
    }

    /// For tests: the bytes in memory.
    var bufferedBytes: Int { state.withLock { $0.reader.bufferedBytes } }

    private func fill() async throws {
        try await withTaskCancellationHandler {
            try await threads.run { [self] _ in
                do throws(FileError) {
                    try state.withLock { (state) throws(FileError) in try state.reader.fill(wake: waker) }
                } catch {
                    guard error.code != ECANCELED else { throw CancellationError() }
                    let rule = state.withLock { $0.form }?.lineRule ?? "write one image a line"
                    let endless = "a line has more than \(LineReader.maxSkipped) bytes; \(rule)"
                    let reason = error.cause == .tooLarge ? endless : error.reason
                    throw BatchError(.unavailable, "cannot read the manifest \(name): \(reason)")
                }
            }
        } onCancel: {
            waker.wake()
        }
    }

    private func step(_ state: inout State) throws(BatchError) -> Step {
        while true {
            let next = state.nextLine()
            if state.line == 1 { try checkForm(state.reader.head) }
            switch next {
            case .empty: return .empty
            case .end:
                guard state.record != nil else { return .end }
                return unclosed(&state)
            case .tooLong:
                guard state.record == nil else {
                    state.recordLines.append(.tooLong)
                    return unclosed(&state)
                }
                return failed(BatchError(.input, "more than \(LineReader.maxLength) bytes"), nil, "", &state)
            case .line(let bytes):
                let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
                let text = state.line == 1 && bytes.starts(with: mark) ? Array(bytes.dropFirst(3)) : bytes
                let isBlank = text.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
                guard !isBlank || state.record != nil else {
                    state.blankBytes += bytes.count + 1
                    guard state.blankBytes <= Self.maxBlankBytes else {
                        let reason = "more than \(Self.maxBlankBytes) bytes of blank lines"
                        throw BatchError(.unavailable, "the manifest \(name) has \(reason)")
                    }
                    continue
                }
                state.blankBytes = 0
                let form = state.form ?? ManifestForm(firstLine: text, state.columns)
                state.form = form
                switch form {
                case .json: return planned(json: text, &state)
                case .mixed where text.first == UInt8(ascii: "{"): return planned(json: text, &state)
                case .lines, .mixed: return planned(Self.object(source: text), &state)
                case .table(let delimiter):
                    if let step = try tableStep(text, delimiter, &state) { return step }
                }
            }
        }
    }

    /// Refuses images and other binary files by their first bytes; an invalid line costs one item only.
    private func checkForm(_ head: [UInt8]) throws(BatchError) {
        func refused(_ reason: String) -> BatchError { BatchError(.usage, "the manifest \(name) is \(reason)") }
        guard !head.starts(with: [0xFF, 0xFE]), !head.starts(with: [0xFE, 0xFF]) else {
            throw refused("UTF-16 text; save it as UTF-8")
        }
        guard !head.filter({ !" \t\r\n".utf8.contains($0) }).starts(with: "[{".utf8) else {
            throw refused("a JSON array; write one object per line: jq -c '.[]'")
        }
        guard head.contains(0) else { return }
        switch FileKind.sniff(head.span) {
        case .image, .otherImage: throw refused("an image, not a list of images; leave out --manifest")
        case .notAnImage(let kind) where head.prefix(while: { $0 != UInt8(ascii: "\n") }).contains(0):
            throw refused("\(kind), not a list of images")
        case .notAnImage, .empty: break
        }
    }

    private static func object(source line: [UInt8]) -> JSONValue {
        let text = String(decoding: line.last == 0x0D ? line.dropLast() : line[...], as: UTF8.self)
        return .object([JSONValue.Member(name: "src", value: .string(text))])
    }

    /// Returns `nil` after the header, and inside a record.
    private func tableStep(_ line: [UInt8], _ delimiter: UInt8, _ state: inout State) throws(BatchError) -> Step? {
        guard let header = state.header else {
            let delimiter = ManifestForm.delimiter(of: line, state.columns, preferring: delimiter) ?? delimiter
            state.form = .table(delimiter: delimiter)
            let names = TableRecord.fields(line, delimiter: delimiter) ?? []
            do throws(BatchError) {
                state.header = try state.columns.read(header: names, crops: job.fit == .cover)
            } catch {
                throw BatchError(error.kind, "the manifest \(name) has \(error.reason)")
            }
            return nil
        }
        var record = state.record ?? TableRecord(delimiter: delimiter)
        state.record = nil
        state.recordLines.append(.line(line))
        state.recordBytes += line.count
        do throws(BatchError) {
            guard try record.add(line) else {
                guard !state.isSeparate, state.recordBytes < LineReader.maxLength,
                    state.recordLines.count < TableRecord.maxLines
                else { return unclosed(&state) }
                state.record = record
                return nil
            }
        } catch {
            return failedRecord(error, &state)
        }
        guard record.fields.count == header.count else {
            let count = record.fields.count
            let counts = "\(count) field\(count == 1 ? "" : "s"), and the header has \(header.count)"
            return failedRecord(BatchError(.input, counts), &state)
        }
        endRecord(&state)
        // An empty field is a missing one.
        let members = zip(header, record.fields).filter { !$1.isEmpty }
            .map { JSONValue.Member(name: $0, value: .string($1)) }
        return planned(.object(members), &state)
    }

    private func unclosed(_ state: inout State) -> Step {
        failedRecord(BatchError(.input, "a quoted field does not end"), &state)
    }

    /// Costs the first line of a record; the others are read again.
    private func failedRecord(_ error: BatchError, _ state: inout State) -> Step {
        let rest = state.recordLines.dropFirst()
        state.line -= rest.count
        state.again += rest.reversed()
        endRecord(&state)
        return failed(error, nil, "", &state)
    }

    private func endRecord(_ state: inout State) {
        state.record = nil
        state.recordLines = []
        state.recordBytes = 0
    }

    private func planned(json line: [UInt8], _ state: inout State) -> Step {
        do throws(BatchError) { return planned(try ManifestLine.object(line), &state) } catch {
            return failed(error, nil, "", &state)
        }
    }

    private func planned(_ value: JSONValue, _ state: inout State) -> Step {
        let (id, shownSource) = ManifestLine.names(in: value, state.columns)
        do throws(BatchError) {
            let item = try ManifestLine.item(value, number: state.number, job, listTrust: listTrust, state.columns)
            state.number += 1
            return .planned(shard?.contains(item.id) ?? true ? .item(item) : .excluded)
        } catch {
            return failed(error, id, shownSource, &state)
        }
    }

    private func failed(_ failure: BatchError, _ id: String?, _ shownSource: String, _ state: inout State) -> Step {
        defer { state.number += 1 }
        let line = "line \(state.line)"
        guard shard?.contains(id ?? line) ?? true else { return .planned(.excluded) }
        let failure = BatchError(failure.kind, "\(line): \(failure.message)")
        return .planned(.failed(number: state.number, id: id ?? line, shownSource: shownSource, failure))
    }
}
