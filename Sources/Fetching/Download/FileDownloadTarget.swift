internal import SpyglassFiles
internal import SpyglassThreads

/// A file being downloaded, under a temporary name until it is complete; calls block, one at a time.
final class FileDownloadTarget: Sendable {
    /// Calls that tests replace to simulate a full disk, or a file system that cannot rename without replacing.
    struct Calls: Sendable {
        var write = FileDescriptor.writeCall
        var rename = Folder.ExclusiveRename.direct
        /// Free bytes; `nil` where the file system does not know.
        var freeBytes: @Sendable (borrowing Folder) -> Int? = { $0.freeBytes }
    }

    private final class Open: Sendable {
        let folder: Folder
        let temporary: TemporaryFile

        init(_ folder: consuming Folder) throws(FileError) {
            TemporaryFile.sweep(folder)
            temporary = try TemporaryFile.create(in: folder, permissions: 0o644)
            self.folder = folder
        }
    }

    private let path: String
    /// The path up to the last slash.
    private let folderPrefix: String
    private let name: String
    private let calls: Calls
    private let opened = Mutex<Open?>(nil)

    /// Maximum bytes of a file's name (`NAME_MAX` of limits.h).
    private static let maxNameLength = 255
    private static let maxNumber = 9999

    /// Touches nothing; throws where the path is not a file name.
    init(path: String, _ calls: Calls = Calls()) throws(FetchError) {
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        let name = String(path[start...])
        guard !["", ".", ".."].contains(name), !path.containsZero, name.utf8.count <= Self.maxNameLength else {
            throw FetchError(.unavailable, "'\(String(path.prefix(200)).withoutControls)' is not a file name")
        }
        self.path = path
        self.name = name
        folderPrefix = String(path[..<start])
        self.calls = calls
    }

    func open() throws(FetchError) {
        let folderPath = folderPrefix.isEmpty ? "." : folderPrefix
        do throws(FileError) {
            let open = try Open(Folder(opening: folderPath))
            opened.withLock { $0 = open }
        } catch {
            let isFolder = error.path == folderPath
            let subject = isFolder ? "open the folder \(folderPath.withoutControls)" : "create \(path.withoutControls)"
            throw FetchError(.unavailable, "cannot \(subject): \(error.reason)")
        }
    }

    /// Removes what was written before a body starts, and checks the free space.
    func begin(expecting total: Int?) throws(FetchError) {
        let open = try current()
        try attempt("write") { () throws(FileError) in try open.temporary.file.empty() }
        guard let total, let free = calls.freeBytes(open.folder), total > free else { return }
        throw FetchError(
            .unavailable, "cannot write \(path.withoutControls): \(total) bytes needed, \(free) bytes free")
    }

    func write(_ bytes: [UInt8]) throws(FetchError) {
        let open = try current()
        try attempt("write") { () throws(FileError) in try open.temporary.file.write(bytes, with: calls.write) }
    }

    /// Gives the file its name, or the first free one with a number; returns its path.
    func publish() throws(FetchError) -> String {
        let open = try current()
        try attempt("write") { () throws(FileError) in try open.temporary.file.synchronize() }
        for number in 0...Self.maxNumber {
            let name = number == 0 ? name : numbered(number)
            let isPublished = try attempt("create") { () throws(FileError) in
                try open.folder.renameIfAbsent(open.temporary.name, to: name, first: calls.rename)
            }
            guard isPublished else { continue }
            // The name survives a crash where the file system can flush folders.
            try? open.folder.descriptor.synchronize()
            opened.withLock { $0 = nil }
            return folderPrefix + name
        }
        throw FetchError(
            .unavailable, "cannot create \(path.withoutControls): it and \(Self.maxNumber) numbered names are taken")
    }

    /// Removes what was written, unless it was published.
    func discard() {
        guard let open = opened.withLock({ $0.take() }) else { return }
        try? open.folder.remove(open.temporary.name)
    }

    /// The name with a number before its extension, shortened to the maximum length.
    private func numbered(_ number: Int) -> String {
        var stem = name[...]
        var end = "-\(number)"
        if let dot = name.lastIndex(of: "."), dot > name.startIndex, name[dot...].utf8.count < Self.maxNameLength / 2 {
            stem = name[..<dot]
            end += name[dot...]
        }
        while stem.utf8.count + end.utf8.count > Self.maxNameLength { stem.removeLast() }
        return stem + end
    }

    private func current() throws(FetchError) -> Open {
        guard let open = opened.withLock(\.self) else {
            throw FetchError(.unavailable, "cannot write \(path.withoutControls): not open")
        }
        return open
    }

    private func attempt<Value>(_ verb: String, _ body: () throws(FileError) -> Value) throws(FetchError) -> Value {
        try ArchiveFolder.attempt("cannot \(verb) \(path.withoutControls)", body)
    }
}

/// Writes a body to a file on another thread, in order; above `maxPending` the transfer is paused until half is written.
final class FileDownloadSink: Sendable {
    /// Pending bytes above which the transfer pauses: what a disk writes within a few milliseconds.
    static let maxPending = 1 << 20
    /// The interval between progress reports: 20 a second make a smooth bar.
    static let progressInterval = Duration.milliseconds(50)

    private enum Step: Sendable {
        /// A body starts, or starts again; with its length, if known.
        case begin(total: Int?)
        case bytes([UInt8])
    }

    private struct Progress: Sendable {
        var isAccepting = false
        var isStopped = false
        var failure: FetchError?
        var written = 0
        var total: Int?
        var lastReport: Duration?
        /// Pauses the transfer; it refers back to the sink, so it is released at the end.
        var control: FetchControl?

        var isOver: Bool { isStopped || failure != nil }

        /// Counts a step that was carried out; returns whether a progress report is due.
        mutating func note(_ step: Step, at now: Duration) -> Bool {
            switch step {
            case .begin(let total): (written, self.total) = (0, total)
            case .bytes(let bytes): written += bytes.count
            }
            if let lastReport, now < lastReport + progressInterval { return false }
            lastReport = now
            return true
        }
    }

    private typealias Queue = WriteBehindQueue<Never, Step, Progress>

    private let queue: Queue
    private let progress: @Sendable (Int, Int?) -> Void

    init(
        _ target: FileDownloadTarget, _ threads: ThreadPool, _ time: ElapsedClock,
        _ progress: @escaping @Sendable (Int, Int?) -> Void
    ) {
        self.progress = progress
        queue = Queue(Progress(), on: threads, writesPerTurn: 64, didWrite: Self.unpause) { step, queue in
            do throws(FetchError) {
                switch step {
                case .begin(let total): try target.begin(expecting: total)
                case .bytes(let bytes): try target.write(bytes)
                }
            } catch {
                // The transport gets the failure with the next bytes.
                return queue.withLock { state in
                    state.policy.failure = error
                    state.removeQueued()
                }
            }
            let now = time.now()
            let report = queue.withLock { state in
                state.policy.note(step, at: now) ? (state.policy.written, state.policy.total) : nil
            }
            if let (written, total) = report { progress(written, total) }
        }
    }

    var failure: FetchError? { queue.withLock { $0.policy.failure } }

    func makeControl() -> FetchControl {
        let control = FetchControl(priority: .visible) { self.receive($0) }
        queue.withLock { $0.policy.control = control }
        return control
    }

    func receive(whole body: [UInt8]) {
        let length = HeaderFields.Field(name: "Content-Length", value: "\(body.count)")
        if receive(.started(status: 200, headers: HeaderFields([length]))) { _ = receive(.bytes(body)) }
    }

    /// Returns the number of bytes in the file when all are written.
    func finish() async throws(FetchError) -> Int {
        await queue.flush()
        let end = queue.withLock { state in
            state.policy.control = nil
            return state.policy
        }
        if let failure = end.failure { throw failure }
        progress(end.written, end.total)
        return end.written
    }

    /// Returns when no more will be written.
    func stop() async {
        queue.withLock { state in
            state.policy.isStopped = true
            state.policy.control = nil
            state.removeQueued()
        }
        await queue.flush()
    }

    /// Returns whether more of the body is wanted.
    private func receive(_ event: FetchControl.BodyEvent) -> Bool {
        queue.withLock { state in
            guard !state.policy.isOver else { return false }
            switch event {
            case .started(let status, let headers):
                state.policy.isAccepting = (200...299).contains(status)
                guard state.policy.isAccepting else { return true }
                state.put(.begin(total: headers.isContentEncoded ? nil : headers.contentLength))
            case .bytes(let bytes):
                guard state.policy.isAccepting else { return true }
                state.put(.bytes(bytes), byteCount: bytes.count)
                // Under the lock, so that the writing thread cannot unpause before.
                if state.byteCount >= Self.maxPending { state.policy.control?.isPaused = true }
            }
            return true
        }
    }

    private static func unpause(_ queue: Queue) {
        queue.withLock { state in
            let isOver = state.policy.isOver
            if isOver || state.byteCount <= maxPending / 2 { state.policy.control?.isPaused = false }
        }
    }
}
