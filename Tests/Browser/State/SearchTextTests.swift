import SpyglassCatalog
import Testing

@testable import SpyglassBrowser

@Suite("The text of a search")
struct SearchTextTests {
    @Test("Words stay words, with one space between them")
    func strings() throws {
        #expect(try SearchText.query(of: "  apollo   11 ").text == "apollo 11")
        #expect(try SearchText.query(of: "") == PhotoQuery())
    }

    @Test("All of NASA's filters are read")
    func filters() throws {
        let query = try SearchText.query(
            of: "moon center:jsc year:1969-1972 photographer:\"Bill Ingalls\" title:crew location:Houston"
                + " keywords:a,b keywords:c id:as11-40 album:Apollo media:video,image landing")
        var expected = PhotoQuery("moon landing")
        expected.center = "JSC"
        expected.firstYear = 1969
        expected.lastYear = 1972
        expected.photographer = "Bill Ingalls"
        expected.title = "crew"
        expected.location = "Houston"
        expected.keywords = ["a", "b", "c"]
        expected.id = "as11-40"
        expected.album = "Apollo"
        expected.mediaTypes = [.video, .image]
        #expect(query == expected)
    }

    @Test(
        "What only looks like a filter stays words",
        arguments: ["12:30", "Apollo: the landing", "colour:red", "a:b", ":x", "http://x", "year1:2", "Centre: near"])
    func noFilters(text: String) throws {
        #expect(try SearchText.query(of: text) == PhotoQuery(text))
    }

    @Test(
        "A filter that is one slip of the finger away is a mistake",
        arguments: ["centre:JSC", "yaer:1969", "titel:x", "keyword:x", "phtographer:x", "ids:x"])
    func slips(text: String) {
        let name = String(text.prefix { $0 != ":" })
        #expect(throws: SearchSyntaxError.unknownFilter(name, known: SearchText.filters)) {
            try SearchText.query(of: text)
        }
    }

    @Test(
        "A year is four digits, and a range goes forward",
        arguments: ["soon", "69", "1972-1969", "1969-", "-1969", "1-2-3", "99999", "١٩٦٩", "99999999999999999999"])
    func badYears(year: String) {
        #expect(throws: SearchSyntaxError.badYear(year)) { try SearchText.query(of: "year:\(year)") }
    }

    @Test("What options ask for can be typed, with filters before words and quotes where they are needed")
    func written() throws {
        var query = PhotoQuery("moon \"landing site")
        query.center = "JSC"
        query.firstYear = 1969
        query.lastYear = 1972
        query.photographer = "Bill Ingalls"
        query.title = "crew"
        query.location = "Cape Canaveral"
        query.keywords = ["a", "two words"]
        query.id = "as11"
        query.album = "Apollo"
        query.mediaTypes = [.video, .audio]
        let text = SearchText.text(of: query)
        #expect(text.hasPrefix("center:JSC year:1969-1972 photographer:\"Bill Ingalls\" title:crew"))
        #expect(try SearchText.query(of: text) == query)
        #expect(SearchText.text(of: PhotoQuery("apollo 11")) == "apollo 11")
        #expect(SearchText.text(of: PhotoQuery()).isEmpty)
        var quoted = PhotoQuery()
        quoted.title = "the \"eagle\""
        #expect(SearchText.text(of: quoted) == "title:\"the eagle\"")
    }

    @Test("A filter without a value says so", arguments: ["keywords:,", "center:", "title:\"\"", "photographer:\" \""])
    func empty(text: String) {
        let name = String(text.prefix { $0 != ":" })
        #expect(throws: SearchSyntaxError.emptyFilter(name)) { try SearchText.query(of: text) }
    }

    @Test("An unknown kind of media names the known ones")
    func media() {
        #expect(
            throws: SearchSyntaxError.unknownFilter(
                "media:hologram", known: ["media:image", "media:video", "media:audio"])
        ) { try SearchText.query(of: "media:hologram") }
    }

    @Test("A quote that is not closed reaches to the end")
    func openQuote() throws {
        #expect(try SearchText.query(of: "title:\"the long way").title == "the long way")
    }
}
