import SpyglassFetching
import SpyglassTestSupport
import Testing

@testable import SpyglassCatalog

@Suite("NASASource: items and their quirks", .timeLimit(.minutes(10)))
struct NASAItemTests {
    /// The photos of a page with these items.
    private func photos(_ items: String...) async throws -> [Photo] {
        let body = #"{"collection":{"items":[\#(items.joined(separator: ","))]}}"#
        return try await NASASource(transport: ScriptedTransport(body)).page(of: PhotoQuery("x"), at: nil).photos
    }

    private func photo(data: String, links: String = "[]") async throws -> Photo {
        try #require(try await photos(#"{"data":[{\#(data)}],"links":\#(links)}"#).first)
    }

    @Test("Only the id is required")
    func onlyId() async throws {
        var expected = Photo(id: "A", source: "nasa")
        expected.page = WebAddress("https://images.nasa.gov/details/A")
        expected.credit = "NASA"
        #expect(try await photos(#"{"data":[{"nasa_id":"A"}]}"#) == [expected])
    }

    @Test(
        "A field of the wrong type is ignored alone",
        arguments: ["null", "{}", "true", "[]", "[null]", "[{}]", "\"\""])
    func wrongTypes(value: String) async throws {
        let names = [
            "title", "photographer", "secondary_creator", "date_created", "center", "location", "description",
            "description_508", "keywords", "album", "media_type",
        ]
        let photo = try await photo(
            data: #""nasa_id":"A","# + names.map { #""\#($0)":\#(value)"# }.joined(separator: ","), links: value)
        #expect(photo == (try await photos(#"{"data":[{"nasa_id":"A"}]}"#).first))
    }

    @Test("A number is read as text, a list as its first text")
    func otherTypes() async throws {
        let photo = try await photo(
            data: #""nasa_id":1973,"title":["T","U"],"date_created":1973,"center":["JPL","ARC"],"album":"Giants""#)
        #expect([photo.id, photo.title, photo.date, photo.center] == ["1973", "T", "1973", "JPL"])
        #expect(photo.albums == ["Giants"])
    }

    @Test("An item without an id is dropped; its neighbours stay")
    func withoutId() async throws {
        let photos = try await photos(
            #"{"data":[{"title":"x"}]}"#, #"{"data":[]}"#, #"{"data":null}"#, "null", "7", "[]",
            #"{"data":[{"nasa_id":" "}]}"#,
            #"{"data":[{"nasa_id":{}}]}"#, #"{"data":[{"nasa_id":"B"}]}"#)
        #expect(photos.map(\.id) == ["B"])
    }

    @Test("Data may be a bare object or follow an empty one")
    func dataShapes() async throws {
        #expect(
            try await photos(#"{"data":{"nasa_id":"A"}}"#, #"{"data":[{},{"nasa_id":"B"}]}"#).map(\.id) == ["A", "B"])
    }

    @Test("Titles and names are one line without markup; the title may be the id")
    func lines() async throws {
        let photo = try await photo(
            data:
                #""nasa_id":"A","title":"  <b>Earth</b> &amp;\n Moon ","secondary_creator":"NASA/L   of N","location":" ""#
        )
        #expect([photo.title, photo.secondaryCreator, photo.location] == ["Earth & Moon", "NASA/L of N", nil])
        #expect(try await self.photo(data: #""nasa_id":"A","title":" ""#).title == "A")
    }

    @Test("A description has no markup; the screen readers' is the fallback")
    func descriptions() async throws {
        let photo = try await photo(data: #""nasa_id":"A","description":"<p>One &amp; two.</p><p>Three.</p>""#)
        #expect(photo.description == "One & two.\n\nThree.")
        let second = try await self.photo(data: #""nasa_id":"A","description":null,"description_508":"Read aloud""#)
        #expect(second.description == "Read aloud")
    }

    @Test("A keyword may hold a comma: Washington, DC")
    func keywords() async throws {
        let photo = try await photo(data: #""nasa_id":"A","keywords":["Washington, DC",null,7,""," a;b "]"#)
        #expect(photo.keywords == ["Washington, DC", "7", "a;b"])
        #expect(try await self.photo(data: #""nasa_id":"A","keywords":"Mars""#).keywords == ["Mars"])
    }

    @Test("Lists and texts of an item are limited")
    func bounds() async throws {
        let many = Array(repeating: "\"k\"", count: 5_000).joined(separator: ",")
        let long = String(repeating: "x", count: 300_000)
        let photo = try await photo(
            data: #""nasa_id":"A","keywords":[\#(many)],"title":"\#(long)","description":"\#(long)""#)
        #expect(photo.keywords.count == 200 && photo.title.utf8.count == PlainText.lineLimit + 3)
        #expect(photo.description?.utf8.count == PlainText.descriptionLimit + 3)
        #expect(try await photos(#"{"data":[{"nasa_id":"\#(long)"}]}"#).isEmpty)
    }

    @Test(
        "The media type is read in either case, else guessed from the address",
        arguments: [
            (#""media_type":"Video""#, "", MediaType.video),
            (#""media_type":"hologram""#, #""href":"https://h/audio/A/collection.json","#, .audio),
            (#""title":"t""#, #""href":"https://h/video/A/collection.json","#, .video),
            (#""title":"t""#, "", .image),
        ])
    func mediaTypes(field: String, href: String, expected: MediaType) async throws {
        #expect(try await photos(#"{\#(href)"data":[{"nasa_id":"A",\#(field)}]}"#).first?.mediaType == expected)
    }

    @Test("A page with more items than a search can show is truncated")
    func manyItems() async throws {
        let body = (0...NASAService.resultCeiling).map { #"{"data":{"nasa_id":\#($0)}}"# }.joined(separator: ",")
        #expect(try await photos(body).count == NASAService.resultCeiling)
    }

    @Test("The web page's address encodes the id once")
    func pageAddress() async throws {
        #expect(
            try await photo(data: #""nasa_id":"A b/ü+’""#).page?.description
                == "https://images.nasa.gov/details/A%20b%2F%C3%BC%2B%E2%80%99")
    }

    @Test(
        "The credit names the makers, else NASA and the centre",
        arguments: [
            (#""photographer":"NASA/Bill""#, "NASA/Bill"),
            (#""secondary_creator":"ESA/Hubble","center":"GSFC""#, "ESA/Hubble"),
            (#""photographer":"Ada","secondary_creator":"NASA/JPL""#, "Ada; NASA/JPL"),
            (#""photographer":"Ada","secondary_creator":"NASA/Ada""#, "NASA/Ada"),
            (#""photographer":"NASA/Ada","secondary_creator":"nasa""#, "NASA/Ada"),
            (#""center":"JPL""#, "NASA/JPL"),
        ])
    func credit(fields: String, expected: String) async throws {
        #expect(try await photo(data: #""nasa_id":"A",\#(fields)"#).credit == expected)
    }

    // MARK: Links

    @Test("Version 1.1: the preview is chosen by its relation, and sizes are read")
    func version11() async throws {
        let photos = try await NASASource(transport: fixtureTransport()).page(of: PhotoQuery("mars"), at: nil).photos
        let photo = try #require(photos.first)
        #expect(photo.thumbnail == WebAddress("http://localhost:8080/image/SG-MARS-001/SG-MARS-001~thumb.jpg"))
        #expect(photo.renditions.map(\.rel) == ["alternate", "alternate", "preview", "alternate", "canonical"])
        #expect(photo.renditions.map(\.height) == [853, 427, 427, 1280, 2667])
        #expect(photo.renditions.map(\.bytes) == [190_000, 66_000, 66_000, 350_000, 1_480_000])
    }

    @Test("Sizes may be strings; zero, negative and absurd ones are unknown")
    func sizes() async throws {
        let photo = try await photo(
            data: #""nasa_id":"A""#,
            links: #"""
                [{"href":"https://h/a.jpg","rel":"preview","width":"480","height":0,"size":-1},
                 {"href":"https://h/b.jpg","width":1e300,"height":null,"size":[5]}]
                """#)
        #expect(photo.renditions.map { [$0.width, $0.height, $0.bytes] } == [[480, nil, nil], [nil, nil, nil]])
    }

    @Test(
        "The preview is chosen by relation, then width, then name",
        arguments: [
            (
                [
                    ("m~medium.jpg", "alternate", 1280), ("t~thumb.jpg", "preview", 640),
                    ("s~small.jpg", "alternate", 640),
                ], "t~thumb.jpg"
            ),
            (
                [("o~orig.jpg", nil, 4000), ("l~large.jpg", nil, 1920), ("s~small.jpg", nil, 640), ("x.jpg", nil, 75)],
                "s~small.jpg"
            ),
            ([("a~orig.jpg", nil, nil), ("a~large.jpg", nil, nil), ("a~small_3.jpg", nil, nil)], "a~small_3.jpg"),
            ([("s~small.jpg", nil, 640), ("t~thumb.jpg", nil, 640)], "t~thumb.jpg"),
            (
                [("a~thumbnails.jpg", nil, nil), ("a~medium.jpg?w=1&x=~thumb.jpg", nil, nil)],
                "a~medium.jpg?w=1&x=~thumb.jpg"
            ),
            ([("a~orig.tif", "preview", 9000), ("a~large.jpg", nil, nil)], "a~large.jpg"),
            (
                [("a~thumb.tif", "preview", 640), ("a~small.webp", "preview", 640), ("a~large.jpg", nil, nil)],
                "a~large.jpg"
            ),
            ([("tiny.jpg", nil, 75), ("less.jpg", nil, 50)], "tiny.jpg"),
            ([("a~orig.tiff", "canonical", nil)], nil),
            ([], nil),
        ] as [([(String, String?, Int?)], String?)])
    func previews(files: [(String, String?, Int?)], expected: String?) throws {
        let renditions = try files.map { name, rel, width in
            Rendition(try #require(WebAddress("https://h/\(name)")), width: width, rel: rel)
        }
        let wanted = expected.flatMap { WebAddress("https://h/\($0)") }
        #expect(PreviewChoice.best(of: renditions) == wanted)
    }

    @Test(
        "Subtitles, videos, sounds and metadata are never images",
        arguments: [
            #"{"href":"https://h/a.srt","rel":"captions"}"#,
            #"{"href":"https://h/a.vtt","rel":"preview","render":"image"}"#,
            #"{"href":"https://h/a~preview.mp4","rel":"preview"}"#, #"{"href":"https://h/a.JPG","rel":"captions"}"#,
            #"{"href":"https://h/a.m4a?x=.jpg","rel":"preview"}"#, #"{"href":"https://h/metadata.json"}"#,
            #"{"href":"https://h/unknown"}"#, #"{"href":"ftp://h/a.jpg"}"#, #"{"href":"javascript:a.jpg"}"#,
            #"{"href":""}"#,
            #"{"href":"https://user@h/a.jpg"}"#, #"{"href":"https://h/a\n.jpg"}"#, #"{"href":7}"#,
            #"{"rel":"preview"}"#, "[]",
        ])
    func noPictures(link: String) async throws {
        let photo = try await photo(data: #""nasa_id":"A","media_type":"video""#, links: "[\(link)]")
        #expect(photo.thumbnail == nil && photo.renditions.isEmpty)
    }

    @Test("A video's still is found after its subtitles, which are not images")
    func films() async throws {
        let photos = try await NASASource(transport: fixtureTransport()).page(of: PhotoQuery("jupiter"), at: nil).photos
        let films = photos.filter { $0.mediaType == .video }
        #expect(films.map(\.thumbnail?.path) == [nil, "/video/SG-JUP-06/SG-JUP-06~thumb.jpg"])
    }

    @Test(
        "File addresses are encoded once, resolved, and upgraded at NASA alone",
        arguments: [
            (
                "http://images-assets.nasa.gov/image/As 11/As 11~thumb.jpg",
                "https://images-assets.nasa.gov/image/As%2011/As%2011~thumb.jpg"
            ),
            (
                "https://images-assets.nasa.gov/image/a%20b–c/x.jpg",
                "https://images-assets.nasa.gov/image/a%20b%E2%80%93c/x.jpg"
            ),
            ("http://NASA.gov/a.jpg", "https://nasa.gov/a.jpg"),
            ("http://notnasa.gov/a.jpg", "http://notnasa.gov/a.jpg"),
            ("http://nasa.gov.example.com/a.jpg", "http://nasa.gov.example.com/a.jpg"),
            ("http://images-assets.nasa.gov:8080/a.jpg", "http://images-assets.nasa.gov:8080/a.jpg"),
            ("//images-assets.nasa.gov/a.jpg", "https://images-assets.nasa.gov/a.jpg"),
            ("/image/a.jpg", "https://images-api.nasa.gov/image/a.jpg"),
            (" a.jpg\n", "https://images-api.nasa.gov/a.jpg"),
            ("https://h/it's,a+b@c.jpg?w=1&h=2#part", "https://h/it's,a+b@c.jpg?w=1&h=2"),
        ])
    func addresses(href: String, expected: String) async throws {
        let escaped = href.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n")
        let photo = try await photo(
            data: #""nasa_id":"A""#, links: #"[{"href":"\#(escaped)","rel":"preview"},{"href":"\#(escaped)"}]"#)
        #expect(photo.thumbnail?.description == expected && photo.renditions.count == 1)
    }

    @Test("Every item of the fixtures is parsed completely")
    func fixtures() async throws {
        let source = NASASource(transport: fixtureTransport())
        let jupiter = try await source.page(of: PhotoQuery("jupiter"), at: nil).photos
        #expect(
            jupiter.map(\.id) == [
                "SG-JUP-01", "SG-Jupiter – Süd", "SG's Jupiter, No. 3 + @2", "SG-JUP-04", "SG-JUP-05", "SG-JUP-06",
                "SG-JUP-07",
                "SG-JUP-08", "1973",
            ])
        #expect(
            jupiter[2].thumbnail?.description
                == "http://localhost:8080/image/SG's%20Jupiter,%20No.%203%20+%20@2/SG's%20Jupiter,%20No.%203%20+%20@2~thumb.jpg"
        )
        #expect(jupiter[3].photographer == "First Maker" && jupiter[3].title == "SG-JUP-04")
        #expect(jupiter[7].title == "An \u{1b}[31mUnfriendly\u{1b}[0m Title\u{7f} \u{202e}back")

        let mars = try await source.page(of: PhotoQuery("mars"), at: nil).photos
        let layers = try #require(mars.first { $0.id == "SG-MARS-008" })
        #expect(layers.title == "Layers & Veins" && layers.location == "Gale's neighbour")
        #expect(
            layers.description
                == "White veins cut through layers.\n\nSee the “whole” view.\nScale bar: 5 cm — roughly ≈ a thumb.")
        #expect(layers.keywords == ["Mars", "7", "Washington, DC"] && layers.albums == ["Spyglass_Own", "Red"])
        let small = try #require(mars.first { $0.id == "SG MARS 007" })
        #expect(small.thumbnail?.path == "/image/SG%20MARS%20007/SG%20MARS%20007~thumb.jpg")
        #expect(small.description == "Pebbles & sand")
    }
}
