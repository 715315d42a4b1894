import Testing

@testable import SpyglassFetching

@Suite("HTTPHeaders", .timeLimit(.minutes(10)))
struct HTTPHeadersTests {
    private func received(_ lines: [String]) -> HTTPHeaders {
        var parser = HeaderParser()
        for line in ["HTTP/1.1 200 OK\r\n"] + lines + ["\r\n"] {
            _ = Array(line.utf8).withUnsafeBufferPointer { parser.read(line: $0) }
        }
        return parser.headers
    }

    @Test("Fields that were received equal the same fields that were made")
    func equality() {
        let lines = received(["A: 1\r\n", "a:\t2 \r\n", "Content-Length: 3\r\n"])
        var made = HTTPHeaders([
            HTTPHeaders.Field(name: "A", value: "1"), HTTPHeaders.Field(name: "a", value: "2"),
            HTTPHeaders.Field(name: "Content-Length", value: "3"),
        ])
        #expect(lines == made && lines.hashValue == made.hashValue)
        #expect(lines["a"] == "2" && lines.values(of: "A") == ["1", "2"] && lines.contentLength == 3)
        made.append("a", "3")
        #expect(lines != made)
    }

    @Test("Fields appended to those that were received come last")
    func appended() {
        var headers = received(["A: 1\r\n", "B: x:y\r\n"])
        headers.append("a", "2")
        #expect(headers.fields.map(\.name) == ["A", "B", "a"])
        #expect(headers["A"] == "2" && headers["b"] == "x:y")
        #expect(received([]).fields.isEmpty && received([])["a"] == nil)
    }

    @Test("Folded lines keep their values apart by one space")
    func folded() {
        let headers = received(["A:\r\n", "  1  \r\n", "\t\r\n", " 2\r\n", "B: 3 \r\n", "\t4\r\n"])
        #expect(headers.fields == [.init(name: "A", value: "1 2"), .init(name: "B", value: "3 4")])
    }
}
