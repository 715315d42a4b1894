import Glibc
import SpyglassCatalog
import SpyglassCodecs
import SpyglassFiles
import SpyglassTestSupport
import Testing

@testable import SpyglassFolders

@Suite("FolderSource", .timeLimit(.minutes(10)))
struct FolderSourceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func query(_ paths: String..., sort: String? = nil) -> PhotoQuery {
        var query = PhotoQuery("", filters: sort.map { ["sort": [$0]] } ?? [:])
        query.paths = (paths.isEmpty ? [folder.path] : paths).map { Array($0.utf8) }
        return query
    }

    private func page(_ query: PhotoQuery, at start: PhotoStart = .first) async throws -> PhotoPage {
        let source = FolderSource()
        return try await source.page(of: query, at: start.isFirst ? nil : source.cursor(for: start))
    }

    private func titles(_ query: PhotoQuery) async throws -> [String] { try await page(query).photos.map(\.title) }

    private func setTime(_ name: String, _ seconds: Int) {
        utimensat(
            AT_FDCWD, folder.path(name),
            [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)], 0)
    }

    // MARK: What is listed

    @Test("Sub-folders come first, then pictures, in natural order")
    func order() async throws {
        for name in ["b 10.JPG", "b 2.jpeg", "A.png", "z/x.jpg", "inner 2/x", "inner 10/x"] {
            try folder.write(name, "")
        }
        let photos = try await page(query()).photos
        #expect(photos.map(\.title) == ["inner 2", "inner 10", "z", "A.png", "b 2.jpeg", "b 10.JPG"])
        #expect(photos.map(\.mediaType) == [.folder, .folder, .folder, .image, .image, .image])
        #expect(photos.allSatisfy { $0.file?.isFolder == ($0.mediaType == .folder) && $0.source == "folder" })
    }

    @Test("Hidden names, other files and pipes are left out; links are what they lead to")
    func leftOut() async throws {
        for name in [".hidden.jpg", ".git/a.jpg", "notes.txt", "jpg", "a.jpg.part", "here.jpg"] {
            try folder.write(name, "")
        }
        try folder.link("link.jpg", to: "here.jpg")
        try folder.link("circle", to: ".")
        try folder.link("broken.png", to: "missing")
        try folder.pipe("pipe.jpg")
        #expect(try await titles(query()) == ["circle", "here.jpg", "link.jpg"])
        #expect(try await titles(deep()) == ["here.jpg", "link.jpg"])
        #expect(try await page(query()).photos.map { $0.file?.isFolder } == [true, false, false])
    }

    @Test("Pictures of other formats are listed with the format's name")
    func otherFormats() async throws {
        for name in ["a.TGA", "b.psd", "c.xcf", "d.jp2", "e.svg", "f.heic"] { try folder.write(name, "") }
        let photos = try await page(query()).photos
        #expect(photos.map(\.unsupportedFormat) == ["TGA", "Photoshop", "XCF", "JPEG 2000", "SVG", nil])
        #expect(PhotoFormatter().placeholder(for: photos[0]) == "TGA")
    }

    @Test("By time the newest is first, by size the largest; names break ties")
    func sorted() async throws {
        for (name, bytes, time) in [("a.jpg", 1, 20), ("b.jpg", 3, 10), ("c.jpg", 3, 20), ("d/x", 1, 1)] {
            try folder.write(name, [UInt8](repeating: 0, count: bytes))
            setTime(name, time)
        }
        for (order, expected) in [
            ("name", ["d", "a.jpg", "b.jpg", "c.jpg"]), ("time", ["d", "a.jpg", "c.jpg", "b.jpg"]),
            ("size", ["d", "b.jpg", "c.jpg", "a.jpg"]),
        ] { #expect(try await titles(query(sort: order)) == expected) }
        for order in ["colour", "name,size"] {
            await #expect(throws: CatalogError.self) { try await page(query(sort: order)) }
        }
    }

    @Test("A random order has every photo once, is the same in all pages of a run, and has folders first")
    func random() async throws {
        let names = (0..<300).map { "\($0).jpg" }
        for name in names + ["inner/x"] { try folder.write(name, "") }
        let source = FolderSource()
        let random = query(sort: "random")
        var found: [String] = []
        var next: PageCursor?
        repeat {
            let page = try await source.page(of: random, at: next)
            found += page.photos.map(\.title)
            next = page.next
        } while next != nil
        #expect(found.first == "inner" && found.sorted() == (names + ["inner"]).sorted())
        #expect(Array(found.dropFirst()) != names)
        #expect(try await titles(random) == found, "Another source has the same order")
    }

    @Test("Files are listed as they are named, also links and other endings")
    func files() async throws {
        for name in ["b.jpg", "a.png", "README", "inner/x"] { try folder.write(name, "") }
        try folder.link("link.jpg", to: "a.png")
        let names = ["b.jpg", "a.png", "README", "inner", "link.jpg", "missing.jpg"]
        var files = query()
        files.paths = names.map { Array(folder.path($0).utf8) }
        let photos = try await page(files).photos
        #expect(photos.map(\.title) == names)
        #expect(photos.map { $0.file == nil } == [false, false, false, false, false, true])
        files["sort"] = ["name"]
        #expect(try await titles(files) == ["inner", "a.png", "b.jpg", "link.jpg", "missing.jpg", "README"])
        #expect(try await titles(query(folder.path("a.png"))) == ["a.png"])
    }

    @Test("One file stands for the images of its folder, in natural order, without sub-folders")
    func neighbours() async throws {
        for name in ["b2.jpg", "b10.jpg", "a.png", "README", "notes.txt", "inner/x.jpg"] { try folder.write(name, "") }
        try folder.link("link.jpg", to: "a.png")
        var file = query(folder.path("b10.jpg"))
        file.includesNeighbours = true
        let images = ["a.png", "b2.jpg", "b10.jpg", "link.jpg"]
        #expect(try await titles(file) == images)
        #expect(try await page(file, at: FolderSource.start(at: file.paths[0])).photos.map(\.title) == images)
        // What the user names is shown, whatever it is called.
        for (name, all) in [("README", images + ["README"]), ("link.jpg", images)] {
            file.paths = [Array(folder.path(name).utf8)]
            let photos = try await page(file).photos
            #expect(photos.map(\.title) == all && photos.allSatisfy { $0.file != nil })
        }
        file.paths = [Array(folder.path("gone.jpg").utf8)]
        #expect(try await titles(file) == images)
        file.paths = [Array(folder.path("gone/x.jpg").utf8)]
        #expect(try await page(file).photos.map { $0.file == nil } == [true], "The folder cannot be read")
    }

    @Test("The first page is the one with the file, wherever it is")
    func startAtFile() async throws {
        for number in 1...500 { try folder.write("\(number).jpg", "") }
        let path = Array(folder.path("400.jpg").utf8)
        let page = try await page(query(), at: FolderSource.start(at: path))
        #expect(page.position == 0 && page.previous == nil && page.total == .exact(500))
        let random = try await self.page(query(sort: "random"), at: FolderSource.start(at: path))
        #expect([page, random].allSatisfy { $0.photos.contains { $0.title == "400.jpg" } })
        #expect(try await self.page(query(), at: .photo(id: "none", or: 400)).photos.count == 500)
    }

    @Test("An empty folder has no photos")
    func empty() async throws {
        #expect(try await page(query()) == PhotoPage(photos: [], position: 0, total: .exact(0)))
    }

    // MARK: Folders inside

    private func deep(_ paths: String..., sort: String? = nil) -> PhotoQuery {
        var query = query(sort: sort)
        if !paths.isEmpty { query.paths = paths.map { Array(folder.path($0).utf8) } }
        query.includesSubfolders = true
        return query
    }

    @Test("The pictures of all folders inside are one list, in natural order of their paths, with their folders")
    func subfolders() async throws {
        for name in ["b.jpg", "a/2.png", "a/10.png", "a/in/x.jpg", "c/notes.txt", ".git/a.jpg", "d/.hidden.jpg"] {
            try folder.write(name, "")
        }
        let page = try await page(deep())
        #expect(page.photos.map(\.title) == ["2.png", "10.png", "x.jpg", "b.jpg"] && page.total == .exact(4))
        #expect(page.photos.map(\.albums) == [["a"], ["a"], ["a/in"], []])
        #expect(page.photos.allSatisfy { $0.file?.isFolder == false && $0.mediaType == .image })
        #expect(try await titles(query()) == ["a", "c", "d", "b.jpg"])
        #expect(try await titles(deep("a", "b.jpg")) == ["2.png", "10.png", "x.jpg", "b.jpg"])
        #expect(try await titles(deep(sort: "size")).count == 4)
    }

    @Test("Links to folders make no circles, and a folder that cannot be read is left out")
    func circles() async throws {
        try folder.write("a/1.jpg", "")
        try folder.write("locked/2.jpg", "")
        try folder.link("a/up", to: "..")
        try folder.link("self", to: ".")
        guard geteuid() != 0 else { return #expect(try await titles(deep()) == ["1.jpg", "2.jpg"]) }
        chmod(folder.path("locked"), 0)
        defer { chmod(folder.path("locked"), 0o755) }
        #expect(try await titles(deep()) == ["1.jpg"])
    }

    @Test("A deep tree ends at a depth, not the program")
    func depth() async throws {
        let levels = Array(repeating: "x", count: 150)
        for depth in [3, 150] { try folder.write((levels.prefix(depth) + ["\(depth).jpg"]).joined(separator: "/"), "") }
        #expect(try await titles(deep()) == ["3.jpg"])
    }

    @Test("A folder is counted without hidden names and other files; one that is gone is not")
    func contents() async throws {
        for name in ["a/1.jpg", "a/2.psd", "a/notes.txt", "a/.3.jpg", "a/in/4.jpg"] { try folder.write(name, "") }
        try folder.link("a/link.jpg", to: "1.jpg")
        mkdir(folder.path("empty"), 0o755)
        let photos = try await page(query()).photos
        let source = FolderSource()
        var contents: [FolderContents?] = []
        for photo in photos { contents.append(try await source.renditions(of: photo).contents) }
        rename(folder.path("empty"), folder.path("other"))
        contents.append(try await source.renditions(of: photos[1]).contents)
        #expect(contents == [FolderContents(photos: 3, folders: 1), FolderContents(), nil])
    }

    @Test("A folder of more names than are counted is counted as far")
    func manyContents() async throws {
        for number in 0...FolderContents.maxNames { try folder.write("a/\(number).jpg", "") }
        let photo = try #require(try await page(query()).photos.first)
        let contents = try await FolderSource().renditions(of: photo).contents
        #expect(contents?.isPartial == true && contents?.photos == FolderContents.maxNames)
    }

    // MARK: Hostile names

    @Test("Names that are not UTF-8 have different ids and keep their bytes")
    func notUTF8() async throws {
        for byte in [0xFE, 0xFF] as [UInt8] {
            try Folder.working.writeEmpty(Array(folder.path.utf8) + [0x2F, byte] + Array(".jpg".utf8))
        }
        try folder.write("\u{FFFD}.jpg", "")
        let photos = try await page(query()).photos
        #expect(photos.map(\.title) == Array(repeating: "\u{FFFD}.jpg", count: 3))
        #expect(Set(photos.map(\.id)).count == 3 && Set(photos.compactMap { $0.file?.path }).count == 3)
    }

    @Test("Names with escape sequences and line breaks are listed as they are")
    func escapes() async throws {
        let name = "\u{1B}[31mred\n\u{202E}gpj.png"
        try folder.write(name, "")
        #expect(try await titles(query()) == [name])
    }

    // MARK: Pages

    @Test("30,000 names are read in pages, each once, in order")
    func many() async throws {
        let count = 30_000
        // Hard links: of one file, so that the test takes no space.
        try folder.write("0.jpg", "")
        for number in 1..<count where link(folder.path("0.jpg"), folder.path("\(number).jpg")) != 0 {
            // Some file systems limit the links of a file.
            try folder.write("\(number).jpg", "")
        }
        var pages = PagedPhotos(query(), from: FolderSource(), startingAt: .position(15_000))
        let first = try #require(try await pages.nextPage())
        #expect(first.count == 10_000 && pages.startPosition == 10_000)
        #expect(first.first?.title == "10000.jpg" && pages.total == .exact(count))
        #expect(try await pages.previousPage()?.first?.title == "0.jpg")
        #expect(try await pages.nextPage()?.last?.title == "29999.jpg")
        let last = try await page(query(), at: .position(count - 1))
        #expect(last.photos.last?.title == "29999.jpg" && last.next == nil)
    }

    @Test("Pages in both directions cover the folder, from any start")
    func directions() async throws {
        for number in 0..<450 { try folder.write("\(number).png", "") }
        for start in [0, 1, 150, 449, 10_000] {
            var pages = PagedPhotos(query(), from: FolderSource(), startingAt: .position(start))
            var titles = try await pages.nextPage()?.map(\.title) ?? []
            while let more = try await pages.previousPage() { titles = more.map(\.title) + titles }
            while let more = try await pages.nextPage() { titles += more.map(\.title) }
            #expect(titles == (0..<450).map { "\($0).png" }, "from \(start)")
        }
    }

    @Test("A file that is removed after the listing has no file")
    func vanishedFile() async throws {
        for number in 0..<300 { try folder.write("\(number).png", "") }
        let source = FolderSource()
        #expect(try await source.page(of: query(), at: nil).photos.last?.file != nil)
        unlink(folder.path("299.png"))
        let again = try await source.page(of: query(), at: nil)
        #expect(again.photos.count == 300 && again.photos[299].title == "299.png" && again.photos[299].file == nil)
    }

    @Test("The largest page and position have cursors beyond the end")
    func largest() async throws {
        try folder.write("a.jpg", "")
        for (start, count) in [
            (PhotoStart.page(.max), 0), (.page(.max / FolderSource.namedPageSize), 0), (.position(.max), 0),
            (.page(.min), 1), (.position(.min), 1),
        ] { #expect(try await page(query(), at: start).photos.count == count) }
    }

    @Test("A cursor of another source is refused")
    func foreignCursor() async {
        for token in ["", "7", "5-3", "a-b", "1-2-3"] {
            await #expect(throws: CatalogError.self) {
                try await FolderSource().page(of: query(), at: PageCursor(token: token))
            }
        }
    }

    // MARK: Errors

    @Test("A folder that is missing or unreadable is one line")
    func failures() async throws {
        await #expect(throws: CatalogError(.unavailable, "cannot list \(folder.path)/x: No such file or directory")) {
            try await page(query("\(folder.path)/x"))
        }
        // Root may read everything.
        guard geteuid() != 0 else { return }
        try folder.write("locked/a.jpg", "")
        chmod(folder.path("locked"), 0)
        defer { chmod(folder.path("locked"), 0o755) }
        await #expect(throws: CatalogError(.unavailable, "cannot list \(folder.path)/locked: Permission denied")) {
            try await page(query("\(folder.path)/locked"))
        }
        #expect(try await titles(query()) == ["locked"])
    }

    @Test("A cancelled listing ends")
    func cancelled() async throws {
        try folder.write("a.jpg", "")
        await #expect(throws: CancellationError.self) {
            try await withThrowingTaskGroup(of: PhotoPage.self) { group in
                group.cancelAll()
                group.addTask { try await page(query()) }
                return try await group.next()
            }
        }
    }

    // MARK: Details

    /// A JPEG of a camera X-1.
    private func photograph(of date: String = "2024:05:17 12:30:45") throws -> [UInt8] {
        // Big-endian EXIF: a model (0x0110) in its entry, and a directory (0x8769) with the date (0x9003) behind it.
        let block: [UInt8] =
            Array("MM".utf8) + [0, 42, 0, 0, 0, 8]
            + [0, 2, 0x01, 0x10, 0, 2, 0, 0, 0, 4] + Array("X-1\0".utf8) + [0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 38]
            + [0, 0, 0, 0, 0, 1, 0x90, 0x03, 0, 2, 0, 0, 0, 20, 0, 0, 0, 56, 0, 0, 0, 0]
            + Array("\(date)\0".utf8)
        let plain = try Folder.working.openRegular(TestData.fixture("images/jpeg/420.jpg")).readAll(limit: 1 << 20)
        let segment = [0xFF, 0xE1, 0, UInt8(2 + 6 + block.count)] + Array("Exif\0\0".utf8) + block
        return plain[..<2] + segment + plain[2...]
    }

    @Test("A photo has the date of its file, and then that of the camera")
    func details() async throws {
        try folder.write("a.jpg", try photograph())
        let photo = try #require(try await page(query()).photos.first)
        #expect(photo.date == photo.file?.localTime && photo.date?.count == 19 && photo.width == nil)
        let full = try await FolderSource().renditions(of: photo)
        #expect([full.id, full.date, full.camera, full.format] == [photo.id, "2024-05-17T12:30:45", "X-1", "JPEG"])
        #expect(full.width != nil && full.height != nil)
        #expect(full.exposure == Exposure(time: nil, fNumber: nil, iso: nil, focalLength: nil))
        var limits = ImageLimits()
        limits.side = 1
        #expect(try await FolderSource(decoder: ImageDecoder(limits: limits)).renditions(of: photo) == photo)
    }

    @Test("By time pictures are sorted by the camera's date, and other files by their own")
    func sortedByCamera() async throws {
        for (name, date) in [("a.jpg", "2001:02:03 04:05:06"), ("b.jpg", "2024:05:17 12:30:45")] {
            try folder.write(name, try photograph(of: date))
            setTime(name, 1_000_000_000)
        }
        try folder.write("c.jpg", "no image")
        setTime("c.jpg", 1_300_000_000)
        #expect(try await titles(query(sort: "time")) == ["b.jpg", "c.jpg", "a.jpg"])
    }

    @Test("A source that reads files has their dates and cameras in its pages")
    func pagesWithDetails() async throws {
        try folder.write("a.jpg", try photograph())
        let photos = try await FolderSource(decoder: ImageDecoder(), readsFiles: true).page(of: query(), at: nil).photos
        #expect(photos.map(\.date) == ["2024-05-17T12:30:45"] && photos.map(\.camera) == ["X-1"])
        #expect(PhotoFormatter().maker(of: photos[0]) == "X-1")
        #expect(PhotoJSON.line(for: photos[0]).contains("\"camera\":\"X-1\""))
    }

    @Test("A file that is no image and a missing file stay as they are")
    func noDetails() async throws {
        for name in ["bad.jpg", "film.gif"] { try folder.write(name, "text") }
        try folder.write("gone.jpg", "")
        let photos = try await page(query()).photos
        unlink(folder.path("gone.jpg"))
        for photo in photos { #expect(try await FolderSource().renditions(of: photo) == photo) }
    }
}

extension Folder {
    fileprivate func writeEmpty(_ path: [UInt8]) throws(FileError) { _ = try open(path, [.write, .create]) }
}
