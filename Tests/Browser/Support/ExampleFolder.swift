import Glibc
import SpyglassCatalog
import SpyglassCodecs
import SpyglassPixels

@testable import SpyglassBrowser
@testable import SpyglassFiles

/// A folder in memory: sub-folders `inner 1` and so on, then pictures `1.jpg` and so on.
struct ExampleFolder {
    var path = "/home/ada/Pictures"
    var folders = 2
    var pictures = 20

    var query: PhotoQuery {
        var query = PhotoQuery()
        query.paths = [Array(path.utf8)]
        return query
    }

    /// The page of all items.
    var answer: PageAnswer {
        let names = (1...max(folders, 1)).prefix(folders).map { "inner \($0)" } + (0..<pictures).map { "\($0 + 1).jpg" }
        return PageAnswer(
            photos: names.enumerated().map { photo($1, isFolder: $0 < folders) }, firstPosition: 0,
            total: .exact(names.count), isAtStart: true, isAtEnd: true)
    }

    /// A page of some of the items.
    func answer(_ positions: Range<Int>) -> PageAnswer {
        var page = answer
        (page.isAtStart, page.isAtEnd) = (positions.lowerBound == 0, positions.upperBound == page.photos.count)
        page.photos = Array(page.photos[positions])
        page.firstPosition = positions.lowerBound
        return page
    }

    func photo(_ name: String, isFolder: Bool = false) -> Photo {
        var photo = Photo(id: "\(path)/\(name)", source: "folder")
        photo.title = name
        photo.date = "2024-05-03T12:34:56"
        photo.mediaType = isFolder ? .folder : .image
        photo.file = LocalFile.example(Array(photo.id.utf8), isFolder: isFolder)
        if name.hasSuffix(".gif") { photo.unsupportedFormat = "GIF" }
        return photo
    }
}

extension LocalFile {
    /// A file with a path of its own, and the status of some folder or file that exists.
    static func example(_ path: [UInt8], isFolder: Bool) -> LocalFile? {
        (try? Folder.working.status(of: isFolder ? "/" : "/proc/self/status", followingLinks: true)).map {
            LocalFile(path, $0)
        }
    }
}

extension AppState {
    /// A folder whose page has come, of all items or of some.
    static func browsing(
        _ folder: ExampleFolder = ExampleFolder(), _ positions: Range<Int>? = nil, columns: Int = 80, rows: Int = 24
    ) -> AppState {
        var state = fresh(columns: columns, rows: rows) { $0.homeFolder = "/home/ada" }
        _ = state.update(.startedWithFiles(folder.query))
        state.deliver(positions.map(folder.answer) ?? folder.answer)
        return state
    }

    @discardableResult
    mutating func deliver(_ answer: PageAnswer) -> [BrowserEffect] {
        update(.page(generation: generation, .next, .success(answer)))
    }
}

extension PhotoFacts {
    /// Everything is known; `text` gives each text.
    static func example(_ text: () -> String? = { nil }) -> PhotoFacts {
        var metadata = ImageMetadata(
            info: ImageInfo(
                format: .jpeg, storedSize: PixelSize(width: 6240, height: 4160), isProgressive: true,
                colorDescription: text() ?? "YCbCr, 8 bits"))
        metadata.camera = text() ?? "FUJIFILM X-T3"
        metadata.lens = text() ?? "FUJIFILM XF35mmF1.4 R"
        metadata.software = text() ?? "Ver1.10"
        metadata.date = text() ?? "2024-05-17T12:30:45+02:00"
        metadata.profile = text() ?? "Display P3"
        metadata.exposureTime = 0.004
        metadata.fNumber = 2.8
        metadata.iso = 640
        metadata.focalLength = 35
        metadata.focalLengthOn35mmFilm = 53
        return PhotoFacts(metadata: metadata, modified: text() ?? "2024-05-18T09:00:00")
    }
}

extension LocalFile {
    /// A file that does not exist.
    static func example(_ path: String, byteCount: Int = 0, isFolder: Bool = false) -> LocalFile {
        var status = stat()
        status.st_mode = isFolder ? S_IFDIR : S_IFREG
        status.st_size = byteCount
        return LocalFile(Array(path.utf8), FileStatus(status))
    }
}
