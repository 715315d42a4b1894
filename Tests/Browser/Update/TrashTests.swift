import SpyglassCatalog
import SpyglassTerminalUI
import SpyglassTestSupport
import Testing

@testable import SpyglassBrowser
@testable import SpyglassFiles

@Suite("Trash in the browser")
struct TrashTests {
    private func titles(_ effects: [BrowserEffect]) -> [String]? {
        effects.compactMap { if case .trash(let photos) = $0 { photos.map(\.title) } else { nil } }.first
    }

    private func trashed(_ state: AppState, _ positions: Range<Int>) throws -> [TrashedPhoto] {
        try positions.map { position in
            let photo = try #require(state.list?.photo(at: position))
            let path = try #require(photo.file?.path)
            return TrashedPhoto(photo: photo, item: Trash.Item(original: path, stored: [], info: []))
        }
    }

    @Test("D on one photo asks nothing, in a list and in full, where others may be marked")
    func one() {
        for (keys, photo) in [("G", "20.jpg"), ("G\r", "20.jpg"), ("jj  \r", "3.jpg")] {
            var state = AppState.browsing()
            state.press(keys)
            #expect(titles(state.press("D")) == [photo] && !state.top.isPanel)
        }
    }

    @Test("Several marked files are asked about first")
    func several() {
        var state = AppState.browsing()
        state.press("jj  ")
        #expect(titles(state.press("D")) == nil)
        #expect(["Move 2 files to the trash?", "1.jpg", "2.jpg"].allSatisfy { state.drawing.contains($0) })
        for (keys, photos) in [("n\u{1B}q", nil), ("y\r", ["1.jpg", "2.jpg"])] as [(String, [String]?)] {
            for key in keys {
                var other = state
                #expect(titles(other.press("\(key)")) == photos && other.top == .list)
            }
        }
    }

    @Test("A path that is too long for the question keeps the name of its file")
    func longPath() {
        var state = AppState.browsing(ExampleFolder(folders: 0))
        let away = ExampleFolder(path: "/home/ada/Pictures" + String(repeating: "/a long year", count: 8))
        state.marks.insert(away.photo("IMG_20240517_123045.jpg"))
        state.press(" ")
        #expect(titles(state.press("D")) == nil)
        #expect(state.drawing.contains("…/a long year/") && state.drawing.contains("/IMG_20240517_123045.jpg"))
    }

    @Test("One marked file that is not the selected one is asked about, too")
    func elsewhere() {
        var state = AppState.browsing()
        state.press("jj ")
        #expect(titles(state.press("D")) == nil && state.top.isPanel)
        state.press("\u{1B}k")
        #expect(titles(state.press("D")) == ["1.jpg"])
    }

    @Test("Photos of the web and folders stay")
    func refused() {
        var web = AppState.listing()
        #expect(titles(web.press("D")) == nil && web.notice == .hint(TrashTexts.all.notTrashable))
        #expect(web.lastRow.contains("Only your own photos"))
        var folder = AppState.browsing()
        #expect(titles(folder.press("D")) == nil && folder.notice == .hint(TrashTexts.all.noFolderToTrash))
        var empty = AppState.browsing()
        empty.press("&zzz\r")
        #expect(titles(empty.press("D")) == nil && empty.notice == nil)
    }

    @Test("What is in the trash is unmarked, the folder is listed again, and U brings back the last ones")
    func undo() throws {
        var state = AppState.browsing()
        #expect(!state.press("U").contains { if case .restore = $0 { true } else { false } })
        #expect(
            state.notice == .hint(TrashTexts.all.nothingToRestore)
                && state.lastRow.contains("Nothing from this session is in the trash"))
        state.press("jj  ")
        let first = try trashed(state, 2..<4)
        #expect(state.update(.trashed(first, nil)).searches.count == 1)
        #expect(state.lastRow.contains("2 files are in the trash; U brings them back"))
        #expect(state.markedCount == 0)
        state.deliver(ExampleFolder().answer)
        let second = try trashed(state, 5..<6)
        _ = state.update(.trashed(second, nil))
        state.deliver(ExampleFolder().answer)
        #expect(state.lastRow.contains("4.jpg is in the trash; U brings it back"))
        #expect(state.press("U").contains(.restore(second)))
        #expect(state.update(.restored(second, left: [], nil)).searches.count == 1)
        #expect(state.list?.awaited == .finds(second[0].photo.key), "it is selected")
        #expect(state.lastRow.contains("4.jpg is back"))
        let marked = try #require(state.trashed.last)
        #expect(state.press("U").contains(.restore(marked)) && marked.map(\.photo) == first.map(\.photo))
        _ = state.update(.restored(marked, left: [], nil))
        #expect(state.markedCount == 2, "their marks come back, too")
    }

    @Test("Files that are gone when a folder is read again lose their marks, and no others do")
    func goneMarks() throws {
        var state = AppState.browsing(ExampleFolder(folders: 0, pictures: 4))
        state.marks.insert(ExampleFolder(path: "/home/ada/away", folders: 0).photo("9.jpg"))
        state.press("  ")
        var answer = ExampleFolder(folders: 0, pictures: 4).answer
        answer.photos.removeFirst()
        answer.total = .exact(3)
        _ = state.update(.folderChanged())
        var unmounted = state
        unmounted.deliver(PageAnswer(photos: [], firstPosition: 0, total: .exact(0), isAtStart: true, isAtEnd: true))
        #expect(unmounted.marks.all.count == 3, "an empty folder may be the place of a disk that was removed")
        state.deliver(answer)
        #expect(state.marks.all.map(\.title) == ["9.jpg", "2.jpg"])
        #expect(state.lastRow.contains("1.jpg is gone"))
        state.press("R")
        answer.photos.removeFirst()
        state.deliver(answer)
        #expect(state.marks.all.count == 2, "another kind of list may leave files out")
    }

    @Test("A file that comes back to another folder leaves the selection")
    func restoredElsewhere() throws {
        var state = AppState.browsing()
        let photo = ExampleFolder(path: "/home/ada/Pictures/inner 1").photo("9.jpg")
        let path = try #require(photo.file?.path)
        let restored = [TrashedPhoto(photo: photo, item: Trash.Item(original: path, stored: [], info: []))]
        #expect(state.update(.restored(restored, left: [], nil)).searches.count == 1)
        #expect(state.list?.awaited != .finds(photo.key))
        state.deliver(ExampleFolder().answer)
        state.press("R")
        state.deliver(ExampleFolder().answer)
        _ = state.update(.restored(restored, left: [], nil))
        #expect(state.list?.awaited == .finds(photo.key), "among the photos of sub-folders")
    }

    @Test("What could not be moved or brought back is one line, and can be tried again")
    func failures() throws {
        var state = AppState.browsing()
        _ = state.update(.trashed([], BrowserError("/usb/a.jpg: Read-only file system")))
        #expect(state.lastRow.contains("Not moved to the trash: /usb/a.jpg: Read-only file system"))
        let left = try trashed(state, 2..<3)
        _ = state.update(.restored([], left: left, BrowserError("/a.jpg: File exists")))
        #expect(state.lastRow.contains("Not brought back: /a.jpg: File exists"))
        #expect(state.press("U").contains(.restore(left)))
    }

    @Test("Files that cannot be brought back do not keep those that went before in the trash")
    func passedOver() throws {
        var state = AppState.browsing()
        let (first, second) = (try trashed(state, 2..<3), try trashed(state, 3..<4))
        _ = state.update(.trashed(first, nil))
        _ = state.update(.trashed(second, nil))
        #expect(state.press("U").contains(.restore(second)))
        _ = state.update(.restored([], left: second, BrowserError("/a.jpg: File exists")))
        #expect(state.press("U").contains(.restore(first)))
    }

    @Test("A file does not go to the trash by a chord with Alt")
    func chord() {
        var state = AppState.browsing()
        state.press("jj")
        #expect(titles(state.press(.character("D"), .alt)) == nil)
    }

    @Test("The end of this program ends a command that still runs")
    func endedCommand() throws {
        let program = try ChildProgram(["sleep", "60"].map { Array($0.utf8) }, on: nil)
        #expect(program.wait(isEnding: { true }) == .signal(15))
    }

    @Test("Of files that were named one by one, those in the trash leave the list, and come back")
    func named() throws {
        let folder = ExampleFolder(folders: 0, pictures: 3)
        var query = PhotoQuery()
        query.paths = (1...3).map { Array("\(folder.path)/\($0).jpg".utf8) }
        var state = AppState.fresh()
        _ = state.update(.startedWithFiles(query))
        state.deliver(folder.answer)
        let gone = try trashed(state, 0..<1)
        #expect(state.update(.trashed(gone, nil)).searches.map(\.paths) == [Array(query.paths[1...])])
        #expect(state.list?.search == "2 files")
        state.deliver(folder.answer)
        let undone = try #require(state.trashed.last)
        let back = state.update(.restored(undone, left: [], nil)).searches.map(\.paths)
        #expect(back == [query.paths[1...] + [query.paths[0]]] && state.list?.search == "3 files")
    }
}
