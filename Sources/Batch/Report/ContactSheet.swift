internal import Glibc
internal import SpyglassCodecs
internal import SpyglassPixels
internal import SpyglassThreads

/// A picture of all results with their names, in the order of the items, in pages of at most 4,096 x 4,096 pixels.
///
///     let sheet = try ContactSheet(path: "sheet.png")
///     try sheet.check()
///     let run = BatchRun(job, feed, into: folder, services: services, jobs: 2, transfers: 16, sheet: sheet) { _ in }
///
/// Items may end in any order; a page is written when it is full, the last one at the end of a run that was not interrupted: `sheet.png`,
/// `sheet-2.png`, ... Memory is that of one page, and of the pictures that wait for an older one.
package final class ContactSheet: Sendable {
    /// How far a run may be ahead of its oldest item while somebody waits for that one: so many pictures are kept at the most.
    static let span = 256
    /// What is shown of a result.
    static let target = TargetSize(box: ContactPage.box)
    /// Tells our sheets from other people's pictures.
    private static let comment = "spyglass contact sheet"

    private struct State {
        var page: ContactPage
        var pageCount = 0
        var nextTurn = 0
        var waiting: [Int: ContactTile] = [:]
        var problem: BatchError?
    }

    private let path: String
    private let format: ImageEncoder.Format
    private let maxSide: Int
    private let state: Mutex<State>

    /// A sheet of which nothing is written yet.
    ///
    /// - Parameter path: of the first page; its extension says what it is written as.
    /// - Throws: `BatchError` of kind `usage` for a name that is none of a JPEG or PNG, or that anything else than a sheet has.
    package convenience init(path: String) throws(BatchError) {
        try self.init(path: path, maxSide: ContactPage.maxSide)
    }

    /// For tests, whose pages are small.
    init(path: String, maxSide: Int) throws(BatchError) {
        self.path = path
        self.maxSide = maxSide
        state = Mutex(State(page: ContactPage(maxSide: maxSide)))
        let name = path.lowercased()
        if name.hasSuffix(".png") {
            format = .png
        } else if name.hasSuffix(".jpg") || name.hasSuffix(".jpeg") {
            format = .jpeg(ImageEncoder.JPEGOptions())
        } else {
            throw BatchError(.usage, "\(path.quoted): a contact sheet is a .png, .jpg or .jpeg")
        }
        try checkPlace(path)
    }

    /// Takes what became of an item; those of earlier turns may come later.
    ///
    /// Draws, and writes full pages: for threads that may wait. A page that cannot be written is said at the end.
    func add(_ result: ItemResult, turn: Int) {
        let report = result.report
        let content: ContactTile.Content =
            if let failure = report.failure {
                .failed(failure.kind.rawValue)
            } else {
                result.tile.map { .picture($0) } ?? .nothing
            }
        let name = report.failure == nil ? report.outputs.first?.path ?? report.id : report.id
        state.withLock { state in
            state.waiting[turn] = ContactTile(name: name, content: content)
            while let tile = state.waiting.removeValue(forKey: state.nextTurn) {
                state.nextTurn += 1
                if state.page.isFull { write(&state) }
                state.page.add(tile)
            }
        }
    }

    /// Writes the last page; without an item there is none.
    ///
    /// - Throws: `BatchError` of kind `unavailable` when it, or a page before, could not be written.
    func finish() throws(BatchError) {
        let problem = state.withLock { state in
            if state.page.count > 0 { write(&state, isLast: true) }
            return state.problem
        }
        if let problem { throw problem }
    }

    private func write(_ state: inout State, isLast: Bool = false) {
        let isOnly = isLast && state.pageCount == 0
        let picture = state.page.picture(isOnly: isOnly)
        state.page = ContactPage(maxSide: maxSide)
        state.pageCount += 1
        // After a failure there is no use in more pages.
        guard state.problem == nil else { return }
        do throws(BatchError) {
            try write(picture, to: Self.path(path, page: state.pageCount))
        } catch {
            state.problem = error
        }
    }

    /// `sheet.png`, `sheet-2.png`, ...
    private static func path(_ path: String, page: Int) -> String {
        guard page > 1, let dot = path.lastIndex(of: ".") else { return path }
        return "\(path[..<dot])-\(page)\(path[dot...])"
    }

    // MARK: Files

    /// Finds out whether the first page can be written: makes a temporary file beside it, and removes it again.
    ///
    /// - Throws: `BatchError` of kind `unavailable` with the system's words, `usage` for a name that something else has.
    package func check() throws(BatchError) {
        try checkPlace(path)
        let (descriptor, temporary) = try Self.makeTemporary(beside: path)
        close(descriptor)
        unlink(temporary)
    }

    private func write(_ picture: PixelBuffer, to path: String) throws(BatchError) {
        try checkPlace(path)
        let bytes: [UInt8]
        do throws(CodecError) {
            bytes = try ImageEncoder(format, comment: Self.comment).encode(picture)
        } catch {
            throw BatchError(.unavailable, "\(path.quoted): \(error)")
        }
        let (descriptor, temporary) = try Self.makeTemporary(beside: path)
        let isWritten = bytes.withUnsafeBytes { Self.writeAll($0, to: descriptor) }
        let code = errno
        let isInPlace = isWritten && rename(temporary, path) == 0
        let failure = isWritten ? errno : code
        close(descriptor)
        guard isInPlace else {
            unlink(temporary)
            throw Self.failure(path, failure)
        }
    }

    private static func makeTemporary(beside path: String) throws(BatchError) -> (descriptor: Int32, name: String) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let temporary = folder + TemporaryName.of(.random(in: 1 << 32 ... .max))
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failure(path) }
        // Until it is closed, no other process sweeps it away.
        flock(descriptor, LOCK_EX | LOCK_NB)
        return (descriptor, temporary)
    }

    private static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var written = 0
        while written < bytes.count, let base = bytes.baseAddress {
            let count = Glibc.write(descriptor, base + written, bytes.count - written)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }

    /// Refuses to replace what is no contact sheet of ours, also by force: it may be an input.
    private func checkPlace(_ path: String) throws(BatchError) {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 || errno != ENOENT else { return }
        defer { if descriptor >= 0 { close(descriptor) } }
        let head = [UInt8](unsafeUninitializedCapacity: FileKind.bytesNeeded) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        guard ImageComment.find(in: head.span) != Self.comment else { return }
        throw BatchError(.usage, "\(path.quoted) is there and is no contact sheet; choose another name")
    }

    private static func failure(_ path: String, _ code: Int32 = errno) -> BatchError {
        BatchError(.unavailable, "\(path.quoted) cannot be written: \(SystemErrorText.of(code))")
    }
}
