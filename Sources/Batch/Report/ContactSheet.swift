internal import Glibc
internal import SpyglassCodecs
internal import SpyglassFiles
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

    /// Checks whether the first page can be written, by creating and removing a temporary file.
    ///
    /// - Throws: `BatchError` of kind `unavailable` if not, `usage` if another file has the name.
    package func check() throws(BatchError) {
        try checkPlace(path)
        do throws(FileError) { try TemporaryFile.probe(.working, beside: path) } catch {
            throw Self.failure(path, error)
        }
    }

    private func write(_ picture: PixelBuffer, to path: String) throws(BatchError) {
        try checkPlace(path)
        let bytes: [UInt8]
        do throws(CodecError) {
            bytes = try ImageEncoder(format, comment: Self.comment).encode(picture)
        } catch {
            throw BatchError(.unavailable, "\(path.quoted): \(error)")
        }
        do throws(FileError) { try Folder.writeFile(path, bytes) } catch { throw Self.failure(path, error) }
    }

    /// Refuses to replace a file that is not a contact sheet, even by force: it may be an input.
    private func checkPlace(_ path: String) throws(BatchError) {
        do throws(FileError) {
            let head = try Folder.working.openRegular(path).bytes(FileKind.bytesNeeded)
            if ImageComment.find(in: head.span) == Self.comment { return }
        } catch {
            if error.code == ENOENT { return }
        }
        throw BatchError(
            .usage, "cannot write \(path.quoted): file exists and is not a contact sheet; choose another name")
    }

    private static func failure(_ path: String, _ error: FileError) -> BatchError {
        BatchError(.unavailable, "cannot write \(path.quoted): \(error.reason)")
    }
}
