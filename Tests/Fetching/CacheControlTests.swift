import Testing

@testable import SpyglassFetching

@Suite("CacheControl")
struct CacheControlTests {
    private func read(_ values: String...) -> CacheControl {
        CacheControl(HTTPHeaders(pairs: values.map { ("Cache-Control", $0) }))
    }

    @Test(
        "max-age is a number, bare or quoted, repeated only if equal; else 0",
        arguments: [
            ("max-age=300", 300), ("public, max-age=300", 300), ("MAX-AGE=300", 300), ("max-age=\"300\"", 300),
            (" max-age = 300 ", 300), ("max-age=300,max-age=300", 300), ("max-age=300, max-age=600", 0),
            ("max-age=abc", 0), ("max-age", 0), ("max-age=", 0), ("max-age=-1", 0), ("max-age=1.5", 0),
            ("max-age=300 600", 0), ("max-age=+300", 0), ("max-age=٣", 0),
            ("max-age=99999999999999999999999", DeltaSeconds.largest), ("max-age=4294967296", DeltaSeconds.largest),
            ("x=\"a, max-age=1\", max-age=300", 300), ("x=\"a\\\", max-age=1\", max-age=300", 300),
            ("max-age=\"300", 300), (",,,max-age=7,,", 7), ("=5, max-age=7", 7),
        ] as [(String, Int64)])
    func maxAge(text: String, seconds: Int64) {
        #expect(read(text).maxAge == seconds)
    }

    @Test(
        "Without max-age there is none",
        arguments: ["", "public", "s-maxage=300", "s-max-age=300", "x-max-age=300", "max-ages=300", "\"max-age=300\""])
    func none(text: String) {
        #expect(read(text).maxAge == nil)
    }

    @Test("Directives have any case, several fields and optional arguments")
    func directives() {
        let control = read("No-Store, unknown=5", "no-cache=\"Set-Cookie, X\"", "Must-Revalidate , only-if-cached")
        #expect(control.noStore && control.noCache && control.mustRevalidate && control.onlyIfCached)
        #expect(read("public, private, proxy-revalidate, s-maxage=5") == read(""))
        #expect(read("x=\"no-store\"") == read(""))
        #expect(read("no-store junk").noStore)
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
    private func read(_ value: String) -> ContentRange? { ContentRange(HTTPHeaders(pairs: [("Content-Range", value)])) }

    @Test("A range has a first and a last byte and a total, which may be unknown")
    func good() {
        #expect(read("bytes 500-999/1000")?.count == 500)
        #expect(read("Bytes 0-0/1")?.total == 1)
        #expect(read("bytes 5-9/*").map { $0.total == nil } == true)
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
            ContentRange(HTTPHeaders(pairs: [("Content-Range", "bytes 0-1/2"), ("Content-Range", "bytes 0-1/2")]))
                == nil)
    }
}
