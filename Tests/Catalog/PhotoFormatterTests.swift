import SpyglassFetching
import SpyglassJSON
import Testing

@testable import SpyglassCatalog

@Suite("PhotoFormatter", .timeLimit(.minutes(10)))
struct PhotoFormatterTests {
    private func photo(
        photographer: String? = nil, creator: String? = nil, center: String? = nil, date: String? = nil
    ) -> Photo {
        var photo = Photo(id: "A", source: "test")
        photo.photographer = photographer
        photo.secondaryCreator = creator
        photo.center = center
        photo.date = date
        return photo
    }

    @Test("The byline omits missing parts and their separator")
    func byline() {
        let formatter = PhotoFormatter()
        let day = "1969-07-20T00:00:00Z"
        for (photo, byline) in [
            (photo(photographer: "Ada", creator: "B", center: "C", date: day), "Ada · 20 July 1969"),
            (photo(creator: "NASA/JPL", center: "JPL", date: day), "NASA/JPL · 20 July 1969"),
            (photo(center: "JPL", date: day), "JPL · 20 July 1969"), (photo(date: day), "20 July 1969"),
            (photo(photographer: "Ada"), "Ada"),
            (photo(photographer: " ", creator: "", center: "HQ", date: " "), "HQ"), (photo(), ""),
        ] { #expect(formatter.byline(of: photo) == byline) }
    }

    @Test("A NASA centre has its name and its short name, beside a maker who does not name it")
    func centers() {
        let formatter = PhotoFormatter()
        var photo = photo(photographer: "Bill Ingalls", center: "GSFC")
        #expect(formatter.center(of: photo) == "GSFC" && formatter.center(besideMakerOf: photo) == "GSFC")
        photo = Photo(id: "A", source: "nasa")
        for (center, text) in [
            ("GSFC", "NASA Goddard (GSFC)"), ("LaRC", "NASA Langley (LaRC)"), ("JPL", "NASA JPL"), ("HQ", "NASA HQ"),
            ("ESA", "ESA"),
        ] {
            photo.center = center
            #expect(formatter.center(of: photo) == text && formatter.maker(of: photo) == text)
            #expect(formatter.center(besideMakerOf: photo) == nil)
        }
        photo.center = "GSFC"
        photo.photographer = "Ada"
        #expect(formatter.center(besideMakerOf: photo) == "NASA Goddard (GSFC)")
        photo.photographer = "NASA/GSFC/Ada"
        #expect(formatter.center(besideMakerOf: photo) == nil)
    }

    @Test(
        "A date is the source's calendar day, month or year in the chosen language",
        arguments: [
            (Language.english, ["20 July 1969", "1 March 2024", "July 1969", "1969"]),
            (.german, ["20. Juli 1969", "1. März 2024", "Juli 1969", "1969"]),
            (.french, ["20 juillet 1969", "1er mars 2024", "juillet 1969", "1969"]),
            (.spanish, ["20 de julio de 1969", "1 de marzo de 2024", "julio de 1969", "1969"]),
            (.japanese, ["1969年7月20日", "2024年3月1日", "1969年7月", "1969年"]),
            (.arabic, ["20 يوليو 1969", "1 مارس 2024", "يوليو 1969", "1969"]),
        ])
    func languages(language: Language, expected: [String]) {
        let dates = ["1969-07-20T20:17:40Z", "2024-03-01", "1969-07", "1969"]
        #expect(dates.map(PhotoFormatter(language: language).date) == expected)
    }

    @Test(
        "Months and years may be alone; text other than ISO dates is unchanged",
        arguments: [
            ("1969-07", "July 1969"), ("1969", "1969"), ("0079-08-24", "24 August 79"),
            ("2024-02-29", "29 February 2024"),
            ("2023-02-29", "2023-02-29"), ("1900-02-29", "1900-02-29"), ("2000-02-29T1", "29 February 2000"),
            ("2015-13-01", "2015-13-01"), ("2015-00-01", "2015-00-01"), ("2015-04-31", "2015-04-31"),
            ("0000-01-01", "0000-01-01"),
            ("2015-7-4", "2015-7-4"), ("1969-07-20-1", "1969-07-20-1"), ("around 1973", "around 1973"),
            ("1969 or 1970", "1969 or 1970"),
            (" 20 July\n1969 ", "20 July 1969"), ("19690720", "19690720"), ("١٩٦٩-٠٧-٢٠", "١٩٦٩-٠٧-٢٠"),
            ("+999-01-01", "+999-01-01"),
            ("-001-01-01", "-001-01-01"), ("2015-07-14Tgarbage", "14 July 2015"), ("T", "T"),
            // A time zone never changes the day.
            ("2015-07-14T23:59:59Z", "14 July 2015"), ("2015-07-14T00:00:00Z", "14 July 2015"),
            ("2015-07-14T23:30:00-11:00", "14 July 2015"), ("2015-07-14 00:10:00+14:00", "14 July 2015"),
            ("1969-", "1969-"), (String(repeating: "9", count: 50), String(repeating: "9", count: 39) + "…"),
        ])
    func dates(text: String, expected: String) { #expect(PhotoFormatter().date(text) == expected) }

    @Test("Empty text is not a date", arguments: ["", " ", "\n\u{1b}"])
    func noDate(text: String) { #expect(PhotoFormatter().date(text) == nil) }

    @Test(
        "Digits are grouped by three",
        arguments: [
            (0, "0"), (999, "999"), (1_000, "1,000"), (34_684, "34,684"), (1_234_567, "1,234,567"), (-1_234, "-1,234"),
            (Int.min, "-9,223,372,036,854,775,808"), (Int.max, "9,223,372,036,854,775,807"),
        ])
    func numbers(number: Int, expected: String) { #expect(PhotoFormatter().number(number) == expected) }

    @Test(
        "Numbers and counts follow the language",
        arguments: [
            (Language.english, "9,684", "50 of 34,684", "50 of about 34,684"),
            (.german, "9.684", "50 von 34.684", "50 von etwa 34.684"),
            (.french, "9\u{202F}684", "50 sur 34\u{202F}684", "50 sur environ 34\u{202F}684"),
            (.spanish, "9684", "50 de 34.684", "50 de unas 34.684"),
            (.japanese, "9,684", "50 / 34,684件", "50 / 約34,684件"),
            (.arabic, "9,684", "50 من 34,684", "50 من نحو 34,684"),
        ])
    func counts(language: Language, number: String, exact: String, estimate: String) {
        let formatter = PhotoFormatter(language: language)
        #expect(formatter.number(9_684) == number)
        let counts = [.exact(34_684), .estimate(34_684), nil].map { formatter.count(50, of: $0) }
        #expect(counts == [exact, estimate, "50"])
    }

    @Test(
        "A photo without an image has a word in its place",
        arguments: [
            (Language.english, ["no image", "video", "audio", "folder"]),
            (.german, ["kein Bild", "Video", "Audio", "Ordner"]),
            (.french, ["pas d’image", "vidéo", "audio", "dossier"]),
            (.spanish, ["sin imagen", "vídeo", "audio", "carpeta"]),
            (.japanese, ["画像なし", "動画", "音声", "フォルダー"]), (.arabic, ["لا توجد صورة", "فيديو", "صوت", "مجلد"]),
        ])
    func placeholders(language: Language, expected: [String]) {
        let words = MediaType.allCases.map { kind in
            var photo = photo()
            photo.mediaType = kind
            return PhotoFormatter(language: language).placeholder(for: photo)
        }
        #expect(words == expected)
    }

    @Test("Every language has twelve months, and no control or bidirectional character", arguments: Language.allCases)
    func cleanWords(language: Language) {
        let words = language.words
        #expect(Set(words.months).count == 12)
        let samples = [
            words.ownName, words.day(1, "", 1), words.count("1", "2"), words.estimate("1", "2"), words.video,
            words.audio,
            words.noImage, words.imageFailed, words.outOfDate,
        ]
        for scalar in (words.months.map(String.init) + samples).flatMap(\.unicodeScalars) {
            let category = scalar.properties.generalCategory
            #expect(category != .control && category != .format)
        }
    }
}

@Suite("Language", .timeLimit(.minutes(10)))
struct LanguageTests {
    @Test(
        "A code names a language, with or without a country",
        arguments: [
            ("en", Language.english), ("DE", .german), ("de-AT", .german), ("de_AT.UTF-8", .german),
            ("fr@euro", .french),
            ("es.UTF-8", .spanish), ("ja", .japanese), ("ja_JP.UTF-8", .japanese), ("ar-AE", .arabic),
            ("AR_EG.UTF-8", .arabic),
            ("it", nil), ("", nil), ("english", nil), ("den", nil), ("de/..", nil), ("é", nil),
        ] as [(String, Language?)])
    func codes(code: String, expected: Language?) { #expect(Language(code) == expected) }

    @Test(
        "An unsupported locale is English",
        arguments: ["C", "POSIX", "", "C.UTF-8", "it_IT.UTF-8", "arc_SY", "\u{1b}"])
    func english(locale: String) { #expect(Language(locale: locale) == .english) }

    @Test("LC_ALL precedes LC_TIME and LANG; empty ones are ignored")
    func environment() {
        for (variables, language) in [
            (["LC_ALL": "fr_FR", "LC_TIME": "de_DE", "LANG": "es_ES"], .french),
            (["LC_ALL": "", "LC_TIME": "de_DE", "LANG": "es_ES"], .german), (["LANG": "es_ES.UTF-8"], .spanish),
            (["LC_ALL": "C", "LANG": "es_ES.UTF-8"], .english), ([:], .english),
            (["LC_TIME": "ja_JP.UTF-8", "LANG": "ar_MA.UTF-8"], .japanese),
        ] as [([String: String], Language)] { #expect(Language { variables[$0] } == language) }
    }

    @Test("Arabic alone runs from right to left; every language has its own name")
    func direction() {
        #expect(Language.allCases.filter(\.isRightToLeft) == [.arabic])
        #expect(Set(Language.allCases.map(\.ownName)).count == Language.allCases.count)
    }
}

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
        let acting = line.unicodeScalars.filter { scalar in
            scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
                || ["\u{2028}", "\u{2029}", "\u{FEFF}"].contains(scalar)
        }
        #expect(acting.isEmpty)
        #expect(try JSONValue(parsing: Array(line.utf8))["title"]?.text == text)
        #expect([#"\u001b"#, #"\u007f"#, #"\u009b"#, #"\u202e"#].allSatisfy(line.contains))
    }
}
