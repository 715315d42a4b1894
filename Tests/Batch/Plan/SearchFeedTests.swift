import SpyglassCatalog
import SpyglassFetching
import SpyglassFiles
import Testing

@testable import SpyglassBatch

@Suite("SearchFeed", .timeLimit(.minutes(10)))
struct SearchFeedTests {
    /// Pages of three photos, every fifth without an image; the page after the last throws the error, if any.
    private struct Source: PhotoSource {
        var photos = 10
        var error: (any Error)?
        /// The width of a file that only `renditions(of:)` names.
        var laterWidth: Int?
        var laterError: (any Error)?
        let name = "test"
        let pageSize = 3

        func page(of query: PhotoQuery, at cursor: PageCursor?) async throws -> PhotoPage {
            let start = cursor.flatMap { Int($0.token) } ?? 0
            if start >= photos, let error { throw error }
            let end = min(start + pageSize, photos)
            return PhotoPage(
                photos: (start..<max(start, end)).map(photo),
                next: end < photos || error != nil ? PageCursor(token: "\(end)") : nil)
        }

        private func photo(_ number: Int) -> Photo {
            var photo = Photo(id: "p\(number)", source: name)
            guard number % 5 != 4, let address = WebAddress("https://x.test/\(number).jpg") else { return photo }
            photo.renditions = [Rendition(address, width: 640, height: 480)]
            if laterWidth != nil {
                photo.thumbnail = address
                photo.renditions.append(Rendition(address.renamed("original.jpg"), width: 9_000, height: 9_000))
                photo.lacksFiles = true
            }
            return photo
        }

        func renditions(of photo: Photo) async throws -> Photo {
            if let laterError { throw laterError }
            var photo = photo
            if let laterWidth, let address = photo.thumbnail {
                photo.renditions.append(
                    Rendition(address.renamed("\(laterWidth).jpg"), width: laterWidth, height: laterWidth))
            }
            return photo
        }
    }

    private func feed(_ source: Source, limit: Int?) throws -> SearchFeed {
        SearchFeed(PagedPhotos(PhotoQuery("x"), from: source), limit: limit, try .sample("320"))
    }

    @Test("Photos follow the source's order; one without an image is a failure")
    func order() async throws {
        let some = try await feed(Source(), limit: 6).all()
        #expect(some.map(\.shown) == ["p0", "p1", "p2", "p3", "p4: notFound", "p5"])
        let all = try await feed(Source(), limit: nil).all()
        #expect(all.compactMap(\.item?.trust) == Array(repeating: .publicAddresses, count: 8))
        #expect(all.compactMap(\.item?.number) == [0, 1, 2, 3, 5, 6, 7, 8] && all.count == 10)
        #expect(try await feed(Source(), limit: 0).all().isEmpty)
    }

    @Test(
        "Files that a page lacks are asked for where its preview is too small; without them the original serves",
        arguments: [(320, nil, "/0.jpg"), (1000, nil, "/1280.jpg"), (2000, nil, "/original.jpg")]
            + [(320, "no network", "/0.jpg"), (1000, "no network", "/original.jpg")] as [(Int, String?, String)])
    func lackingFiles(size: Int, problem: String?, path: String) async throws {
        var source = Source(photos: 1, laterWidth: 1280)
        source.laterError = problem.map { FetchError(.unreachable, $0) }
        let feed = SearchFeed(PagedPhotos(PhotoQuery("x"), from: source), limit: nil, try .sample("\(size)"))
        guard case .address(let address) = try await feed.next()?.item?.source else { return #expect(path.isEmpty) }
        #expect(address.path == path)
    }

    @Test("An error of a page reaches the caller")
    func errors() async throws {
        let feed = try feed(Source(photos: 3, error: CatalogError(.invalidQuery, "no such centre")), limit: 10)
        for _ in 0..<3 { #expect(try await feed.next()?.item != nil) }
        await #expect(throws: CatalogError(.invalidQuery, "no such centre")) { try await feed.next() }
    }

    @Test("A page that an archive lacks ends the feed, unless it is the first", arguments: [0, 3])
    func unrecorded(photos: Int) async throws {
        let error = FetchError(.notRecorded, "not in the archive")
        let feed = try feed(Source(photos: photos, error: error), limit: 10)
        for _ in 0..<photos { #expect(try await feed.next()?.item != nil) }
        if photos > 0 {
            #expect(try await feed.next() == nil)
        } else {
            await #expect(throws: error) { try await feed.next() }
        }
    }
}

@Suite("RenditionChoice")
struct RenditionChoiceTests {
    private func chosen(_ renditions: [(name: String, width: Int?, height: Int?, rel: String?)], _ size: String) throws
        -> String?
    {
        var photo = Photo(id: "x", source: "test")
        photo.renditions = try renditions.map {
            Rendition(
                try #require(WebAddress("https://x.test/\($0.name)")), width: $0.width, height: $0.height, rel: $0.rel)
        }
        photo.thumbnail = WebAddress("https://x.test/t.jpg")
        return RenditionChoice.address(of: photo, for: [try #require(OutputSize(size))]).map {
            String($0.path.dropFirst())
        }
    }

    @Test("The smallest rendition that covers the size wins, else the largest")
    func bySize() throws {
        let known: [(String, Int?, Int?, String?)] = [
            ("l.jpg", 1920, 1080, nil), ("s.jpg", 320, 200, nil), ("m.jpg", 640, 480, nil), ("o.tif", 9000, 9000, nil),
        ]
        let sizes = ["200", "320", "320x", "x481", "5000"]
        #expect(try sizes.map { try chosen(known, $0) } == ["s.jpg", "m.jpg", "s.jpg", "l.jpg", "l.jpg"])
    }

    @Test("Other pictures of a post do not count, nor does a film")
    func posts() throws {
        let posts = [("a.jpg", 500, 400, "canonical"), ("b.jpg", 5000, 4000, "picture-2")]
        #expect(try chosen(posts, "1000") == "a.jpg")
        #expect(try chosen([("film.mp4", 100_000, 100_000, nil)], "320") == "t.jpg")
    }
    @Test("Without sizes the original counts as large, the preview as smallest")
    func unknown() throws {
        let some: [(String, Int?, Int?, String?)] = [
            ("p.jpg", nil, nil, "preview"), ("m.jpg", nil, nil, "alternate"), ("o.jpg", nil, nil, "canonical"),
        ]
        #expect(try (1...3).map { try chosen(Array(some.prefix($0)), "320") } == ["p.jpg", "m.jpg", "o.jpg"])
    }
}

extension WebAddress {
    /// Another file beside this one.
    fileprivate func renamed(_ name: String) -> WebAddress { (try? resolving(name)) ?? self }
}

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
        #expect(numbers == [0, 3] && failures.count == 2 && failures[1].contains("no answer"))
    }

    @Test(
        "Names end with the real size of the copy, never enlarged, as requested if the photo's is unknown",
        arguments: [
            ("1600", 4000, 3000, "1600"), ("1600", 3000, 4000, "1600"), ("1600", 800, 600, "800"),
            ("1600x900", 4000, 3000, "1200x900"), ("50%", 4000, 3000, "2000x1500"), ("1600", nil, nil, "1600"),
            ("1600x900", nil, 0, "1600x900"), ("50%", -1, Int.max, "50pct"),
        ] as [(String, Int?, Int?, String)])
    func sizes(_ size: String, _ width: Int?, _ height: Int?, _ name: String) async throws {
        var photo = try local("/a/DSC_0001.jpg")
        (photo.width, photo.height) = (width, height)
        let feed = PhotoFeed(1, try .sample(size), failure: { BatchError(.fetch, "\($0)") }) { [photo] _ in photo }
        #expect(try await feed.next()?.item?.stem == "DSC_0001-\(name)")
    }

    @Test("Files of folders are read from the disk, and equal names get a number")
    func files() async throws {
        let feed = try feed([
            local("/a/x.jpg"), local("/b/x.png"), local("/b/.hidden"), remote("x"), local("/c/x-2.gif"),
        ])
        var items: [BatchItem] = []
        while case .item(let item)? = try await feed.next() { items.append(item) }
        #expect(items.map(\.stem) == ["x-320", "x-320-2", ".hidden-320", "x-320-3", "x-2-320"])
        let isFromDisk = items[1].source == .file("/b/x.png") && items[1].id == "/b/x.png"
        #expect(isFromDisk && Set(items.map(\.id)).count == items.count)
    }

    @Test("A cancelled load ends the feed")
    func cancelled() async throws {
        let feed = PhotoFeed(1, try .sample("320"), failure: { BatchError(.fetch, "\($0)") }) { _ in
            throw CancellationError()
        }
        await #expect(throws: CancellationError.self) { _ = try await feed.next() }
    }
}
