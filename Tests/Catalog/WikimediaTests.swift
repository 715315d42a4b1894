import SpyglassFetching
import SpyglassJSON
import SpyglassTestSupport
import Testing

@testable import SpyglassCatalog

@Suite("WikimediaService", .timeLimit(.minutes(10)))
struct WikimediaTests {
    private func page(_ body: String, _ query: PhotoQuery = PhotoQuery("cat")) async throws -> PhotoPage {
        try await WebSource(WikimediaService(), transport: ScriptedTransport(body)).page(of: query, at: nil)
    }

    /// The photo of a file with these fields of `imageinfo`.
    private func photo(_ info: String) async throws -> Photo {
        let file = #"{"pageid":1,"title":"File:A.jpg","imageinfo":[{\#(info)}]}"#
        return try #require(try await page(#"{"batchcomplete":true,"query":{"pages":[\#(file)]}}"#).photos.first)
    }

    private static func file(_ id: Int, index: Int? = nil) -> String {
        let index = index.map { #""index":\#($0),"# } ?? ""
        return #"{"pageid":\#(id),"title":"File:A.jpg",\#(index)"imageinfo":[{"url":"https://h/\#(id).jpg"}]}"#
    }

    // MARK: Requests

    @Test("Words and filters are one search of bitmaps, for thumbnails of a standard width")
    func request() async throws {
        let transport = ScriptedTransport(#"{"batchcomplete":true}"#)
        let source = WebSource(WikimediaService(), transport: transport)
        let query = PhotoQuery("black cat", filters: ["category": ["Cats \"x\""], "width": ["1920"]])
        _ = try await source.page(of: query, at: source.cursor(for: .page(3)))
        _ = try await source.page(of: PhotoQuery(), at: nil)
        let end =
            "&gsrnamespace=6&gsrlimit=50&prop=imageinfo&iiprop=url%7Csize%7Cmime%7Cextmetadata&iiurlwidth=330&maxlag=5"
        let start = "https://commons.wikimedia.org/w/api.php?action=query&format=json&formatversion=2&generator=search"
        #expect(
            transport.addresses == [
                start + "&gsrsearch=filetype%3Abitmap%20incategory%3A%22Cats%20x%22%20filew%3A%3E1919%20black%20cat"
                    + end
                    + "&gsroffset=100&continue=gsroffset%7C%7C",
                start + "&gsrsearch=filetype%3Abitmap" + end,
            ])
        #expect(
            transport.requests.allSatisfy {
                $0.headers["User-Agent"] == "Spyglass/\(SpyglassVersion.current) (https://spyglass.example/contact)"
            })
    }

    @Test(
        "A busy service gets the same request after its pause", arguments: [("7", 7), (nil, 5), ("soon", 5), ("0", 1)])
    func maxlag(header: String?, seconds: Int) async throws {
        let transport = ScriptedTransport { request, number in
            guard number < 2 else { return FetchResponse(to: request, #"{"batchcomplete":true}"#) }
            var response = FetchResponse(to: request, #"{"error":{"code":"maxlag","info":"Waiting for db1: 6 s"}}"#)
            if let header { response.headers.add(name: "Retry-After", value: header) }
            return response
        }
        let clock = TickingClock()
        let waits = CallRecorder<Duration>()
        let source = WebSource(WikimediaService(), transport: transport, clock: clock, onWait: waits.record)
        #expect(try await source.page(of: PhotoQuery("cat"), at: nil).photos.isEmpty)
        #expect(clock.sleeps == [.seconds(seconds), .seconds(seconds)] && waits.values == clock.sleeps)
        #expect(Set(transport.addresses).count == 1)
        #expect(transport.requests.map(\.revalidates) == [false, true, true])
    }

    @Test("A service that stays busy, or asks for too long a pause, is an error", arguments: [("5", 3), ("3600", 1)])
    func staysBusy(header: String, requests: Int) async throws {
        let body = #"{"error":{"code":"maxlag","info":"Waiting for db1: 6 seconds lagged."}}"#
        let transport = ScriptedTransport(body, headers: [("Retry-After", header)])
        let source = WebSource(WikimediaService(), transport: transport, clock: TickingClock())
        let error = try await catalogError { try await source.page(of: PhotoQuery("cat"), at: nil) }
        #expect(
            error.description
                == "commons.wikimedia.org: search refused: Waiting for db1: 6 seconds lagged.; try again later")
        #expect(error.kind == .unavailable && transport.count == requests)
    }

    // MARK: Pages

    @Test("Parts of a page are merged, each request with the members of the answer before")
    func parts() async throws {
        let transport = ScriptedTransport { request, number in
            FetchResponse(
                to: request,
                [
                    #"{"continue":{"iicontinue":"A|1","continue":"||"},"query":{"pages":[{"pageid":2,"index":2},\#(Self.file(1, index: 1))]}}"#,
                    #"{"batchcomplete":true,"continue":{"gsroffset":50,"continue":"gsroffset||"},"query":{"pages":[\#(Self.file(2, index: 2)),{"pageid":1,"index":1}]}}"#,
                    #"{"batchcomplete":true,"query":{"pages":[\#(Self.file(3, index: 51))]}}"#,
                ][number])
        }
        let source = WebSource(WikimediaService(), transport: transport)
        let first = try await source.page(of: PhotoQuery("cat"), at: nil)
        let second = try await source.page(of: PhotoQuery("cat"), at: first.next)
        #expect([first, second].map { $0.photos.map(\.id) } == [["1", "2"], ["3"]])
        #expect(second.position == 50 && second.next == nil && second.previous == source.cursor(for: .position(0)))
        #expect(
            transport.addresses.map { $0.split(separator: "maxlag=5", omittingEmptySubsequences: false)[1] }
                == ["", "&iicontinue=A%7C1&continue=%7C%7C", "&gsroffset=50&continue=gsroffset%7C%7C"])
    }

    @Test("Files have the order of their index, in both versions of the format")
    func order() async throws {
        let files = [Self.file(9, index: 2), Self.file(8), Self.file(7, index: 1), #"{"pageid":6,"index":0}"#, "null"]
        let second = try await page(#"{"batchcomplete":true,"query":{"pages":[\#(files.joined(separator: ","))]}}"#)
        #expect(second.photos.map(\.id) == ["7", "9", "8"])
        let members = files.enumerated().map { #""\#($0.offset)":\#($0.element)"# }.joined(separator: ",")
        #expect(try await page(#"{"batchcomplete":"","query":{"pages":{\#(members)}}}"#).photos == second.photos)
    }

    @Test("Nothing found is an empty page")
    func nothing() async throws {
        #expect(try await page(#"{"batchcomplete":true}"#) == PhotoPage(photos: [], position: 0))
        #expect(try await page(#"{"batchcomplete":""}"#).photos.isEmpty)
    }

    @Test("Parts that never end, and pages that repeat, end the list")
    func endless() async throws {
        for next in [#""gaicontinue":"x""#, #""gaicontinue":"REQUESTS""#] {
            let transport = ScriptedTransport { request, number in
                let parts = next.split(separator: "REQUESTS", omittingEmptySubsequences: false)
                let body =
                    #"{"continue":{\#(parts.joined(separator: "\(number)"))},"query":{"pages":[\#(Self.file(1))]}}"#
                return FetchResponse(to: request, body)
            }
            var pages = PagedPhotos(PhotoQuery("cat"), from: WebSource(WikimediaService(), transport: transport))
            #expect(try await pages.ids() == ["1"])
            #expect(transport.count <= 60)
        }
    }

    @Test(
        "A continuation cannot change the search",
        arguments: [
            #"{"gsrsearch":"x","action":"delete","continue":"||"}"#, #"{"a&b=continue":"x","continue":"||"}"#,
            #"{"xcontinue":{},"continue":"||"}"#,
        ])
    func hostileContinuation(members: String) async throws {
        let page = try await page(#"{"batchcomplete":true,"continue":\#(members)}"#)
        #expect(page.next == PageCursor(token: #"{"continue":"||"}"#))
    }

    @Test(
        "A continuation that is invalid, too long or beyond the last result ends the list",
        arguments: [
            "null", "[]", "7", "{}", #"{"x":"y"}"#, #"{"continue":"\#(String(repeating: "x", count: 2_000))"}"#,
            #"{"gsroffset":10000,"continue":"gsroffset||"}"#,
        ])
    func lastPage(members: String) async throws {
        #expect(try await page(#"{"batchcomplete":true,"continue":\#(members)}"#).next == nil)
    }

    @Test("Reading can start at any of the first 10,000 results")
    func start() {
        let source = WebSource(WikimediaService(), transport: ScriptedTransport(""))
        let starts: [PhotoStart] = [.position(120), .position(.max), .page(0), .page(.max)]
        let pages: [PhotoStart] = [.page(3), .page(200)]
        #expect(starts.map(source.cursor) == pages.map(source.cursor) + [nil, nil])
    }

    @Test(
        "The words of a recorded search are those that were typed",
        arguments: [
            ("black cat", PhotoQuery("black cat")), (nil, PhotoQuery()),
            (nil, PhotoQuery("cat", filters: ["width": ["640"]])),
        ])
    func recordedSearch(words: String?, query: PhotoQuery) async throws {
        let transport = ScriptedTransport(#"{"batchcomplete":true}"#)
        _ = try await WebSource(WikimediaService(), transport: transport).page(of: query, at: nil)
        let address = try #require(transport.requests.first).address
        #expect(WikimediaService().search(at: address) == words)
    }

    // MARK: Errors

    @Test(
        "An error with status 200 gives the service's own reason",
        arguments: [
            (#"{"error":{"code":"internal_api_error","info":"[abc] Caught exception"}}"#, "[abc] Caught exception"),
            (#"{"errors":[{"code":"x","text":"Broken"}]}"#, "Broken"), (#"{"error":{"code":"readonly"}}"#, "readonly"),
            (#"{"error":"Bad"}"#, "Bad"),
            (#"{"error":{"code":"badvalue","info":"Unrecognized value."}}"#, "Unrecognized value."),
        ])
    func errors(body: String, reason: String) async throws {
        let error = try await catalogError { try await page(body) }
        #expect(error.kind == .unavailable && error.description.hasSuffix("search refused: \(reason)"))
    }

    @Test("Too long a search is the query's fault")
    func tooLong() async throws {
        let error = try await catalogError {
            try await page(#"{"error":{"code":"cirrussearch-query-too-long","info":"Search is too long"}}"#)
        }
        #expect(error.kind == .invalidQuery && error.subject == .text)
    }

    // MARK: Photos

    /// A wide file as a search finds it.
    private static let wide =
        #""url":"https://h/x.tif","size":99,"width":4000,"height":3000,"thumbwidth":330,"thumbheight":248,"#
        + #""thumburl":"https://h/330px-x.jpg""#

    @Test("A search names the preview and the original; an API request of its own names the thumbnail for a screen")
    func renditions() async throws {
        let found = try await photo(Self.wide)
        func rendition(_ address: String, _ width: Int, _ height: Int, bytes: Int? = nil, _ rel: String) throws
            -> Rendition
        {
            Rendition(try #require(WebAddress(address)), width: width, height: height, bytes: bytes, rel: rel)
        }
        let preview = try rendition("https://h/330px-x.jpg", 330, 248, "preview")
        let original = try rendition("https://h/x.tif", 4000, 3000, bytes: 99, "canonical")
        #expect(found.renditions == [preview, original] && found.lacksFiles)
        let large = Self.wide.replacing("330", with: "1280").replacing("248", with: "960").replacing(
            "//h", with: "//other")
        let transport = ScriptedTransport(#"{"query":{"pages":[{"pageid":7},{"pageid":1,"imageinfo":[{\#(large)}]}]}}"#)
        let source = WebSource(WikimediaService(), transport: transport)
        let whole = try await source.renditions(of: found)
        #expect(
            transport.addresses == [
                "https://commons.wikimedia.org/w/api.php?action=query&format=json&formatversion=2&pageids=1"
                    + "&prop=imageinfo&iiprop=url%7Csize&iiurlwidth=1280&maxlag=5"
            ])
        #expect(transport.requests.first?.headers["User-Agent"]?.contains("(") == true)
        let screen = try rendition("https://other/1280px-x.jpg", 1280, 960, "alternate")
        #expect(whole.renditions == [preview, screen, original])
        #expect(whole.thumbnail == found.thumbnail && !whole.lacksFiles)
        #expect(try await source.renditions(of: whole) == whole && transport.count == 1)
    }

    @Test(
        "A file that is not wider than a screen, or has no thumbnail, needs no further request",
        arguments: [
            #""width":1280,"height":3000,"thumburl":"https://h/330px-o.jpg""#, #""width":4000,"height":3000"#,
            #""width":4000,"height":3000,"thumburl":"https://h/o.jpg""#,
            #""width":"wide","thumburl":"https://h/t.jpg""#,
            #""width":4000,"mime":"video/webm","thumburl":"https://h/t.jpg""#,
        ])
    func complete(info: String) async throws {
        let transport = ScriptedTransport("{}")
        let photo = try await photo(#""url":"https://h/o.jpg",\#(info)"#)
        let whole = try await WebSource(WikimediaService(), transport: transport).renditions(of: photo)
        #expect(whole == photo && transport.count == 0)
    }

    @Test(
        "An answer without another thumbnail leaves the photo as it is, and is not asked for again",
        arguments: [
            "{}", "[]", "7", #"{"query":{"pages":[]}}"#, #"{"query":{"pages":[{"pageid":1}]}}"#,
            #"{"query":{"pages":[{"pageid":2,"imageinfo":[{"thumburl":"https://h/1280px-o.jpg"}]}]}}"#,
            #"{"query":{"pages":[{"pageid":1,"imageinfo":[{\#(wide)}]}]}}"#,
            #"{"query":{"pages":[{"pageid":1,"imageinfo":[{"thumburl":"javascript:1"},null]}]}}"#,
        ])
    func nothingMore(body: String) async throws {
        let found = try await photo(Self.wide)
        let source = WebSource(WikimediaService(), transport: ScriptedTransport(body))
        var expected = found
        expected.lacksFiles = false
        #expect(try await source.renditions(of: found) == expected)
    }

    @Test("Every damaged answer with the thumbnail for a screen adds one file at most")
    func damagedRenditions() async throws {
        let found = try await photo(Self.wide)
        let base = try #require(WebAddress("https://h/"))
        let json = try JSONValue(
            parsing: Array(
                #"{"query":{"pages":[{"pageid":1,"imageinfo":[{"url":"https://h/x.tif","thumburl":"https://h/1280px-x.jpg","thumbwidth":1280,"thumbheight":960}]}]}}"#
                    .utf8))
        var counts: Set<Int> = []
        for copy in json.damagedCopies {
            let photo = WikimediaService().photo(found, withFilesIn: ServiceAnswer(json: copy, address: base))
            counts.insert(photo.renditions.count)
            #expect(photo.renditions.first == found.renditions.first && photo.renditions.last == found.renditions.last)
        }
        #expect(counts == [2, 3])
    }

    @Test("An archive of version 0.2 and an offline cache lack it; another failure is an error")
    func failures() async throws {
        let found = try await photo(Self.wide)
        for kind in [FetchError.Kind.notRecorded, .notCached, .unreachable] {
            let transport = ScriptedTransport { _, _ in throw FetchError(kind, "nothing") }
            let whole = try? await WebSource(WikimediaService(), transport: transport).renditions(of: found)
            #expect(whole?.lacksFiles == (kind == .unreachable ? nil : false))
            #expect(whole.map { $0.renditions == found.renditions } != false)
        }
        let refused = ScriptedTransport(#"{"error":{"code":"ratelimited","info":"Slow down."}}"#)
        let source = WebSource(WikimediaService(), transport: refused, clock: TickingClock())
        let error = try await catalogError { try await source.renditions(of: found) }
        #expect(error.description.contains("Slow down.") && refused.count == 1 + WebSource.maxRetries)
    }

    @Test("An id that is not a number is never sent", arguments: ["1|2", "a", "-1", ""])
    func invalidID(id: String) async throws {
        var photo = Photo(id: id, source: "wikimedia")
        photo.lacksFiles = true
        let transport = ScriptedTransport("{}")
        #expect(try await WebSource(WikimediaService(), transport: transport).renditions(of: photo).id == id)
        #expect(transport.count == 0)
    }

    @Test("Metadata becomes plain text, without what the page hides")
    func metadata() async throws {
        let photo = try await photo(
            #"""
            "url":"//h/a b.jpg","descriptionurl":"https://c/File:A","mime":"image/jpeg","extmetadata":{
            "Artist":{"value":"<a href=\"//c/u\" title=\"a>b\">Jane &amp; Co</a><script>x</script>"},
            "DateTimeOriginal":{"value":"1891<div style=\"display: none;\">date QS:P,+1891</div>"},
            "ImageDescription":{"value":"<p>One</p><p>Two \u001b[31m</p>"},"LicenseUrl":{"value":"//c.org/l"},
            "LicenseShortName":{"value":4.0},"Categories":{"value":"A|B, C| |D"},"Credit":{"value":"Own work"}}
            """#)
        let texts = [
            photo.photographer, photo.date, photo.license, photo.licenseURL?.text, photo.credit, photo.thumbnail?.text,
        ]
        #expect(
            texts == [
                "Jane & Co", "1891", "4.0", "https://c.org/l", "Jane & Co, 4.0, via Wikimedia Commons",
                "https://h/a%20b.jpg",
            ])
        #expect(photo.description?.hasPrefix("One\n\nTwo") == true && photo.keywords == ["A", "B, C", "D"])
    }

    @Test("Odd metadata is left out")
    func oddMetadata() async throws {
        let caption = String(repeating: "x", count: 100_000)
        let photo = try await photo(
            #"""
            "url":null,"thumburl":{},"extmetadata":{"Artist":null,"LicenseUrl":{"value":7},"LicenseShortName":"CC",
            "DateTimeOriginal":{"value":{"en":"x"}},"Categories":[],"ImageDescription":{"value":"\#(caption)"}}
            """#)
        var expected = Photo(id: "1", source: "wikimedia", title: "A")
        expected.description = caption
        expected.credit = "via Wikimedia Commons"
        #expect(photo == expected)
    }

    @Test(
        "A title is the name of the file without prefix and extension",
        arguments: [
            ("File:Night in Nice (1891).jpg", "Night in Nice (1891)"), ("File:.jpg", ".jpg"),
            ("A. B c d e", "A. B c d e"),
            ("Mr. X", "Mr. X"),
        ])
    func titles(page: String, title: String) async throws {
        let body =
            #"{"batchcomplete":true,"query":{"pages":[{"pageid":9007199254740993,"title":"\#(page)","imageinfo":[{}]}]}}"#
        let photo = try await self.page(body).photos.first
        #expect(photo?.title == title && photo?.id == "9007199254740993")
    }
}

@Suite(
    "WikimediaService: recorded responses", .timeLimit(.minutes(10)),
    .enabled(if: TestData.shared != nil, "needs the shared recordings beside the project"))
struct WikimediaRecordedTests {
    private static func recording(_ name: String) -> String {
        String(decoding: TestData.bytes(of: "\(TestData.shared ?? "")/api/wikimedia/\(name).json"), as: UTF8.self)
    }

    private func page(_ bodies: [String]) async throws -> PhotoPage {
        let transport = ScriptedTransport { request, number in
            FetchResponse(to: request, bodies[min(number, bodies.count - 1)])
        }
        return try await WebSource(WikimediaService(), transport: transport).page(of: PhotoQuery("x"), at: nil)
    }

    @Test("All 28 recorded files come in order, with licence and artist")
    func files() async throws {
        let page = try await page([Self.recording("allimages-40-nocontinue")])
        let ids = page.photos.map(\.id)
        #expect(ids.count == 28 && ids == ids.sorted() && page.next == nil)
        #expect(
            page.photos.prefix(3).map(\.title) == [
                "Minchinmavida Volcano", "QST (1915) (14571847418)",
                "Botanical survey of the Ruby Range, Madison County, Montana, Dillon Resource Area, Bureau of Land Management"
                    + " (1997) (19780905913)",
            ])
        #expect(page.photos.allSatisfy { $0.thumbnail?.host == "upload.wikimedia.org" && $0.license != nil })
        #expect(page.photos.allSatisfy { $0.photographer?.isEmpty == false && $0.credit?.isEmpty == false })
        #expect(page.photos.count { $0.licenseURL != nil } == 18)
        #expect(
            Set(page.photos.compactMap(\.license)).sorted() == [
                "CC BY-SA 3.0 de", "CC BY-SA 4.0", "No restrictions", "Public domain",
            ])
        for photo in page.photos {
            let texts = [photo.title, photo.photographer, photo.credit, photo.date, photo.description].compactMap(
                \.self)
            #expect(texts.allSatisfy { !$0.contains("</") && !$0.contains("QS:") && !$0.contains("&amp;") })
        }
    }

    @Test("Recorded metadata becomes plain text")
    func metadata() async throws {
        let photos = try await page([Self.recording("allimages-40-nocontinue")]).photos
        let heidelberg = try #require(photos.first { $0.id == "44672185" })
        #expect(heidelberg.licenseURL?.text == "https://creativecommons.org/licenses/by-sa/3.0/de/deed.en")
        #expect([heidelberg.width, heidelberg.height] == [1563, 1172])
        let nice = try #require(photos.first { $0.id == "44672212" })
        #expect([heidelberg, nice, photos.last].map { $0?.date } == ["2002-04-02", "1891", "circa 1617"])
        #expect(
            [heidelberg, nice, photos.last].map { $0?.photographer } == ["Eckhard Henkel", "Edvard Munch", "Unknown"])
        #expect(
            [heidelberg, nice].map(\.credit) == [
                "Photo: Eckhard Henkel / Wikimedia Commons / CC BY-SA 3.0 DE",
                "Edvard Munch, Public domain, via Wikimedia Commons",
            ])
    }

    @Test("Three recorded parts are one page, and lead to the next")
    func continuation() async throws {
        let page = try await page((1...3).map { Self.recording("allimages-continue-\($0)") })
        #expect(
            page.photos.map(\.id) == [
                "18263872", "44672185", "44672190", "44672194", "44672195", "44672196", "44672207", "44672210",
                "44672212",
            ])
        #expect(page.next?.token.contains("20151031230201|Lancelot_'Capability'_BROWN") == true)
    }

    @Test("A recorded search has its photos and previews")
    func search() async throws {
        let page = try await page([Self.recording("search-generator-2026")])
        #expect(page.photos.map { [$0.id, $0.title] } == [["12345", "Cat poster 1"], ["67890", "Kitten"]])
        #expect(page.photos[0].renditions.map(\.width) == [320, nil])
        #expect(page.photos[1].thumbnail?.text.hasSuffix("/320px-Kitten.jpg") == true && page.next == nil)
    }
}
