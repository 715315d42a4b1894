import SpyglassCaching
import Testing

@testable import SpyglassFetching

@Suite("HTTPDate")
struct HTTPDateTests {
    private let now = WallTime(seconds: 1_790_812_800)  // October 2026

    @Test(
        "The three forms of RFC 9110 give one time",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ])
    func forms(text: String) {
        #expect(HTTPDate.parse(text, now: now) == WallTime(seconds: 784_111_777))
    }

    @Test(
        "Days are counted correctly",
        arguments: [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Wed, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Thu, 01 Oct 2026 00:00:00 GMT", 1_790_812_800),
        ] as [(String, Int64)])
    func days(text: String, seconds: Int64) {
        #expect(HTTPDate.parse(text, now: now) == WallTime(seconds: seconds))
    }

    @Test("A two-digit year is at most fifty years ahead")
    func century() {
        #expect(
            HTTPDate.parse("Monday, 01-Jan-76 00:00:00 GMT", now: now)
                == HTTPDate.parse("Mon, 01 Jan 2076 00:00:00 GMT", now: now))
        #expect(
            HTTPDate.parse("Saturday, 01-Jan-77 00:00:00 GMT", now: now)
                == HTTPDate.parse("Sat, 01 Jan 1977 00:00:00 GMT", now: now))
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
        for text in ["Sunday, 06-Nov-94 08:49:37 GMT"] {
            _ = HTTPDate.parse(text, now: WallTime(milliseconds: .min))
            _ = HTTPDate.parse(text, now: WallTime(milliseconds: .max))
        }
    }
}
