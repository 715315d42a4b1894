internal import Glibc
internal import SpyglassCaching
internal import SpyglassThreads

/// The folder into which results go, and below which they stay.
///
///     let folder = try OutputFolder(path: "thumbs")
///     if case .made(mark, let bytes) = try folder.existing(name) { return }    // up to date
///     try folder.write(bytes, to: name, mark: mark, isForced: false)
///
/// Files appear whole or not at all, whenever the process dies: they are written beside their place and renamed. Below the folder, which
/// its owner named, no link is followed. Calls block; any thread may make them at any time.
package final class OutputFolder: Sendable {
    /// What stands where a result would.
    package enum Existing: Hashable, Sendable {
        case nothing
        /// A result of ours, and how long the file is.
        case made(Fingerprint, bytes: Int)
        /// Something else: a file, a folder, a link.
        case foreign
    }

    /// Lets one thread at a time look at a name and replace what stands there.
    private final class Turn: Sendable {
        let lock = Mutex(())
    }

    private struct State {
        /// Temporary files that are being written: the folders above them, and their names.
        var temporaries: [String: [String]] = [:]
        var nextTemporary = UInt64.random(in: 0..<1 << 32)
        /// Folders in which leftovers of dead processes have been looked for, by the hash of their path.
        var swept: Set<UInt64> = []
        /// What this run wrote in the very tick of the file system's clock in which it began, by the hash of the path.
        var early: Set<UInt64> = []
        var inputs: Set<FileIdentity> = []
        var keepsForeignFiles = false
        var problem: BatchError?
        var isClosed = false
    }

    /// As its owner named it.
    package let path: String
    /// Which folder it is, so that it is left out where inputs are walked.
    package let identity: FileIdentity
    let root: Int32
    /// When the run began, by the file system's own clock.
    private let start: timespec
    private let calls: FileCalls
    private let state = Mutex(State())
    private let turns = (0..<64).map { _ in Turn() }

    /// More folders than this are not swept, so that memory does not grow with their number.
    private static let sweptLimit = 65_536

    /// Opens the folder, making it and those above it where they are missing, and remembers the moment as the beginning of the run.
    ///
    /// - Throws: `BatchError` of kind `unavailable` where it cannot be made or written, or is no folder.
    package convenience init(path: String) throws(BatchError) {
        try self.init(path: path, isMade: true, FileCalls())
    }

    /// The same with other calls, for tests.
    convenience init(path: String, _ calls: FileCalls) throws(BatchError) {
        try self.init(path: path, isMade: true, calls)
    }

    /// Opens a folder that is there, to look and not to write; `nil` where there is none.
    package static func readOnly(at path: String) -> OutputFolder? {
        try? OutputFolder(path: path, isMade: false, FileCalls())
    }

    private init(path: String, isMade: Bool, _ calls: FileCalls) throws(BatchError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw BatchError(.usage, "\(path.quoted) is no name for a folder")
        }
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        var opened = open(path, flags)
        if opened < 0, errno == ENOENT, isMade {
            try Self.makeFolders(path)
            opened = open(path, flags)
        }
        guard opened >= 0 else {
            throw BatchError(.unavailable, "the folder \(path.quoted) cannot be opened: \(SystemErrorText.last)")
        }
        var status = stat()
        fstat(opened, &status)
        do throws(BatchError) {
            // Whoever only looks makes nothing: all that is there is from before.
            start = isMade ? try Self.now(in: opened, path) : timespec(tv_sec: .max, tv_nsec: 0)
        } catch {
            close(opened)
            throw error
        }
        self.path = path
        self.calls = calls
        identity = FileIdentity(status)
        root = opened
    }

    deinit { close(root) }

    /// Keeps files that are inputs from being replaced, even by force.
    package func protect(_ inputs: some Sequence<FileIdentity>) {
        let inputs = Array(inputs)
        state.withLock { $0.inputs.formUnion(inputs) }
    }

    /// Keeps all files from being replaced that are no results of ours, even by force: they may be inputs that nobody has named yet.
    package func keepForeignFiles() { state.withLock { $0.keepsForeignFiles = true } }

    /// Why no file can be written any more, whichever it is: a full disk, a used-up quota, a file system that is read-only now.
    package var problem: BatchError? { state.withLock(\.problem) }

    /// What stands where a result would: by the file's first and last bytes alone.
    ///
    /// - Throws: `BatchFailure` of kind `unwritable` where a folder on the way is a link, a file, or closed to us.
    package func existing(_ name: OutputName) throws(BatchFailure) -> Existing {
        guard let folder = try openFolder(name.folders, isMade: false) else { return .nothing }
        defer { close(folder) }
        return Self.existing(name.file, in: folder)
    }

    /// Writes a result: a temporary file beside its place, then a rename that replaces nothing but what may be replaced.
    ///
    /// That is a result of the same item, made of the picture in the same place, or an empty file; with `isForced`, any file. What this run has made is never replaced, nor is
    /// an input. A file that carries the same mark already is left as it is: it holds the same bytes.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - name: where it is to stand.
    ///   - mark: what stands in the bytes as their comment.
    ///   - isForced: whether files may be replaced that are not this item's.
    ///   - source: the file that it was made of, if it was one.
    /// - Returns: whether it was written; `false` where a file with the same mark has been there.
    /// - Throws: `BatchFailure` of kind `collision` where something else has the name, `unwritable` with the system's words where it cannot be
    ///   written, `cancelled` after `removeTemporaries()` and where `problem` says why no file can.
    @discardableResult
    package func write(
        _ bytes: [UInt8], to name: OutputName, mark: Fingerprint, isForced: Bool, source: FileIdentity? = nil
    ) throws(BatchFailure) -> Bool {
        guard let folder = try openFolder(name.folders, isMade: true) else {
            throw BatchFailure(.unwritable, "the folder of \(name.path.quoted) was removed meanwhile")
        }
        defer { close(folder) }
        sweepOnce(folder, name)
        let temporary = try makeTemporary(in: folder, name)
        defer {
            close(temporary.file)
            forget(temporary.name)
        }
        do throws(BatchFailure) {
            try write(bytes, to: temporary.file, name)
            try settle(temporary.file, name)
            var status = stat()
            fstat(temporary.file, &status)
            let key = XXHash64.hash(Array(name.path.utf8))
            let place = Place(
                folder: folder, name: name, key: key, mark: mark, isForced: isForced, source: source,
                isEarly: status.st_ctim <= start)
            return try turns[Int(key % UInt64(turns.count))].lock.withLock { _ throws(BatchFailure) in
                try publish(temporary.name, at: place)
            }
        } catch {
            // It is gone where the rename has been done; nothing else is ever called so.
            unlinkat(folder, temporary.name, 0)
            throw error
        }
    }

    /// Finds what `write` would find in its way, and writes nothing.
    ///
    /// - Throws: `BatchFailure` of kind `collision` or `unwritable`, as `write` would.
    package func check(
        _ name: OutputName, mark: Fingerprint, isForced: Bool, source: FileIdentity? = nil
    ) throws(BatchFailure) {
        guard let folder = try openFolder(name.folders, isMade: false) else { return }
        defer { close(folder) }
        let place = Place(
            folder: folder, name: name, key: XXHash64.hash(Array(name.path.utf8)), mark: mark, isForced: isForced,
            source: source, isEarly: false)
        _ = try verdict(place)
    }

    /// Removes the temporary files of this process, and lets no more be made: for the end of a run that was stopped.
    package func removeTemporaries() {
        let open = state.withLock { state in
            state.isClosed = true
            return state.temporaries
        }
        for (name, folders) in open {
            guard let folder = try? openFolder(folders[...], isMade: false) else { continue }
            unlinkat(folder, name, 0)
            close(folder)
        }
    }
}

// MARK: - What may be replaced

extension OutputFolder {
    /// Where a finished file is to stand, and what it may replace there.
    private struct Place {
        let folder: Int32
        let name: OutputName
        /// The hash of the path.
        let key: UInt64
        let mark: Fingerprint
        let isForced: Bool
        let source: FileIdentity?
        let isEarly: Bool
    }

    private enum Verdict {
        case isFree
        case isThere
        case mayBeReplaced
    }

    /// Gives a result its name, so that the temporary file is gone; `false` where its like has the name already.
    private func publish(_ temporary: String, at place: Place) throws(BatchFailure) -> Bool {
        // What stands there may come and go: other processes may be at work.
        for _ in 0..<16 {
            guard !state.withLock(\.isClosed) else { throw BatchFailure.cancelled }
            let code = Renaming.withoutReplacing(temporary, to: place.name.file, in: place.folder)
            if code == 0 {
                noteEarly(place)
                return true
            }
            guard code == EEXIST else { throw unwritable(place.name, code) }
            switch try verdict(place) {
            case .isFree: continue
            case .isThere:
                unlinkat(place.folder, temporary, 0)
                return false
            case .mayBeReplaced:
                guard renameat(place.folder, temporary, place.folder, place.name.file) == 0 else {
                    throw unwritable(place.name, errno)
                }
                noteEarly(place)
                return true
            }
        }
        throw BatchFailure(.unwritable, "\(place.name.path.quoted) does not stand still")
    }

    private func verdict(_ place: Place) throws(BatchFailure) -> Verdict {
        var status = stat()
        guard fstatat(place.folder, place.name.file, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            guard errno == ENOENT else { throw unwritable(place.name, errno) }
            return .isFree
        }
        let shown = place.name.path.quoted
        guard !status.isFolder else { throw BatchFailure(.collision, "\(shown) is a folder") }
        let identity = FileIdentity(status)
        guard identity != place.source, !state.withLock({ $0.inputs.contains(identity) }) else {
            throw BatchFailure(.collision, "\(shown) is an input, and inputs are never overwritten")
        }
        let existing = Self.existing(place.name.file, in: place.folder)
        if case .made(place.mark, _) = existing, !(place.isForced && isFromBefore(status, place.key)) {
            return .isThere
        }
        guard isFromBefore(status, place.key) else {
            throw BatchFailure(.collision, "\(shown) was made for another item of this run")
        }
        // Where the power failed, a file may have a name and no bytes.
        if status.isPlainFile, status.st_size == 0 { return .mayBeReplaced }
        guard case .made(let mark, _) = existing else {
            guard !state.withLock(\.keepsForeignFiles) else {
                throw BatchFailure(
                    .collision, "\(shown) was not made by spyglass, and may be an input that the manifest still names")
            }
            guard place.isForced else {
                throw BatchFailure(.collision, "\(shown) was not made by spyglass; --force replaces it")
            }
            return .mayBeReplaced
        }
        if place.isForced { return .mayBeReplaced }
        guard mark.id == place.mark.id else {
            throw BatchFailure(.collision, "\(shown) is another item's result; --force replaces it")
        }
        guard mark.place == place.mark.place else {
            throw BatchFailure(
                .collision, "\(shown) is the result of another picture of that id; --force replaces it")
        }
        return .mayBeReplaced
    }

    /// Whether something was there before the run began; what came in the same tick of the clock was, unless we made it.
    private func isFromBefore(_ status: stat, _ key: UInt64) -> Bool {
        status.st_ctim <= start && !state.withLock { $0.early.contains(key) }
    }

    private func noteEarly(_ place: Place) {
        if place.isEarly { state.withLock { _ = $0.early.insert(place.key) } }
    }
}

// MARK: - Temporary files

extension OutputFolder {
    /// Makes a file that is ours as long as it is open: its lock (`flock`) goes with its writer.
    private func makeTemporary(
        in folder: Int32, _ name: OutputName
    ) throws(BatchFailure) -> (file: Int32, name: String) {
        // Other processes may have the same number: those of other containers.
        for _ in 0..<100 {
            let temporary = state.withLock { state -> String? in
                guard !state.isClosed else { return nil }
                state.nextTemporary += 1
                let temporary = TemporaryName.of(state.nextTemporary)
                state.temporaries[temporary] = Array(name.folders)
                return temporary
            }
            guard let temporary else { throw BatchFailure.cancelled }
            let file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
            if file >= 0, Self.isOurs(file) { return (file, temporary) }
            let code = errno
            forget(temporary)
            if file >= 0 {
                close(file)
                continue
            }
            guard code == EEXIST else { throw unwritable(name, code) }
        }
        throw BatchFailure(.unwritable, "\(name.path.quoted) cannot be written: every temporary name is taken")
    }

    /// Locks a file that was just made; `false` where a sweep was faster.
    private static func isOurs(_ file: Int32) -> Bool {
        // Some file systems have no locks: there a process's number decides.
        guard flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else { return false }
        var status = stat()
        return fstat(file, &status) == 0 && status.st_nlink > 0
    }

    private func forget(_ temporary: String) {
        state.withLock { _ = $0.temporaries.removeValue(forKey: temporary) }
    }

    /// Removes what dead processes left in a folder, when this run first writes there.
    private func sweepOnce(_ folder: Int32, _ name: OutputName) {
        let key = XXHash64.hash(Array(name.folders.joined(separator: "/").utf8))
        let isDue = state.withLock { state in
            state.swept.count < Self.sweptLimit && state.swept.insert(key).inserted
        }
        if isDue { Leftovers.sweep(folder) }
    }

    private func write(_ bytes: [UInt8], to file: Int32, _ name: OutputName) throws(BatchFailure) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { calls.write(file, UnsafeRawBufferPointer(rebasing: $0[done...])) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw unwritable(name, count < 0 ? errno : ENOSPC) }
            done += count
        }
    }

    /// Has a file system say now what it says at the end: NFS, FUSE and quotas over the network tell only a `close` that bytes were lost.
    ///
    /// A second descriptor is closed: the first one holds the lock until the file has its name.
    private func settle(_ file: Int32, _ name: OutputName) throws(BatchFailure) {
        let copy = fcntl(file, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, calls.close(copy) == 0 else { throw unwritable(name, errno) }
    }

    private func unwritable(_ name: OutputName, _ code: Int32) -> BatchFailure {
        failure(code, "\(name.path.quoted) cannot be written")
    }

    /// What a call that failed means for the item: its own failure, or, where no other file could be written either, that of the run.
    func failure(_ code: Int32, _ what: String) -> BatchFailure {
        guard [ENOSPC, EDQUOT, EROFS].contains(code) else {
            return BatchFailure(.unwritable, "\(what): \(SystemErrorText.of(code))")
        }
        state.withLock { state in
            guard state.problem == nil else { return }
            state.problem = BatchError(
                .unavailable, "the folder \(path.quoted) cannot be written any more: \(SystemErrorText.of(code))")
        }
        return .cancelled
    }
}

/// Whether one moment is not after another.
private func <= (left: timespec, right: timespec) -> Bool {
    (left.tv_sec, left.tv_nsec) <= (right.tv_sec, right.tv_nsec)
}
