import SpyglassCatalog
import Testing

@testable import SpyglassBrowser

@Suite("SearchText")
struct SearchTextTests {
    private let search = SearchText(filters: NASASource.filters)

    @Test("Words stay words, with one space between")
    func words() throws {
        #expect(try search.query(of: "  apollo   11 ").text == "apollo 11")
        #expect(try search.query(of: "") == PhotoQuery())
    }

    @Test("Every filter of NASA is parsed")
    func filters() throws {
        let query = try search.query(
            of: "moon center:jsc year:1969-1972 photographer:\"Bill Ingalls\" title:crew location:Houston"
                + " keywords:a,b keywords:c id:as11-40 album:Apollo media:video,image landing")
        let expected = PhotoQuery(
            "moon landing",
            filters: [
                "center": ["JSC"], "year": ["1969-1972"], "photographer": ["Bill Ingalls"], "title": ["crew"],
                "location": ["Houston"], "keywords": ["a", "b", "c"], "id": ["as11-40"], "album": ["Apollo"],
                "media": ["video", "image"],
            ])
        #expect(query == expected)
    }

    @Test(
        "Text that only resembles a filter stays a query",
        arguments: [
            "12:30", "Apollo: the landing", "\"colour:red\"", "a:b", ":x", "http://x", "year1:2", "Centre: near",
        ])
    func noFilters(text: String) throws {
        #expect(try search.query(of: text) == PhotoQuery(text))
    }

    @Test(
        "A filter that the source lacks is a mistake",
        arguments: ["centre:JSC", "yaer:1969", "titel:x", "keyword:x", "phtographer:x", "ids:x", "colour:red"])
    func slips(text: String) {
        let name = String(text.prefix { $0 != ":" })
        #expect(throws: SearchSyntaxError.unknownFilter(name, known: NASASource.filters.map(\.name))) {
            try search.query(of: text)
        }
    }

    @Test(
        "A year has four digits, and ranges ascend",
        arguments: ["soon", "69", "1972-1969", "1969-", "-1969", "1-2-3", "99999", "١٩٦٩", "99999999999999999999"])
    func badYears(year: String) {
        #expect(throws: SearchSyntaxError.badValue(year, filter: "year", examples: ["1969-1972", "1969"])) {
            try search.query(of: "year:\(year)")
        }
    }

    @Test("The text of a query has filters first, quoted where needed")
    func written() throws {
        let query = PhotoQuery(
            "moon \"landing site",
            filters: [
                "center": ["JSC"], "year": ["1969-1972"], "photographer": ["Bill Ingalls"], "title": ["crew"],
                "location": ["Cape Canaveral"], "keywords": ["a", "two words"], "id": ["as11"], "album": ["Apollo"],
                "media": ["video", "audio"],
            ])
        let text = search.text(of: query)
        #expect(text.hasPrefix("center:JSC year:1969-1972 photographer:\"Bill Ingalls\" title:crew"))
        #expect(try search.query(of: text) == query)
        #expect(search.text(of: PhotoQuery("apollo 11")) == "apollo 11")
        #expect(search.text(of: PhotoQuery()).isEmpty)
        let quoted = PhotoQuery(filters: ["title": ["the \"eagle\""]])
        #expect(search.text(of: quoted) == "title:\"the eagle\"")
    }

    @Test(
        "A filter without a value is a mistake",
        arguments: ["keywords:,", "center:", "title:\"\"", "photographer:\" \""])
    func empty(text: String) {
        let name = String(text.prefix { $0 != ":" })
        #expect(throws: SearchSyntaxError.emptyFilter(name)) { try search.query(of: text) }
    }

    @Test("The hint shows examples of the first filters")
    func hint() { #expect(search.hint == "center:JSC  year:1969-1972  photographer:Ingalls") }

    @Test("A hint with spaces is quoted, and finds what it shows")
    func quotedHint() throws {
        let commons = SearchText(filters: [
            PhotoFilter("category", help: "a category", examples: ["Lighthouses in Brittany"])
        ])
        #expect(commons.hint == #"category:"Lighthouses in Brittany""#)
        #expect(try commons.query(of: commons.hint)["category"] == ["Lighthouses in Brittany"])
    }

    @Test("An open quotation mark reaches to the end")
    func openQuote() throws {
        #expect(try search.query(of: "title:\"the long way")["title"] == ["the long way"])
    }
}
