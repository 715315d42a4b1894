import SpyglassFetching
import Testing

@testable import SpyglassCatalog

@Suite("DemoSource", .timeLimit(.minutes(10)))
struct DemoSourceTests {
    @Test("The same seed gives the same photos, another seed others")
    func seeds() async throws {
        let first = try await DemoSource(seed: 7).page(of: PhotoQuery(), at: nil)
        #expect(try await DemoSource(seed: 7).page(of: PhotoQuery(), at: nil) == first)
        #expect(try await DemoSource(seed: 8).page(of: PhotoQuery(), at: nil).photos != first.photos)
        #expect(first.photos.first?.title == "Crater rim after the flyby, Ombra")
    }

    @Test("A walk returns every photo once, whatever the number", arguments: [0, 1, 99, 100, 101, 1_234, -5])
    func walk(count: Int) async throws {
        var pages = PagedPhotos(PhotoQuery(), from: DemoSource(count: count))
        #expect(try await Set(pages.ids()).count == max(0, count))
        #expect(pages.total == .exact(max(0, count)))
    }

    @Test("Any page of ten million photos is reached by its number")
    func long() async throws {
        let source = DemoSource(count: 10_000_000)
        let page = try await source.page(of: PhotoQuery(), at: source.cursor(for: .page(100_000)))
        #expect(page.next == nil && page.total == .exact(10_000_000))
        let before = try await source.page(of: PhotoQuery(), at: page.previous)
        #expect([page, before].map(\.photos.last?.id) == ["demo-10000000", "demo-9999900"])
        #expect(try await source.page(of: PhotoQuery(), at: source.cursor(for: .page(100_001))).photos.isEmpty)
    }

    @Test("A search matches every word in any case, counts and pages both ways")
    func search() async throws {
        let source = DemoSource(count: 10_000)
        let query = PhotoQuery("AURORA ombra")
        var forward = PagedPhotos(query, from: source)
        var found: [Photo] = []
        while let photo = try await forward.nextPhoto() { found.append(photo) }
        #expect(forward.total == .exact(found.count) && found.count < 200 && !found.isEmpty)
        #expect(found.allSatisfy { $0.title.contains("Aurora") && $0.title.contains("Ombra") })

        let wide = PhotoQuery("aurora")
        let first = try await source.page(of: wide, at: nil)
        let second = try await source.page(of: wide, at: first.next)
        #expect(try await source.page(of: wide, at: source.cursor(for: .page(2))) == second)
        #expect(try await source.page(of: wide, at: second.previous).photos == first.photos)
        #expect(Set(first.photos).isDisjoint(with: second.photos))
        #expect(
            try await source.page(of: PhotoQuery("no such word"), at: nil)
                == PhotoPage(photos: [], position: 0, total: .exact(0)))
    }

    @Test("A filter matches its own field")
    func filters() async throws {
        let query = PhotoQuery(filters: ["photographer": ["quill"], "center": ["alpha"]])
        let photos = try await DemoSource(count: 2_000).page(of: query, at: nil).photos
        #expect(photos.count > 10)
        #expect(photos.allSatisfy { $0.photographer == "Ada Quill" && $0.center == "ALPHA" })
        let exact = PhotoQuery(filters: ["id": ["demo-42"]])
        #expect(try await DemoSource().page(of: exact, at: nil).photos.map(\.id) == ["demo-42"])
    }

    @Test("A photo without a date matches no year")
    func years() async throws {
        let source = DemoSource(count: 2_000)
        for (years, range) in [("1969-1972", 1969...1972), ("0001-1965", 1...1965), ("2019", 2019...2019)] {
            let query = PhotoQuery(filters: ["year": [years]])
            let page = try await source.page(of: query, at: nil)
            #expect(page.photos.count > 10 && page.total != .exact(2_000))
            #expect(page.photos.allSatisfy { Int($0.date?.prefix(4) ?? "").map(range.contains) == true })
        }
    }

    @Test("An undeclared filter is refused with the declared ones")
    func undeclared() async {
        let names = "center, year, photographer, title, location, id"
        let message = "demo: no filter 'album'; filters: \(names)"
        await #expect(throws: CatalogError(.invalidQuery, message, at: .filter("album"))) {
            try await DemoSource().page(of: PhotoQuery(filters: ["album": ["Apollo"]]), at: nil)
        }
    }

    @Test("Every example of a filter finds photos", arguments: DemoSource.filters)
    func examples(filter: PhotoFilter) async throws {
        for example in filter.examples {
            let query = PhotoQuery(filters: [filter.name: try #require(filter.values(of: example))])
            #expect(try await !DemoSource().page(of: query, at: nil).photos.isEmpty, "\(filter.name):\(example)")
        }
    }

    @Test("Every suggestion finds photos", arguments: DemoSource.suggestions)
    func suggestions(search: String) async throws {
        #expect(try await DemoSource().page(of: PhotoQuery(search), at: nil).photos.count == DemoSource.pageSize)
    }

    @Test("Some photos lack a photographer, a date or an image")
    func absences() async throws {
        let photos = try await DemoSource().page(of: PhotoQuery(), at: nil).photos
        let lacking = [\Photo.photographer, \.date, \.thumbnail?.text].map { field in
            photos.count { $0[keyPath: field] == nil }
        }
        #expect(lacking == [10, 8, 1])
    }

    @Test("A cursor after the last photo returns an empty page")
    func outside() async throws {
        let page = try await DemoSource(count: 10).page(of: PhotoQuery(), at: PageCursor(page: 92_233_720_368_547_758))
        #expect(page.next == nil && page.photos.isEmpty)
    }
}

@Suite("DemoTransport", .timeLimit(.minutes(10)))
struct DemoTransportTests {
    private func fetch(_ address: String, limit: Int = 64 << 20) async throws -> FetchResponse {
        try await DemoTransport().fetch(FetchRequest(try #require(WebAddress(address)), bodyLimit: limit))
    }

    /// FNV-1a of an image's bytes.
    private func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    @Test("Every image of a demo photo is a PNG of its rendition's size")
    func pictures() async throws {
        let photo = try #require(try await DemoSource().page(of: PhotoQuery(), at: nil).photos.first)
        #expect(photo.thumbnail == photo.renditions.first?.address)
        for rendition in photo.renditions {
            let response = try await DemoTransport().fetch(FetchRequest(rendition.address))
            #expect(response.status == 200 && response.origin == .archive)
            #expect(response.headers["content-type"] == "image/png")
            let body = response.body
            let start: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
            #expect(body.starts(with: start + bigEndian(rendition.width) + bigEndian(rendition.height)))
            #expect(body.count > 3 * (rendition.width ?? 0) * (rendition.height ?? 0))
        }
    }

    private func bigEndian(_ value: Int?) -> [UInt8] {
        let value = UInt32(value ?? 0)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    @Test("The same address has the same bytes on every machine")
    func determinism() async throws {
        let first = try await fetch("http://demo.invalid/1/0~thumb.png").body
        #expect(try await fetch("http://demo.invalid/1/0~thumb.png").body == first)
        #expect(hash(first) == 17_144_200_471_724_409_751)
        for other in ["1/1", "2/0"] { #expect(try await fetch("http://demo.invalid/\(other)~thumb.png").body != first) }
    }

    @Test(
        "Other addresses get a 404",
        arguments: [
            "http://demo.invalid/", "http://demo.invalid/1/0~huge.png", "http://demo.invalid/1/-1~thumb.png",
            "http://demo.invalid/x/0~thumb.png", "http://example.com/1/0~thumb.png",
            "http://demo.invalid/1/0~thumb.jpg",
            "http://demo.invalid/1/99999999999999999999~thumb.png",
        ])
    func unknown(address: String) async throws { #expect(try await fetch(address).status == 404) }

    @Test("An image above the request's limit is an error")
    func limit() async throws {
        let size = try await fetch("http://demo.invalid/1/0~thumb.png").body.count
        #expect(try await fetch("http://demo.invalid/1/0~thumb.png", limit: size).body.count == size)
        await #expect(throws: FetchError.self) { try await fetch("http://demo.invalid/1/0~thumb.png", limit: size - 1) }
    }
}

@Suite("StoredPNG", .timeLimit(.minutes(10)))
struct StoredPNGTests {
    @Test("An image of one red pixel has exactly these bytes")
    func onePixel() {
        let expected: [UInt8] = [
            0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A,
            0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0, 0x90, 0x77, 0x53, 0xDE,
            0, 0, 0, 15, 0x49, 0x44, 0x41, 0x54, 0x78, 0x01, 1, 4, 0, 0xFB, 0xFF, 0, 0xFF, 0, 0, 0x03, 0x01, 0x01, 0x00,
        ]
        let file = StoredPNG.bytes(of: [0xFF, 0, 0], width: 1, height: 1)
        #expect(Array(file.prefix(expected.count)) == expected)
        #expect(file.suffix(8) == [0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
    }

    @Test("A large image takes several blocks")
    func blocks() {
        let full = StoredPNG.bytes(of: [UInt8](repeating: 0, count: 300 * 200 * 3), width: 300, height: 200)
        // Rows of 901 bytes are three blocks of at most 65,535.
        #expect(full.count == 8 + 25 + 12 + 2 + 200 * 901 + 3 * 5 + 4 + 12)
    }
}
