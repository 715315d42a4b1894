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
        let quoted = PhotoQuery(filters: ["title": ["the \"eagle\""]])
        let texts = [PhotoQuery("apollo 11"), PhotoQuery(), quoted].map(search.text)
        #expect(texts == ["apollo 11", "", "title:\"the eagle\""])
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

@Suite("TextField")
struct TextFieldTests {
    /// A field with the caret at the bar.
    private func field(_ text: String) -> TextField {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        var field = TextField(parts[0])
        field.after = parts.count > 1 ? parts[1] : ""
        return field
    }

    private func shown(_ field: TextField) -> String { "\(field.before)|\(field.after)" }

    @Test(
        "Every editing command works as in readline",
        arguments: [
            (Action.caretLeft, "ab|c", "a|bc"), (.caretLeft, "|abc", "|abc"), (.caretRight, "ab|c", "abc|"),
            (.caretRight, "abc|", "abc|"), (.caretStart, "ab|c", "|abc"), (.caretEnd, "ab|c", "abc|"),
            (.wordLeft, "one two  |x", "one |two  x"), (.wordLeft, "one|", "|one"),
            (.wordRight, "one| two x", "one two| x"), (.wordRight, "x|", "x|"),
            (.deleteBackward, "ab|c", "a|c"), (.deleteBackward, "|c", "|c"), (.deleteForward, "a|bc", "a|c"),
            (.deleteForward, "a|", "a|"), (.deleteWord, "one two |x", "one |x"), (.deleteToStart, "ab|c", "|c"),
            (.deleteToEnd, "a|bc", "a|"), (.deleteBackward, "e\u{301}👨‍👩‍👧|", "e\u{301}|"),
            (.caretLeft, "a👨‍👩‍👧|b", "a|👨‍👩‍👧b"),
        ])
    func commands(command: Action, before: String, after: String) {
        var field = field(before)
        let isKnown = field.perform(command)
        #expect(isKnown && shown(field) == after)
    }

    @Test("Pasted text becomes one line without control characters")
    func paste() {
        var field = field("a|b")
        field.insert("x\u{1B}[31m\ty\u{9B}\u{7F}\nnext\n")
        #expect(shown(field) == "ax[31m y next|b")
    }

    @Test("The text stays within its limit, with whole characters")
    func limit() {
        var field = TextField()
        field.insert(String(repeating: "é", count: TextField.lengthLimit))
        #expect(field.text.utf8.count == TextField.lengthLimit)
        field.insert("é")
        #expect(field.text.utf8.count == TextField.lengthLimit)
        field = TextField("x")
        field.insert(String(repeating: "👨‍👩‍👧", count: TextField.lengthLimit))
        #expect(field.text.utf8.count <= TextField.lengthLimit && field.text.last == "👨‍👩‍👧")
    }
}

@Suite("FuzzyPattern")
struct FuzzyPatternTests {
    private func found(_ pattern: String, in text: String) -> [String] {
        let bytes = Array(text.utf8)
        return FuzzyPattern(pattern).ranges(in: text).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    private func matches(_ pattern: String, _ title: String) -> Bool {
        var photo = Photo(id: "1", source: "nasa")
        photo.title = title
        return FuzzyPattern(pattern).matches(photo)
    }

    @Test(
        "Letters are found next to each other, or with others left out",
        arguments: [
            ("mars", "The MARS rover", "MARS"), ("over", "The MARS rover", "over"), ("mrs", "Mars", "Mrs"),
            ("mro", "Mars Robot Orbiter", "MRo"), ("mrsr", "Mars red rocks", "Mrsr"), ("a11", "Apollo 11", "A11"),
            ("apl11", "The Apollo 11 landing", "Apl11"), ("jmswb", "James Webb", "JmsWb"), ("nbla", "nebula", "nbla"),
            ("iss", "International Space Station", "ISS"), ("-11", "Apollo-11", "-11"), ("n's", "Luna's moon's", "n's"),
        ])
    func found(pattern: String, text: String, letters: String) {
        #expect(found(pattern, in: text).joined() == letters && matches(pattern, text))
    }

    @Test(
        "Letters far apart, in another order or inside of words are not found",
        arguments: [
            ("sram", "Mars"), ("mrs", "Memories"), ("mnb", "Moon and nebula"), ("rvr", "Mars, driver"), ("x", "Mars"),
            ("marss", "Mars"), ("aa", "a"), ("mars", ""),
        ])
    func missing(pattern: String, text: String) {
        #expect(found(pattern, in: text).isEmpty && !matches(pattern, text))
    }

    @Test(
        "Case, accents and combining marks do not count, in any script",
        arguments: [
            ("cafe", "Café"), ("cafe", "Cafe\u{301}"), ("CAFÉ", "cafe"), ("zero", "Ze\u{301}ro\u{302}"),
            ("луна", "ЛУНА-1"),
            ("日本", "国際宇宙ステーションから見た日本列島"), ("القمر", "صورة القمر من محطة"), ("strom", "Ångström"), ("👩", "👩🏽‍🚀"),
        ])
    func scripts(pattern: String, text: String) {
        #expect(!found(pattern, in: text).isEmpty && matches(pattern, text))
    }

    @Test("All words are needed, in title, maker or description; none matches everything")
    func words() {
        var photo = Photo(id: "1", source: "nasa")
        photo.title = "Apollo 11"
        photo.photographer = "Neil Armstrong"
        photo.description = "The flag on the Moon."
        func matches(_ text: String) -> Bool { FuzzyPattern(text).matches(photo) }
        #expect(["apollo", "moon apollo", "ARMSTR flag 11", " ", ""].allSatisfy(matches) && !matches("apollo venus"))
        photo.photographer = nil
        photo.secondaryCreator = "Buzz Aldrin"
        #expect(matches("aldrn") && !matches("armstrong"))
    }
}
