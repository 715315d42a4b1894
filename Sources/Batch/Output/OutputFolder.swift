internal import Glibc
internal import SpyglassCaching
package import SpyglassFiles
internal import SpyglassThreads

/// A batch's results.
///
/// A file appears complete or not at all; no link below the folder is followed. Calls block; thread-safe.
package final class OutputFolder: Sendable {
    package enum Existing: Hashable, Sendable {
        case nothing
        /// A result of Spyglass, and the file's length.
        case made(Fingerprint, bytes: Int)
        /// Another file, a folder or a link.
        case foreign
    }

    /// Lets one thread at a time check a name and replace its file.
    private final class WriteLock: Sendable {
        let lock = Mutex(())
    }

    private struct State {
        /// Folders of the temporary files that are being written, by name.
        var temporaries: [String: ArraySlice<String>] = [:]
        /// Hashes of the paths of folders that were swept.
        var swept: Set<UInt64> = []
        /// Hashes of the paths written in the same tick of the file system's clock in which the run began.
        var early: Set<UInt64> = []
        var inputs: Set<FileIdentity> = []
        var keepsForeignFiles = false
        var runError: BatchError?
        var isClosed = false
    }

    package let path: String
    /// Excludes the folder where inputs are walked.
    package let identity: FileIdentity
    let root: Folder
    /// Start of the run, by the file system's clock.
    private let start: Duration
    private let calls: FileCalls
    private let state = Mutex(State())
    private let writeLocks = (0..<64).map { _ in WriteLock() }
    /// Maximum number of folders that are swept: bounds memory.
    private static let maxSwept = 65_536
    private static let force = "--force replaces it"

    /// Opens the folder, which starts the run; creates missing folders on the way.
    ///
    /// Throws `unavailable`.
    package convenience init(path: String) throws(BatchError) { try self.init(path: path, FileCalls()) }

    /// Opens an existing folder without writing; `nil` if there is none.
    package static func readOnly(at path: String) -> OutputFolder? {
        try? OutputFolder(path: path, isMade: false, FileCalls())
    }

    init(path: String, isMade: Bool = true, _ calls: FileCalls) throws(BatchError) {
        guard !path.isEmpty, !path.containsZero else {
            throw BatchError(.usage, "\(path.quoted) is not a folder name")
        }
        self.path = path
        self.calls = calls
        var verb = "open"
        do throws(FileError) {
            if isMade, (try? Folder.working.status(of: path, followingLinks: true)) == nil {
                verb = "create"
                try Folder.create(path, permissions: 0o777)
                verb = "open"
            }
            let root = try Folder(opening: path)
            identity = try root.descriptor.status.identity
            verb = "write to"
            // A run that only reads makes no file: all files are older.
            start = isMade ? try TemporaryFile.probe(root).changed : .seconds(Int64.max)
            self.root = root
        } catch {
            throw BatchError(.unavailable, "cannot \(verb) the folder \(path.quoted): \(error.reason)")
        }
    }

    /// Protects inputs from being replaced, even by force.
    package func protect(_ inputs: some Sequence<FileIdentity>) {
        let inputs = Array(inputs)
        state.withLock { $0.inputs.formUnion(inputs) }
    }

    /// Protects all files that are not results, even from force: they may be inputs that a manifest still names.
    package func keepForeignFiles() { state.withLock { $0.keepsForeignFiles = true } }

    /// Refuses an input of a manifest that is a result in this folder: another line of the manifest may replace it.
    func check(_ input: SourceFile, of item: BatchItem) throws(BatchError) {
        guard state.withLock(\.keepsForeignFiles), case .file(let file) = item.source,
            try Fingerprint.find(input.bytes) != nil,
            Folder.resolved(file).hasPrefix("\(Folder.resolved(path))/")
        else { return }
        throw BatchError(
            .collision, "is a result in the output folder, where another line may replace it; choose another --out")
    }

    /// Whether this run is a dry one.
    var isReadOnly: Bool { start == .seconds(Int64.max) }

    /// Why no further file can be written: a full disk, an exhausted quota, a read-only file system.
    package var runError: BatchError? { state.withLock(\.runError) }

    /// Judges by the file's first and last bytes; throws `unwritable` where a folder on the way is a link or a file.
    package func existing(_ name: OutputName) throws(BatchError) -> Existing {
        guard let folder = try openFolder(name.folders, isMade: false) else { return .nothing }
        return Self.existing(name.file, in: folder)
    }

    /// Writes a result to a temporary file and renames it; `false` where a file has the same fingerprint, so the same bytes.
    ///
    /// Replaces an empty file, or an older result of the same item and source; if `isForced`, any older file. Results of this run
    /// and inputs stay. Throws `collision`, `unwritable`, or `cancelled` after `removeTemporaries()` and a `runError`.
    @discardableResult
    package func write(
        _ bytes: [UInt8], to name: OutputName, fingerprint: Fingerprint, isForced: Bool, source: FileIdentity? = nil
    ) throws(BatchError) -> Bool {
        guard let folder = try openFolder(name.folders, isMade: true) else {
            throw BatchError(.unwritable, "the folder of \(name.path.quoted) was removed by another process")
        }
        sweepOnce(folder, name)
        let temporary = try makeTemporary(in: folder, name)
        defer { forget(temporary.name) }
        do throws(BatchError) {
            let status: FileStatus
            do throws(FileError) {
                try temporary.file.write(bytes, with: calls.write)
                // A second descriptor is closed: the first holds the lock until the file has its name.
                try FileDescriptor(duplicating: temporary.file.number).close(with: calls.close)
                status = try temporary.file.status
            } catch {
                throw unwritable(name, error)
            }
            let key = XXHash64.hash(Array(name.path.utf8))
            let result = Result(
                name: name, key: key, fingerprint: fingerprint, isForced: isForced, source: source,
                isEarly: status.changed <= start)
            return try writeLocks[Int(key % UInt64(writeLocks.count))].lock.withLock { _ throws(BatchError) in
                try publish(temporary.name, as: result, in: folder)
            }
        } catch {
            // After the rename, the name is gone.
            try? folder.remove(temporary.name)
            throw error
        }
    }

    /// Writes nothing; throws `collision` or `unwritable`, as `write` would.
    package func check(
        _ name: OutputName, fingerprint: Fingerprint, isForced: Bool, source: FileIdentity? = nil
    ) throws(BatchError) {
        guard let folder = try openFolder(name.folders, isMade: false) else { return }
        let result = Result(
            name: name, key: XXHash64.hash(Array(name.path.utf8)), fingerprint: fingerprint, isForced: isForced,
            source: source, isEarly: false)
        _ = try verdict(on: result, in: folder)
    }

    /// Ends a run that was stopped: removes the temporary files of this process and creates no more.
    package func removeTemporaries() {
        let open = state.withLock { state in
            state.isClosed = true
            return state.temporaries
        }
        for (name, folders) in open { try? root.openFolder(folders).remove(name) }
    }

    /// A complete file, and what it may replace.
    private struct Result {
        let name: OutputName
        /// The hash of the path.
        let key: UInt64
        let fingerprint: Fingerprint
        let isForced: Bool
        let source: FileIdentity?
        let isEarly: Bool
    }

    private enum Verdict {
        case isFree
        case isThere
        case mayBeReplaced
    }

    /// Gives a result its name, which removes the temporary one; `false` where an equal file has it.
    private func publish(
        _ temporary: String, as result: Result, in folder: borrowing Folder
    ) throws(BatchError) -> Bool {
        // Other processes may create and remove the file.
        for _ in 0..<16 {
            guard !state.withLock(\.isClosed) else { throw BatchError.cancelled }
            do throws(FileError) {
                if try folder.renameIfAbsent(temporary, to: result.name.file) {
                    noteEarly(result)
                    return true
                }
            } catch {
                throw unwritable(result.name, error)
            }
            switch try verdict(on: result, in: folder) {
            case .isFree: continue
            case .isThere:
                try? folder.remove(temporary)
                return false
            case .mayBeReplaced:
                do throws(FileError) { try folder.move(temporary, to: result.name.file, in: folder) } catch {
                    throw unwritable(result.name, error)
                }
                noteEarly(result)
                return true
            }
        }
        throw BatchError(.unwritable, "\(result.name.path.quoted): repeatedly changed by another process")
    }

    private func verdict(on result: Result, in folder: borrowing Folder) throws(BatchError) -> Verdict {
        let status: FileStatus
        do throws(FileError) { status = try folder.status(of: result.name.file) } catch {
            guard error.code == ENOENT else { throw unwritable(result.name, error) }
            return .isFree
        }
        let shown = result.name.path.quoted
        guard status.kind != .folder else { throw BatchError(.collision, "\(shown) is a folder") }
        let identity = status.identity
        guard identity != result.source, !state.withLock({ $0.inputs.contains(identity) }) else {
            throw BatchError(.collision, "\(shown) is an input, and inputs are never overwritten")
        }
        let existing = Self.existing(result.name.file, in: folder)
        if case .made(result.fingerprint, _) = existing, !(result.isForced && isFromBefore(status, result.key)) {
            return .isThere
        }
        guard isFromBefore(status, result.key) else {
            throw BatchError(
                .collision, "\(shown) was made after this run began: by another item or process, or by a clock ahead",
                remedy: "remove it to make it again")
        }
        // After a power failure a file may have a name and no bytes.
        if status.isRegular, status.byteCount == 0 { return .mayBeReplaced }
        guard case .made(let fingerprint, _) = existing else {
            guard !state.withLock(\.keepsForeignFiles) else {
                throw BatchError(
                    .collision,
                    "\(shown) exists and was not made by spyglass, and may be an input that the manifest still names")
            }
            guard result.isForced else {
                throw BatchError(.collision, "\(shown) exists and was not made by spyglass", remedy: Self.force)
            }
            return .mayBeReplaced
        }
        if result.isForced { return .mayBeReplaced }
        guard fingerprint.id == result.fingerprint.id else {
            throw BatchError(.collision, "\(shown) is another item's result", remedy: Self.force)
        }
        guard fingerprint.manifestSource == result.fingerprint.manifestSource else {
            throw BatchError(
                .collision, "\(shown) is the result of another image with that id", remedy: Self.force)
        }
        return .mayBeReplaced
    }

    /// Whether a file is older than the run; one from the same tick of the clock is, unless this run wrote it.
    private func isFromBefore(_ status: FileStatus, _ key: UInt64) -> Bool {
        status.changed <= start && !state.withLock { $0.early.contains(key) }
    }

    private func noteEarly(_ result: Result) {
        if result.isEarly { state.withLock { _ = $0.early.insert(result.key) } }
    }

    /// How a JPEG ends (EOI), and a PNG (IEND with its checksum).
    private static let ends: [[UInt8]] = [[0xFF, 0xD9], [0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]]

    private static func existing(_ name: String, in folder: borrowing Folder) -> Existing {
        do throws(FileError) {
            let file = try folder.openRegular(name)
            let byteCount = try file.status.byteCount
            let found = try Fingerprint.find { (count, offset) throws(FileError) in try file.bytes(count, at: offset) }
            guard let (fingerprint, statedBytes) = found else { return .foreign }
            // A file that was copied in part, or lost its end in a power failure, is damaged.
            let tail = try file.bytes(8, at: max(0, byteCount - 8))
            let isComplete =
                statedBytes.map { $0 == byteCount } ?? ends.contains { tail.suffix($0.count).elementsEqual($0) }
            return .made(isComplete ? fingerprint : fingerprint.ofDamage, bytes: byteCount)
        } catch {
            return error.code == ENOENT ? .nothing : .foreign
        }
    }

    /// Opens a folder below the root; `nil` where it is missing and not to be created.
    private func openFolder(_ names: ArraySlice<String>, isMade: Bool) throws(BatchError) -> Folder? {
        do throws(FileError) {
            return try root.openFolder(names, creatingWith: isMade ? 0o777 : nil)
        } catch {
            if error.code == ENOENT, !isMade { return nil }
            let below = "the folder \(error.path.quoted) below the output folder"
            guard error.code != ENOTDIR else {
                throw BatchError(.unwritable, "\(below) is a link or a file; links are not followed there")
            }
            throw failure(error, "cannot open \(below)")
        }
    }

    func makeTemporary(in folder: borrowing Folder, _ name: OutputName) throws(BatchError) -> TemporaryFile {
        for _ in 0..<100 {
            let temporary = TemporaryFile.newName()
            let isClosed = state.withLock { state in
                if !state.isClosed { state.temporaries[temporary] = name.folders }
                return state.isClosed
            }
            guard !isClosed else { throw BatchError.cancelled }
            do throws(FileError) {
                if let made = try TemporaryFile.create(temporary, in: folder) { return made }
                forget(temporary)
            } catch {
                forget(temporary)
                throw unwritable(name, error)
            }
        }
        throw BatchError(.unwritable, "cannot write \(name.path.quoted): every temporary name is taken")
    }

    func removeAtEnd(_ name: String) { state.withLock { $0.temporaries[name] = [] } }

    func forget(_ temporary: String) {
        state.withLock { _ = $0.temporaries.removeValue(forKey: temporary) }
    }

    /// Removes the temporary files of ended processes from a folder, before its first result.
    private func sweepOnce(_ folder: borrowing Folder, _ name: OutputName) {
        let key = XXHash64.hash(Array(name.folders.joined(separator: "/").utf8))
        let isDue = state.withLock { state in
            state.swept.count < Self.maxSwept && state.swept.insert(key).inserted
        }
        if isDue { TemporaryFile.sweep(folder) }
    }

    private func unwritable(_ name: OutputName, _ error: FileError) -> BatchError {
        failure(error, "cannot write \(name.path.quoted)")
    }

    /// The item's error, or that of the run where no other file can be written either.
    private func failure(_ error: FileError, _ what: String) -> BatchError {
        guard error.isDiskFull || error.code == EROFS else {
            return BatchError(.unwritable, "\(what): \(error.reason)")
        }
        fail(BatchError(.unavailable, "cannot write to the folder \(path.quoted): \(error.reason)"))
        return .cancelled
    }

    /// Ends the run, for the first reason.
    func fail(_ error: BatchError) {
        state.withLock { if $0.runError == nil { $0.runError = error } }
    }
}

/// The system calls that write a result; a test replaces them with those of a failing disk.
struct FileCalls: Sendable {
    var write = FileDescriptor.writeCall
    var close: @Sendable (_ file: Int32) -> Int32 = { Glibc.close($0) }
}
