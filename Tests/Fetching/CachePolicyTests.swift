import SpyglassCaching
import Testing

@testable import SpyglassFetching

@Suite("CachePolicy")
struct CachePolicyTests {
    private static let date = "Thu, 01 Oct 2026 00:00:00 GMT"

    /// One response and its remaining freshness in seconds on arrival.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let headers: [(String, String)]
        var delay: Int64 = 0
        let left: Int64

        init(_ name: String, _ headers: [(String, String)], delay: Int64 = 0, left: Int64) {
            testDescription = name
            self.headers = headers
            self.delay = delay
            self.left = left
        }
    }

    static let cases = [
        Case("max-age", [("Cache-Control", "max-age=300")], left: 300),
        Case(
            "NASA's pictures", [("Cache-Control", "public, max-age=300"), ("Date", date), ("ETag", "\"a\"")],
            left: 300),
        Case("max-age goes before Expires", [("Cache-Control", "max-age=300"), ("Expires", "0")], left: 300),
        Case("s-maxage is not for private caches", [("Cache-Control", "s-maxage=900")], left: 0),
        Case("Expires less Date", [("Date", date), ("Expires", "Thu, 01 Oct 2026 01:00:00 GMT")], left: 3600),
        Case("Expires without Date", [("Expires", "Thu, 01 Oct 2026 00:10:00 GMT")], left: 600),
        Case("Expires before Date", [("Date", date), ("Expires", "Wed, 30 Sep 2026 23:00:00 GMT")], left: -3600),
        Case("Expires: 0", [("Expires", "0"), ("Last-Modified", "Thu, 01 Oct 2020 00:00:00 GMT")], left: 0),
        Case("Expires twice", [("Expires", "Fri, 02 Oct 2026 00:00:00 GMT"), ("Expires", "0")], left: 0),
        Case(
            "An invalid max-age",
            [("Cache-Control", "max-age=soon"), ("Expires", "Fri, 02 Oct 2026 00:00:00 GMT")], left: 0),
        Case(
            "A tenth since Last-Modified", [("Date", date), ("Last-Modified", "Wed, 30 Sep 2026 23:43:20 GMT")],
            left: 100),
        Case("A day at most", [("Date", date), ("Last-Modified", "Sun, 01 Oct 2000 00:00:00 GMT")], left: 86_400),
        Case(
            "Last-Modified in the future", [("Date", date), ("Last-Modified", "Fri, 02 Oct 2026 00:00:00 GMT")], left: 0
        ),
        Case("Nothing said", [], left: 0),
        Case("Age counts", [("Cache-Control", "max-age=300"), ("Age", "100")], left: 200),
        Case("An invalid Age does not", [("Cache-Control", "max-age=300"), ("Age", "-100")], left: 300),
        Case("The first Age counts", [("Cache-Control", "max-age=300"), ("Age", "100"), ("Age", "7")], left: 200),
        Case("The way counts on top of Age", [("Cache-Control", "max-age=300"), ("Age", "100")], delay: 20, left: 180),
        Case(
            "Apparent age, when that is more",
            [("Cache-Control", "max-age=300"), ("Date", "Wed, 30 Sep 2026 23:58:20 GMT"), ("Age", "60")], delay: 10,
            left: 200),
        Case(
            "A Date in the future adds nothing",
            [("Cache-Control", "max-age=300"), ("Date", "Thu, 01 Oct 2026 05:00:00 GMT")], left: 300),
        Case(
            "An endless Age", [("Cache-Control", "max-age=300"), ("Age", "99999999999999999999")],
            left: 300 - DeltaSeconds.largest),
    ]

    private func terms(
        _ headers: [(String, String)], redirects: [FetchResponse.Redirect] = [], status: Int = 200, delay: Int64 = 0
    ) -> CachePolicy {
        CachePolicy(
            status: status, headers: HeaderFields(pairs: headers), redirects: redirects,
            requestedAt: WallTime.start.advanced(by: .seconds(-delay)), receivedAt: .start)
    }

    @Test("Freshness follows RFC 9111 sections 4.2.1 to 4.2.3", arguments: cases)
    func freshness(example: Case) {
        let terms = terms(example.headers, delay: example.delay)
        #expect(
            terms.freshUntil == WallTime.start.advanced(by: .seconds(example.left))
                && terms.isFresh(at: .start) == (example.left > 0) && !terms.isFresh(at: terms.freshUntil))
        #expect(terms.isStorable)
    }

    @Test(
        "Along a chain of caches, each adds the delay of its own hop",
        arguments: [(3, 5, 0, 2), (2, 6, 2, 6), (1, 7, 6, 12), (0, 8, 12, 20)] as [(Int64, Int64, Int64, Int64)])
    func chain(asked: Int64, came: Int64, ageValue: Int64, age: Int64) {
        // The response was created in the fourth second (RFC 9111 section 4.2.3).
        let headers = HeaderFields(pairs: [
            ("Cache-Control", "max-age=100"), ("Age", "\(ageValue)"), ("Date", "Thu, 01 Oct 2026 00:00:04 GMT"),
        ])
        let receivedAt = WallTime.start.advanced(by: .seconds(came))
        let terms = CachePolicy(
            status: 200, headers: headers, redirects: [], requestedAt: WallTime.start.advanced(by: .seconds(asked)),
            receivedAt: receivedAt)
        #expect(terms.freshUntil == receivedAt.advanced(by: .seconds(100 - age)))
    }

    @Test("Directives against storage, unvalidated use and stale use")
    func permissions() {
        #expect(
            !terms([("Cache-Control", "no-store, max-age=300")]).isStorable
                && !terms([("Cache-Control", "max-age=300")], status: 404).isStorable)
        let noCache = terms([("Cache-Control", "no-cache, max-age=300")])
        #expect(
            noCache.isStorable && !noCache.isFresh(at: .start) && !noCache.allowsStale
                && noCache.lifetime?.freshUntil == .start)
        let strict = terms([("Cache-Control", "must-revalidate, max-age=300")])
        #expect(strict.isFresh(at: .start) && !strict.allowsStale)
        let star = terms([("Cache-Control", "max-age=300"), ("Vary", "accept, *")])
        #expect(!star.isFresh(at: .start))
        #expect(
            terms([("Cache-Control", "private, proxy-revalidate, max-age=300")]).allowsStale
                && terms([("Cache-Control", "no-store")]).lifetime == nil)
    }

    @Test("A response from the future is stale")
    func clockTurnedBack() {
        let terms = terms([("Cache-Control", "max-age=300")])
        #expect(
            !terms.isFresh(at: WallTime.start.advanced(by: .milliseconds(-1)))
                && !terms.isFresh(at: WallTime(milliseconds: .min)) && !terms.isFresh(at: WallTime(milliseconds: .max)))
    }

    @Test(
        "A response is stale once one of its redirects is",
        arguments: [
            (301, [], 300), (308, [], 300), (302, [], 0), (307, [], 0), (302, [("Cache-Control", "max-age=60")], 60),
            (301, [("Cache-Control", "max-age=60")], 60), (301, [("Cache-Control", "max-age=900")], 300),
            (301, [("Expires", "0")], 0),
        ] as [(Int, [(String, String)], Int64)])
    func redirects(status: Int, headers: [(String, String)], left: Int64) {
        let hop = FetchResponse.Redirect(address: .mars, status: status, headers: HeaderFields(pairs: headers))
        let terms = terms([("Cache-Control", "max-age=300")], redirects: [hop])
        #expect(terms.freshUntil == WallTime.start.advanced(by: .seconds(left)))
    }

    @Test("A redirect with no-store prevents storage")
    func redirectNoStore() {
        let headers = HeaderFields(pairs: [("Cache-Control", "no-store")])
        let hop = FetchResponse.Redirect(address: .mars, status: 301, headers: headers)
        #expect(!terms([("Cache-Control", "max-age=300")], redirects: [hop]).isStorable)
    }
}

@Suite("CacheControl")
struct CacheControlTests {
    private func read(_ values: String...) -> CacheControl {
        CacheControl(HeaderFields(pairs: values.map { ("Cache-Control", $0) }))
    }

    @Test(
        "max-age is a number, bare or quoted, repeated only if equal, else 0; without one there is none",
        arguments: [
            ("max-age=300", 300), ("public, max-age=300", 300), ("MAX-AGE=300", 300), ("max-age=\"300\"", 300),
            (" max-age = 300 ", 300), ("max-age=300,max-age=300", 300), ("max-age=300, max-age=600", 0),
            ("max-age=abc", 0), ("max-age", 0), ("max-age=", 0), ("max-age=-1", 0), ("max-age=1.5", 0),
            ("max-age=300 600", 0), ("max-age=+300", 0), ("max-age=٣", 0),
            ("max-age=99999999999999999999999", DeltaSeconds.largest), ("max-age=4294967296", DeltaSeconds.largest),
            ("x=\"a, max-age=1\", max-age=300", 300), ("x=\"a, max-age=9\"", nil), ("max-age=\"300", 0),
            (",,,max-age=7,,", 7), ("=5, max-age=7", 7), ("", nil), ("public", nil), ("s-maxage=300", nil),
            ("s-max-age=300", nil), ("x-max-age=300", nil), ("max-ages=300", nil), ("\"max-age=300\"", nil),
        ] as [(String, Int64?)])
    func maxAge(text: String, seconds: Int64?) {
        #expect(read(text).maxAge == seconds)
    }

    @Test("Directives have any case, several fields and optional arguments")
    func directives() {
        let control = read("No-Store, unknown=5", "no-cache=\"Set-Cookie, X\"", "Must-Revalidate , only-if-cached")
        #expect(control.noStore && control.noCache && control.mustRevalidate && control.onlyIfCached)
        #expect(read("public, private, proxy-revalidate, s-maxage=5") == read(""))
        for text in [#"x="a\", b", no-store"#, #"x="a, no-store"#, "max-age=100;no-store", "max-age=100 No-Store"] {
            #expect(read(text).noStore)
        }
        #expect(
            read(#"max-age=9, x="a\"b", no-cache"#).noCache && read("x=\"a", "no-cache").noCache
                && read("no-store junk").noStore)
    }

    @Test("Parsing any text ends without a trap")
    func random() {
        let letters = Array("max-age=no-store,\"\\ \t=9".unicodeScalars)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<30)
            _ = read(String(String.UnicodeScalarView((0..<count).compactMap { _ in letters.randomElement() })))
        }
    }
}

@Suite("ContentRange")
struct ContentRangeTests {
    private func read(_ value: String) -> ContentRange? {
        ContentRange(HeaderFields(pairs: [("Content-Range", value)]))
    }

    @Test("A range has a first and a last byte and a total, which may be unknown")
    func good() {
        let ranges = ["bytes 500-999/1000", "Bytes 0-0/1", "bytes 5-9/*"].map(read)
        #expect(ranges.map { $0?.count } == [500, 1, 5] && ranges.map { $0?.total } == [1000, 1, nil])
    }

    @Test(
        "Invalid ranges are nil",
        arguments: [
            "", "bytes", "bytes */1000", "bytes 5-4/10", "bytes 5-10/10", "bytes -5/10", "bytes 5-/10", "lines 0-1/2",
            "bytes 0-1/2/3", "bytes 0-9223372036854775807/*", "bytes 0-99999999999999999999/*", "bytes 0-1/x",
            "bytes +0-1/2", "bytes 0-1", "bytes 0 - 1/2",
        ])
    func bad(text: String) {
        #expect(read(text) == nil)
    }

    @Test("Two fields are invalid")
    func two() {
        #expect(
            ContentRange(HeaderFields(pairs: [("Content-Range", "bytes 0-1/2"), ("Content-Range", "bytes 0-1/2")]))
                == nil)
    }
}

@Suite("HTTPDate")
struct HTTPDateTests {
    private let now = WallTime(seconds: 1_790_812_800)  // October 2026

    @Test(
        "The three forms of RFC 9110 are read, and days are counted correctly",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Wed, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Thu, 01 Oct 2026 00:00:00 GMT", 1_790_812_800),
            // A two-digit year is at most fifty years ahead.
            ("Monday, 01-Jan-76 00:00:00 GMT", 3_345_062_400), ("Saturday, 01-Jan-77 00:00:00 GMT", 220_924_800),
        ] as [(String, Int64)])
    func dates(text: String, seconds: Int64) {
        #expect(HTTPDate.parse(text, now: now) == WallTime(seconds: seconds))
    }

    @Test(
        "Invalid dates are nil",
        arguments: [
            "", "0", "-1", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov +994 08:49:37 GMT",
            "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Sun, 06 Nov ١٩٩٤ 08:49:37 GMT",
            "Thu, 01 Oct 2026 00:00:00 GMT, Thu, 01 Oct 2026 00:00:00 GMT",
        ])
    func bad(text: String) {
        #expect(HTTPDate.parse(text, now: now) == nil)
    }

    @Test("No text and no clock causes a trap")
    func random() {
        var generator = SystemRandomNumberGenerator()
        let letters = Array("Sun, 06-Nov 1994:0849:37 GMTé\u{0}9".unicodeScalars)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<40, using: &generator)
            let text = String(String.UnicodeScalarView((0..<count).compactMap { _ in letters.randomElement() }))
            _ = HTTPDate.parse(text, now: WallTime(milliseconds: .random(in: .min ... .max, using: &generator)))
        }
        for milliseconds in [Int64.min, .max] {
            _ = HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: WallTime(milliseconds: milliseconds))
        }
    }
}
