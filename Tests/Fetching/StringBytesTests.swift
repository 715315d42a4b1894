import Testing

@testable import SpyglassFetching

@Suite("String: bytes", .timeLimit(.minutes(10)))
struct StringBytesTests {
    @Test(
        "The first occurrence of a text is found",
        arguments: [
            ("abcabc", "bc", 1), ("aab", "ab", 1), ("abc", "abc", 0), ("abc", "abcd", nil), ("", "a", nil),
            ("caf\u{e9} x", "x", 6), ("aaa", "b", nil),
        ])
    func place(text: String, wanted: String, offset: Int?) {
        let place = text.byteRange(of: wanted)
        #expect(place.map { text.utf8.distance(from: text.startIndex, to: $0.lowerBound) } == offset)
        #expect(place.map { String(text[$0]) } == (offset == nil ? nil : wanted))
        #expect(text.containsBytes(of: wanted) == (offset != nil))
        #expect(text.containsBytes(of: ""))
    }

    @Test("A list is cut at its limit")
    func firstFew() {
        #expect(["a", "b"].firstFew(2) == "a, b")
        #expect(["a", "b", "c"].firstFew(2) == "a, b and others")
        #expect([String]().firstFew(2) == "")
    }

    @Test("A text ends at the first NUL, and has no control characters")
    func repairs() {
        #expect(String(nulTerminated: [65, 0, 66]) == "A")
        #expect(String(nulTerminated: [65]) == "A")
        #expect("a\r\n\u{7f}b".withoutControls == "a   b")
    }
}
