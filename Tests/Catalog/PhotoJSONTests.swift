import SpyglassFetching
import Testing

@testable import SpyglassCatalog
import SpyglassJSON

@Suite("PhotoJSON", .timeLimit(.minutes(10)))
struct PhotoJSONTests {
    @Test("Unknown values are null, and lists are empty")
    func unknown() {
        #expect(
            PhotoJSON.line(for: Photo(id: "A", source: "nasa"))
                == #"{"id":"A","title":"A","photographer":null,"date":null,"center":null,"location":null,"description":null,"#
                + #""keywords":[],"album":[],"media_type":"image","thumbnail":null,"renditions":[],"page_url":null,"#
                + #""credit":null,"license":null,"license_url":null,"source":"nasa"}"#)
    }

    @Test("Known values are written unchanged")
    func known() throws {
        var photo = Photo(id: "A 1", source: "nasa")
        photo.title = #"A "quoted" \ title/é"#
        photo.photographer = "Ada"
        photo.date = "1969-07-20T00:00:00Z"
        photo.center = "JSC"
        photo.location = "Moon"
        photo.description = "one\n\ttwo"
        photo.keywords = ["a", "b, c"]
        photo.albums = ["X"]
        photo.mediaType = .video
        let address = try #require(WebAddress("https://h/a b.jpg"))
        photo.thumbnail = address
        photo.renditions = [Rendition(address, width: 640, rel: "preview"), Rendition(address, height: 2, bytes: 3)]
        photo.page = address
        photo.credit = "NASA"
        #expect(
            PhotoJSON.line(for: photo)
                == #"{"id":"A 1","title":"A \"quoted\" \\ title/é","photographer":"Ada","date":"1969-07-20T00:00:00Z","#
                + #""center":"JSC","location":"Moon","description":"one\n\ttwo","keywords":["a","b, c"],"album":["X"],"#
                + #""media_type":"video","thumbnail":"https://h/a%20b.jpg","renditions":["#
                + #"{"url":"https://h/a%20b.jpg","width":640,"height":null,"bytes":null,"rel":"preview"},"#
                + #"{"url":"https://h/a%20b.jpg","width":null,"height":2,"bytes":3,"rel":null}],"#
                + #""page_url":"https://h/a%20b.jpg","credit":"NASA","license":null,"license_url":null,"source":"nasa"}"#
        )
    }

    @Test("Characters that control a terminal are escaped, and all round-trip")
    func harmless() throws {
        let values = Array(0...0x2FF) + [0x61C, 0x3000, 0xFEFF, 0xFFFD, 0x1F680, 0xE0041] + Array(0x2000...0x206F)
        let text = String(String.UnicodeScalarView(values.compactMap(Unicode.Scalar.init)))
        var photo = Photo(id: "A", source: "nasa")
        photo.title = text
        let line = PhotoJSON.line(for: photo)
        for scalar in line.unicodeScalars {
            #expect(!(0...0x1F).contains(scalar.value) && !(0x7F...0x9F).contains(scalar.value))
            #expect(!scalar.properties.isBidiControl)
            #expect(![0x2028, 0x2029, 0xFEFF].contains(scalar.value))
        }
        #expect(try JSONValue(parsing: Array(line.utf8))["title"]?.text == text)
        #expect(
            line.contains(#"\u001b"#) && line.contains(#"\u007f"#) && line.contains(#"\u009b"#)
                && line.contains(#"\u202e"#))
    }
}
