import SpyglassJSON
import Testing

@Suite("JSONText", .timeLimit(.minutes(10)))
struct JSONTextTests {
    @Test("Members keep their order, and nil is null")
    func order() {
        let object = JSONText.object([
            ("z", JSONText.string("last?")), ("a", JSONText.number(nil)), ("n", JSONText.number(-3)),
            ("l", JSONText.array([JSONText.string(nil)])),
        ])
        #expect(object == #"{"z":"last?","a":null,"n":-3,"l":[null]}"#)
    }

    @Test("Names are escaped like values")
    func names() {
        #expect(JSONText.object([("a\"b\u{9b}", "1")]) == #"{"a\"b\u009b":1}"#)
    }

    @Test("Text is read back unchanged, and cannot control a terminal")
    func roundTrip() throws {
        let text = String(String.UnicodeScalarView((0...0x2FFF).compactMap(Unicode.Scalar.init))) + "🛰️\u{10FFFF}"
        let written = JSONText.string(text)
        #expect(try JSONValue(parsing: Array(written.utf8)) == .string(text))
        #expect(!written.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
        #expect(!written.unicodeScalars.contains { (0x202A...0x202E).contains($0.value) })
    }

    @Test("A value that was read is written with its order and its numbers")
    func values() throws {
        let text = #"{"z":[1e2,-0.50,null,true,false,"\u009b"],"a":{},"a":[]}"#
        #expect(JSONText.text(of: try JSONValue(parsing: Array(text.utf8))) == text)
    }
}
