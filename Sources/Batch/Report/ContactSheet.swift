internal import Glibc
internal import SpyglassCodecs
internal import SpyglassFiles
internal import SpyglassPixels
internal import SpyglassThreads

/// Images of all outputs, in the order of the items: `sheet.png`, `sheet-2.png`, ...; an interrupted run lacks the last page.
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
        try checkReplaceable(path)
    }

    /// Adds an item in any order; blocks while it draws and writes full pages, whose errors `finish` throws.
    func add(_ result: ItemResult, turn: Int) {
        let report = result.report
        let content: ContactTile.Content =
            if let failure = report.failure {
                .failed(failure.kind.words)
            } else {
                result.tile.map { .image($0) } ?? .nothing
            }
        let shown = report.failure == nil ? report.outputs.first?.path ?? report.id : report.id
        let name = shown.split(separator: "/").last.map(String.init) ?? shown
        state.withLock { state in
            state.waiting[turn] = ContactTile(name: name, content: content)
            while let tile = state.waiting.removeValue(forKey: state.nextTurn) {
                state.nextTurn += 1
                if state.page.isFull { write(&state) }
                // Its images, the page drawn of them, and its file.
                if !SystemMemory.hasRoom(for: 3 * state.page.byteCount) {
                    state.problem = state.problem ?? Self.error(path, FileError("mmap", code: ENOMEM))
                }
                // No more pages after a failure.
                if state.problem == nil { state.page.add(tile) } else { state.page = ContactPage(maxSide: maxSide) }
            }
        }
    }

    func finish() throws(BatchError) {
        let problem = state.withLock { state in
            if !state.page.tiles.isEmpty { write(&state, isLast: true) }
            return state.problem
        }
        if let problem { throw problem }
    }

    private func write(_ state: inout State, isLast: Bool = false) {
        let isOnly = isLast && state.pageCount == 0
        let image = state.page.image(isOnly: isOnly)
        state.page = ContactPage(maxSide: maxSide)
        state.pageCount += 1
        guard state.problem == nil else { return }
        do throws(BatchError) {
            try write(image, to: Self.path(path, page: state.pageCount))
        } catch {
            state.problem = error
        }
    }

    private static func path(_ path: String, page: Int) -> String {
        guard page > 1, let dot = path.lastIndex(of: ".") else { return path }
        return "\(path[..<dot])-\(page)\(path[dot...])"
    }

    /// Checks that the first page can be written, with a temporary file.
    package func check() throws(BatchError) {
        try checkReplaceable(path)
        do throws(FileError) { try TemporaryFile.probe(.working, beside: path) } catch { throw Self.error(path, error) }
    }

    private func write(_ image: PixelBuffer, to path: String) throws(BatchError) {
        try checkReplaceable(path)
        let bytes: [UInt8]
        do throws(CodecError) {
            bytes = try ImageEncoder(format, comment: Self.comment).encode(image)
        } catch {
            throw BatchError(.unavailable, "\(path.quoted): \(error)")
        }
        do throws(FileError) { try Folder.writeFile(path, bytes) } catch { throw Self.error(path, error) }
    }

    /// Never replaces other files, even with `--force`: they may be inputs.
    private func checkReplaceable(_ path: String) throws(BatchError) {
        do throws(FileError) {
            let head = try Folder.working.open(path).bytes(FileKind.bytesNeeded)
            if ImageComment.find(in: head.span) == Self.comment { return }
        } catch {
            if error.code == ENOENT { return }
        }
        throw BatchError(
            .usage,
            "cannot write contact sheet \(path.quoted): file exists and is not a contact sheet; choose another name")
    }

    private static func error(_ path: String, _ error: FileError) -> BatchError {
        BatchError(.unavailable, "cannot write \(path.quoted): \(error.reason)")
    }
}
