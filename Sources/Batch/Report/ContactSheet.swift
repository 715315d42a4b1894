internal import Glibc
internal import SpyglassCodecs
internal import SpyglassPixels
internal import SpyglassThreads

/// Images of all outputs with their names, in the order of the items, on pages of at most 4,096 x 4,096 pixels. Items may end in any order.
/// Full pages are written immediately, the last one at the end unless the run was interrupted: `sheet.png`, `sheet-2.png`, ... Memory holds
/// one page, and the images that wait for an earlier one.
package final class ContactSheet: Sendable {
    /// The maximum number of images that wait for an earlier one.
    static let span = 256
    static let target = TargetSize(box: ContactPage.box)
    /// Identifies contact sheets, which may be replaced.
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

    /// `path` is that of the first page; its extension decides the format.
    package convenience init(path: String) throws(BatchError) {
        try self.init(path: path, maxSide: ContactPage.maxSide)
    }

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
            throw BatchError(.usage, "\(path.quoted): invalid contact sheet name; use .png, .jpg or .jpeg")
        }
        try checkPlace(path)
    }

    /// Adds an item, in any order. Blocks while it draws and writes full pages; `finish` throws their errors.
    func add(_ result: ItemResult, turn: Int) {
        let report = result.report
        let content: ContactTile.Content =
            if let failure = report.failure {
                .failed(failure.kind.rawValue)
            } else {
                result.tile.map { .image($0) } ?? .nothing
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

    /// Writes the last page, if it has items.
    func finish() throws(BatchError) {
        let problem = state.withLock { state in
            if state.page.count > 0 { write(&state, isLast: true) }
            return state.problem
        }
        if let problem { throw problem }
    }

    private func write(_ state: inout State, isLast: Bool = false) {
        let isOnly = isLast && state.pageCount == 0
        let image = state.page.image(isOnly: isOnly)
        state.page = ContactPage(maxSide: maxSide)
        state.pageCount += 1
        // No more pages after a failure.
        guard state.problem == nil else { return }
        do throws(BatchError) {
            try write(image, to: Self.path(path, page: state.pageCount))
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

    /// Checks that the first page can be written, with a temporary file.
    package func check() throws(BatchError) {
        try checkPlace(path)
        let (descriptor, temporary) = try Self.makeTemporary(beside: path)
        close(descriptor)
        unlink(temporary)
    }

    private func write(_ image: PixelBuffer, to path: String) throws(BatchError) {
        try checkPlace(path)
        let bytes: [UInt8]
        do throws(CodecError) {
            bytes = try ImageEncoder(format, comment: Self.comment).encode(image)
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

    /// Never replaces other files, even with `--force`: they may be inputs.
    private func checkPlace(_ path: String) throws(BatchError) {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 || errno != ENOENT else { return }
        defer { if descriptor >= 0 { close(descriptor) } }
        let head = [UInt8](unsafeUninitializedCapacity: FileKind.bytesNeeded) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        guard ImageComment.find(in: head.span) != Self.comment else { return }
        throw BatchError(
            .usage,
            "cannot write contact sheet \(path.quoted): file exists and is not a contact sheet; choose another name")
    }

    private static func failure(_ path: String, _ code: Int32 = errno) -> BatchError {
        BatchError(.unavailable, "cannot write \(path.quoted): \(SystemErrorText.of(code))")
    }
}
