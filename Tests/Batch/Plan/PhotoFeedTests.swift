import SpyglassCatalog
import SpyglassFetching
import SpyglassFiles
import Testing

@testable import SpyglassBatch

@Suite("PhotoFeed", .timeLimit(.minutes(10)))
struct PhotoFeedTests {
    private func feed(_ photos: [Photo], failing: Set<Int> = []) throws -> PhotoFeed {
        PhotoFeed(photos.count, try .sample("320"), failure: { BatchError(.fetch, "\($0)") }) { number in
            guard !failing.contains(number) else { throw FetchError(.unreachable, "no answer") }
            return photos[number]
        }
    }

    private func remote(_ id: String, width: Int = 640) throws -> Photo {
        var photo = Photo(id: id, source: "test")
        let address = try #require(WebAddress("https://x.test/\(id).jpg"))
        photo.renditions = [Rendition(address, width: width, height: width)]
        return photo
    }

    private func local(_ path: String) throws -> Photo {
        var photo = Photo(id: path, source: "folder")
        let status = try Folder.working.status(of: "/proc/self/status", followingLinks: true)
        photo.file = LocalFile(Array(path.utf8), status)
        return photo
    }

    @Test("Photos come in their order, and one that fails is a failed item")
    func order() async throws {
        let feed = try feed([remote("a"), Photo(id: "none", source: "test"), remote("c"), remote("d")], failing: [2])
        #expect(feed.count == 4)
        var numbers: [Int] = []
        var failures: [String] = []
        while let planned = try await feed.next() {
            switch planned {
            case .item(let item): numbers.append(item.number)
            case .failed(_, _, _, let error): failures.append(error.message)
            case .excluded: break
            }
        }
        #expect(numbers == [0, 3])
        #expect(failures.count == 2 && failures[1].contains("no answer"))
    }

    @Test("Files of folders are read from the disk, and equal names get a number")
    func files() async throws {
        let feed = try feed([
            local("/a/x.jpg"), local("/b/x.png"), local("/b/.hidden"), remote("x"), local("/c/x-2.gif"),
        ])
        var items: [BatchItem] = []
        while case .item(let item)? = try await feed.next() { items.append(item) }
        #expect(items.map(\.stem) == ["x", "x-2", ".hidden", "x-3", "x-2-2"])
        #expect(items[1].source == .file("/b/x.png") && items[1].id == "/b/x.png")
        #expect(Set(items.map(\.id)).count == items.count)
    }

    @Test("A cancelled load ends the feed")
    func cancelled() async throws {
        let feed = PhotoFeed(1, try .sample("320"), failure: { BatchError(.fetch, "\($0)") }) { _ in
            throw CancellationError()
        }
        await #expect(throws: CancellationError.self) { _ = try await feed.next() }
    }
}
