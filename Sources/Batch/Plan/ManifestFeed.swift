internal import Glibc
package import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassThreads

/// The images of a JSONL manifest (`ManifestLine`), read on demand.
///
/// Colliding names fail when the second output is written.
package final class ManifestFeed: BatchFeed {
    private struct State: ~Copyable {
        var reader: LineReader
        /// The current line, from 1.
        var line = 0
        var number = 0
    }

    private enum Step: Sendable { case planned(PlannedItem), empty, end }

    private let name: String
    private let job: BatchJob
    private let shard: Shard?
    private let listTrust: AddressTrust
    private let state: Mutex<State>
    private let threads = ThreadPool(count: 1)
    private let waker: WakePipe
    package var count: Int? { nil }

    /// Reads from an open descriptor, which stays open.
    package convenience init(
        reading descriptor: Int32, name: String = "standard input", _ job: BatchJob, shard: Shard? = nil,
        listTrust: AddressTrust = .publicService
    ) throws(BatchError) {
        try self.init(name, job, shard, listTrust) { () throws(FileError) in
            try FileDescriptor(duplicating: descriptor)
        }
    }

    /// Reads from a file or a named pipe; `next` waits for a pipe's writer.
    package convenience init(
        path: String, _ job: BatchJob, shard: Shard? = nil, listTrust: AddressTrust = .publicService
    ) throws(BatchError) {
        try self.init(path.quoted, job, shard, listTrust) { () throws(FileError) in try Folder.working.open(path) }
    }

    private init(
        _ name: String, _ job: BatchJob, _ shard: Shard?, _ listTrust: AddressTrust,
        _ open: () throws(FileError) -> FileDescriptor
    ) throws(BatchError) {
        (self.name, self.job, self.shard, self.listTrust) = (name, job, shard, listTrust)
        waker = try Self.attempt(name) { () throws(FileError) in try WakePipe() }
        state = Mutex(State(reader: LineReader(try Self.attempt(name, open))))
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
            switch state.withLock({ step(&$0) }) {
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
                    let endless = "a line has more than \(LineReader.maxSkipped) bytes; write one object a line"
                    let reason = error.cause == .tooLarge ? endless : error.reason
                    throw BatchError(.unavailable, "cannot read the manifest \(name): \(reason)")
                }
            }
        } onCancel: {
            waker.wake()
        }
    }

    private func step(_ state: inout State) -> Step {
        while true {
            switch state.reader.next() {
            case .empty: return .empty
            case .end: return .end
            case .tooLong:
                state.line += 1
                return failed(BatchError(.input, "more than \(LineReader.maxLength) bytes"), nil, "", &state)
            case .line(let bytes):
                state.line += 1
                let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
                let text = state.line == 1 && bytes.starts(with: mark) ? Array(bytes.dropFirst(3)) : bytes
                guard !text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else { continue }
                return planned(text, &state)
            }
        }
    }

    private func planned(_ line: [UInt8], _ state: inout State) -> Step {
        var (id, shownSource): (String?, String) = (nil, "")
        do throws(BatchError) {
            let value = try ManifestLine.object(line)
            (id, shownSource) = ManifestLine.names(in: value)
            let item = try ManifestLine.item(value, number: state.number, job, listTrust: listTrust)
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
