import SpyglassCatalog
import SpyglassFiles

@testable import SpyglassBrowser

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

extension BrowserState {
    /// A folder whose page has come.
    static func browsing(
        _ folder: ExampleFolder = ExampleFolder(), columns: Int = 80, rows: Int = 24
    ) -> BrowserState {
        var state = fresh(columns: columns, rows: rows) { $0.homeFolder = "/home/ada" }
        _ = state.update(.startedWithFiles(folder.query))
        state.deliver(folder.answer)
        return state
    }

    @discardableResult
    mutating func deliver(_ answer: PageAnswer) -> [BrowserEffect] {
        update(.page(generation: generation, .next, .success(answer)))
    }
}
