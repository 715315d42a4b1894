import Testing

@testable import SpyglassFetching

@Suite("HeaderParser", .timeLimit(.minutes(10)))
struct HeaderParserTests {
    private func parse(_ lines: [String]) -> (HeaderParser, fits: Bool) {
        var parser = HeaderParser()
        var fits = true
        for line in lines {
            fits = Array(line.utf8).withUnsafeBufferPointer { parser.read(line: $0) } && fits
        }
        return (parser, fits)
    }

    @Test("Fields are in order, without surrounding white space")
    func fields() {
        let parser = parse(["HTTP/1.1 200 OK\r\n", "A: 1\r\n", "b:\t two \r\n", "a:3\r\n", "Empty:\r\n", "\r\n"]).0
        #expect(parser.status == 200)
        #expect(parser.isFinal)
        #expect(parser.headers.fields.map(\.name) == ["A", "b", "a", "Empty"])
        #expect(parser.headers.fields.map(\.value) == ["1", "two", "3", ""])
        #expect(parser.headers["A"] == "3")
        #expect(parser.headers.values(of: "A") == ["1", "3"])
    }

    @Test("Interim responses and trailers are dropped")
    func blocks() {
        let parser = parse([
            "HTTP/1.1 103 Early Hints\r\n", "Link: x\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", "A: 1\r\n", "\r\n",
            "Late: 1\r\n",
        ]).0
        #expect(parser.status == 200)
        #expect(parser.headers.fields.map(\.name) == ["A"])
    }

    @Test("Codings are counted over all responses, since libcurl removes all of them")
    func codings() {
        let parser = parse([
            "HTTP/1.1 103 Early Hints\r\n", "content-encoding: gzip\r\n", "\r\n", "HTTP/1.1 200 OK\r\n",
            "Content-Encoding: identity,,gzip , br\r\n", "Transfer-Encoding: gzip, Chunked\r\n", "\r\n",
        ]).0
        #expect(parser.codingCount == 4)
        #expect(parse(["HTTP/1.1 200 OK\r\n", "Transfer-Encoding: chunked\r\n", "\r\n"]).0.codingCount == 0)
    }

    @Test("An interim response is not final")
    func interim() { #expect(!parse(["HTTP/1.1 100 Continue\r\n", "\r\n"]).0.isFinal) }

    @Test("Folded lines belong to the field before them")
    func folded() {
        #expect(
            parse(["HTTP/1.1 200\r\n", " lost\r\n", "A: 1\r\n", "\t 2\r\n", " \r\n", "\r\n"]).0.headers["a"] == "1 2")
    }

    @Test(
        "A status line without a valid status has none",
        arguments: [
            "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1 -20", "HTTP/1.1 099", "HTTP/1.1 999 ",
            "HTTP/1.1 2x0",
        ])
    func noStatus(line: String) { #expect(parse(["\(line)\r\n", "\r\n"]).0.status == nil) }

    @Test("Invalid lines are dropped, and control characters become spaces")
    func hostile() {
        let parser = parse([
            "HTTP/2 200\r\n", "no colon\r\n", ": no name\r\n", "a b: 1\r\n", "X: a\u{0}b\u{1b}[2Jc\r\n", "\r\n",
        ]).0
        #expect(parser.headers.fields.map(\.name) == ["X"])
        #expect(parser.headers["X"] == "a b [2Jc")
    }

    @Test("The lines together have a limit")
    func limit() {
        let status = "HTTP/1.1 200 OK\r\n"
        let room = HeaderParser.byteLimit - status.utf8.count
        let field = "A: " + String(repeating: "x", count: room - 7) + "\r\n"
        #expect(parse([status, field, "\r\n"]).fits)
        #expect(!parse([status, field, "x\r\n"]).fits)
        #expect(!parse(Array(repeating: "HTTP/1.1 100 x\r\n\r\n", count: 4000) + [status]).fits)
    }

    @Test(
        "A length is one number",
        arguments: zip(
            [["12"], ["12", "12"], ["12", "13"], ["-1"], ["+1"], [""], ["1 2"], ["99999999999999999999"], []],
            [12, 12, nil, nil, nil, nil, nil, nil, nil] as [Int?]))
    func contentLength(values: [String], length: Int?) {
        #expect(HTTPHeaders(values.map { .init(name: "content-length", value: $0) }).contentLength == length)
    }
}
