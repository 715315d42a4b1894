internal import Glibc
internal import SpyglassCaching
internal import SpyglassFiles
internal import SpyglassThreads

/// Writes samples to tar files in the order of the inputs, whatever the order in which they are made; thread-safe.
///
/// A sample that is ahead of the others waits in a file without a name. A tar file appears when all its inputs have ended. If its
/// samples are those of an earlier run, it stays; else they are copied from there as far as they are up to date.
package final class TarPacker: Sendable {
    package enum Destination: Sendable {
        /// `OUT/00000.tar`, `OUT/00001.tar`, …; `nil` in a dry run into a folder that does not exist.
        case folder(OutputFolder?, inputs: Int, isForced: Bool)
        /// One tar file of everything, or one image; `scratch` is the folder for what waits.
        case stream(@Sendable ([UInt8]) throws -> Void, scratch: String, isImage: Bool)
    }

    package static let defaultInputs = 10_000
    /// Bounds the index of an old tar file.
    package static let inputsRange = 1...100_000

    private enum Waiting {
        /// Never `made`: those bytes are in the spool.
        case ready(PackedItem)
        case spooled(offset: Int, count: Int)
    }

    private struct State: ~Copyable {
        var keys = SampleKeys()
        /// The old tar files of the inputs in flight, by number.
        var old: [Int: PackedTar] = [:]
        /// The input that is written next.
        var next = 0
        var waiting: [Int: Waiting] = [:]
        var spool: FileDescriptor?
        var spooledBytes = 0
        /// The tar file that is being written; `nil` while it equals the old one.
        var temporary: TemporaryFile?
        /// The bytes of the old tar file that stay as they are.
        var equalBytes = 0
        /// Samples of the old tar file that are out of date and cannot be made again.
        var stale: [Range<Int>] = []
        var writtenBytes = 0
        var counts = Counts()
        var failure: (any Error)?
        var isBegun: Bool { temporary != nil }
        var spooledCount: Int { waiting.values.count { if case .spooled = $0 { true } else { false } } }
    }

    struct Counts {
        /// Samples that are new since the last tar file, and so in none.
        var unfinished = 0
        /// Finished tar files, and their bytes.
        var files = 0
        var bytes = 0
    }

    private let destination: Destination
    private let shard: Shard?
    private let layout: Tar.Layout
    private let state = Mutex(State())
    /// Keeps other runs from packing the same shard as long as it is open.
    private let lock: FileDescriptor?
    private static let copiedBytes = 1 << 20

    /// Throws `usage` if the folder has tar files of another layout, or of another program unless that may be replaced.
    package init(_ destination: Destination, shard: Shard? = nil) throws(BatchError) {
        self.destination = destination
        self.shard = shard
        var inputs = 0
        if case .folder(_, let count, _) = destination { inputs = count }
        layout = Tar.Layout(shards: shard?.count ?? 1, inputs: inputs)
        guard case .folder(let folder?, _, let isForced) = destination else {
            lock = nil
            return
        }
        lock = try folder.lockTars(shard)
        try folder.checkTars(layout, isForced)
    }

    /// The tar files of an earlier, longer list that a complete run has left behind, which repeat its samples.
    package func leftBehind() -> [String] {
        guard case .folder(let folder?, let inputs, _) = destination else { return [] }
        let count = state.withLock { ($0.next + inputs - 1) / max(inputs, 1) }
        let start = shard.map { "\($0.index)-" } ?? ""
        return folder.tarNames.filter { name in
            guard name.hasPrefix(start), let number = Int(name.dropFirst(start.count).dropLast(4)) else { return false }
            return number >= count
        }.sorted()
    }

    /// How far the newest input may be ahead: bounds the old tar files that are open.
    var span: Int { min(16 * max(layout.inputs, 1), layout.inputs == 0 ? 1024 : 4096) }

    /// The error that ended writing to standard output.
    package var streamFailure: (any Error)? {
        guard case .stream = destination else { return nil }
        return state.withLock { $0.failure }
    }

    private func tarNumber(_ turn: Int) -> Int { layout.inputs > 0 ? turn / layout.inputs : 0 }

    private func tarName(_ number: Int) -> String {
        let digits = "\(number)"
        let padded = String(repeating: "0", count: max(5 - digits.utf8.count, 0)) + digits
        return (shard.map { "\($0.index)-" } ?? "") + "\(padded).tar"
    }

    /// Reads the first inputs, up to one that the first tar file of an earlier run has; throws `usage` if it has none of them.
    ///
    /// A list that grew, shrank, or is retried still has an input of the first tar file; another list does not.
    func start(of feed: any BatchFeed) async throws -> [PlannedItem] {
        guard case .folder(let folder?, let inputs, isForced: false) = destination,
            let old = try folder.oldTar(tarName(0)), !old.isEmpty
        else { return [] }
        state.withLock { $0.old[0] = old }
        var keys = SampleKeys()
        var items: [PlannedItem] = []
        while items.count < inputs, let next = try await feed.next() {
            guard let id = next.id else { continue }
            let key = keys.next(for: id, number: items.count)
            items.append(next)
            if old.sample(key) != nil { return items }
        }
        guard !items.isEmpty else { return [] }
        throw folder.otherList(tarName(0))
    }

    /// The place of the next input, in the order of the inputs.
    ///
    /// Reads the headers of the old tar file before the first one.
    func slot(_ turn: Int, _ id: String) throws(BatchError) -> PackSlot {
        guard case .folder(let folder, _, _) = destination else {
            let key = state.withLock { $0.keys.next(for: id, number: turn) }
            if case .stream(_, _, let isImage) = destination, isImage {
                return PackSlot(key: key, layout: layout, isPlain: true)
            }
            return PackSlot(key: key, layout: layout)
        }
        let number = tarNumber(turn)
        if turn % layout.inputs == 0 {
            let known = state.withLock { $0.old[number] }
            let old = known == nil ? try folder?.oldTar(tarName(number)) : known
            state.withLock { state in
                state.keys = SampleKeys()
                state.old[number] = old
            }
        }
        return state.withLock { state in
            PackSlot(
                tar: tarName(number), key: state.keys.next(for: id, number: turn), layout: layout,
                old: state.old[number])
        }
    }

    /// Adds what became of an input, once for each; after a failure nothing more is written.
    func add(_ item: PackedItem, turn: Int) {
        state.withLock { state in
            guard state.failure == nil else {
                if case .made = item { state.counts.unfinished += 1 }
                return
            }
            do {
                if turn == state.next {
                    try write(item, &state)
                    try advance(&state)
                } else {
                    state.waiting[turn] = try waiting(item, &state)
                }
            } catch {
                fail(error, &state)
            }
        }
    }

    /// Ends the last tar file, unless the run was stopped.
    func finish(isComplete: Bool) -> Counts {
        state.withLock { state in
            if isComplete, state.failure == nil {
                do { try finishTar(&state) } catch { fail(error, &state) }
            }
            return state.counts
        }
    }

    /// A full disk or a closed pipe ends the run.
    private func fail(_ error: any Error, _ state: inout State) {
        state.failure = error
        guard case .folder(let folder?, _, _) = destination else { return }
        folder.endRun(error, tarName(tarNumber(state.next)))
    }

    // MARK: Order

    private func waiting(_ item: PackedItem, _ state: inout State) throws -> Waiting {
        guard case .made(let bytes) = item else { return .ready(item) }
        state.counts.unfinished += 1
        if state.spool == nil { state.spool = try makeSpool() }
        let offset = state.spooledBytes
        do throws(FileError) { try state.spool?.write(bytes, at: offset) } catch {
            guard case .stream(_, let scratch, _) = destination else { throw error }
            throw cannotWrite(to: scratch, error)
        }
        state.spooledBytes += bytes.count
        return .spooled(offset: offset, count: bytes.count)
    }

    private func makeSpool() throws -> FileDescriptor {
        switch destination {
        case .folder(let folder, _, _):
            guard let folder else { throw BatchError(.internal, "no output folder") }
            return try TemporaryFile.unnamed(in: folder.root)
        case .stream(_, let scratch, _):
            do throws(FileError) { return try TemporaryFile.unnamed(in: Folder(opening: scratch)) } catch {
                throw cannotWrite(to: scratch, error)
            }
        }
    }

    private func cannotWrite(to folder: String, _ error: FileError) -> BatchError {
        BatchError(.unavailable, "cannot write to the folder \(folder.quoted): \(error.reason)")
    }

    /// Writes what no longer has to wait.
    private func advance(_ state: inout State) throws {
        while true {
            state.next += 1
            if layout.inputs > 0, state.next % layout.inputs == 0 { try finishTar(&state) }
            switch state.waiting.removeValue(forKey: state.next) {
            case nil:
                guard state.waiting.isEmpty, state.spooledBytes > 0 else { return }
                state.spooledBytes = 0
                return try state.spool?.truncate(to: 0) ?? ()
            case .ready(let item): try write(item, &state)
            case .spooled(let offset, let count):
                let bytes = try state.spool?.bytes(count, at: offset) ?? []
                guard bytes.count == count else { throw FileError("pread", cause: .truncated) }
                state.counts.unfinished -= 1
                try write(.made(bytes), &state)
            }
        }
    }

    // MARK: Writing

    private func write(_ item: PackedItem, _ state: inout State) throws {
        switch item {
        case .nothing: break
        case .stale(let range): state.stale.append(range)
        case .kept(let range):
            if !state.isBegun, range.lowerBound == state.equalBytes {
                state.equalBytes = range.upperBound
            } else {
                try begin(&state)
                try copy(range, &state)
            }
        case .made(let bytes):
            state.counts.unfinished += 1
            try begin(&state)
            try put(bytes, &state)
        }
    }

    /// Begins the tar file with what it has in common with the old one.
    private func begin(_ state: inout State) throws {
        guard !state.isBegun, case .folder(let folder?, _, _) = destination else { return }
        state.temporary = try folder.temporaryTar(tarName(tarNumber(state.next)))
        state.writtenBytes = 0
        try copy(0..<state.equalBytes, &state)
    }

    private func copy(_ range: Range<Int>, _ state: inout State) throws {
        guard let old = state.old[tarNumber(state.next)] else { return }
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.copiedBytes) {
            try put(old.bytes(start..<min(start + Self.copiedBytes, range.upperBound)), &state)
        }
    }

    private func put(_ bytes: [UInt8], _ state: inout State) throws {
        switch destination {
        case .stream(let write, _, _): try write(bytes)
        case .folder: try state.temporary?.file.write(bytes)
        }
        state.writtenBytes += bytes.count
    }

    /// Ends the tar file of the inputs before `next`, and gives it its name.
    private func finishTar(_ state: inout State) throws {
        switch destination {
        case .stream(_, _, let isImage):
            if !isImage { try put(Tar.end, &state) }
            state.counts = Counts(files: 1, bytes: state.writtenBytes)
        case .folder(let folder, _, let isForced):
            let last = state.next
            // Its inputs end before `next`.
            let number = tarNumber(last - 1)
            defer {
                state.old[number] = nil
                (state.equalBytes, state.stale) = (0, [])
            }
            guard last > 0, let folder else { return }
            let old = state.old[number]
            let stale = state.equalBytes == 0 ? state.stale : []
            if !state.isBegun, let old, state.equalBytes == 0, stale.isEmpty || stale.count == old.count {
                // Nothing is up to date, and nothing new can be made: its samples stay.
                if stale.isEmpty { try folder.root.remove(tarName(number)) }
                return
            }
            if !state.isBegun, let old, state.equalBytes < old.dataEnd || !old.isWhole {
                // The old one has other samples, too.
                state.next = last - 1
                defer { state.next = last }
                try begin(&state)
                for range in stale { try copy(range, &state) }
            }
            guard let temporary = state.temporary.take() else { return }
            state.writtenBytes += Tar.end.count
            try temporary.file.write(Tar.end)
            try folder.publish(temporary, asTar: tarName(number), isForced)
            state.counts = Counts(
                unfinished: state.spooledCount, files: state.counts.files + 1,
                bytes: state.counts.bytes + state.writtenBytes)
        }
    }
}

/// Gives the samples of a tar file their keys, in the order of the inputs, so that they depend on the inputs alone.
///
/// A key is the id, with `_` for what is not a letter, a digit, `_` or `-` of ASCII. One that was changed or is taken gets `-` and
/// eight digits of the id's hash.
struct SampleKeys {
    /// Leaves room in a member's name for a size and an extension.
    private static let lengthLimit = 64
    /// Bounds memory, where everything is one tar file: all further keys get a hash of sixteen digits.
    private let maxRemembered: Int
    private var taken: Set<UInt64> = []
    /// How often an id that is used again was tried, by its hash.
    private var tries: [UInt64: Int] = [:]

    init(maxRemembered: Int = 1 << 20) { self.maxRemembered = maxRemembered }

    mutating func next(for id: String, number: Int) -> String {
        let clean = String(String.UnicodeScalarView(id.unicodeScalars.map { Self.isAllowed($0) ? $0 : "_" }))
        guard taken.count < maxRemembered else { return Self.hashed(clean, "\(number) \(id)", digits: 16) }
        if clean == id, !id.isEmpty, id.utf8.count <= Self.lengthLimit, claim(id) { return id }
        let hash = XXHash64.hash(Array(id.utf8))
        var count = tries[hash] ?? 0
        while true {
            let key = Self.hashed(clean, count == 0 ? id : "\(count) \(id)")
            count += 1
            guard claim(key) else { continue }
            if count > 1 { tries[hash] = count }
            return key
        }
    }

    private mutating func claim(_ key: String) -> Bool { taken.insert(XXHash64.hash(Array(key.utf8))).inserted }

    private static func hashed(_ clean: String, _ text: String, digits: Int = 8) -> String {
        let ending = "-\(Hex.text(FNV1a.hash(text)).prefix(digits))"
        return clean.prefix(lengthLimit - ending.utf8.count) + ending
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
        default: false
        }
    }
}
