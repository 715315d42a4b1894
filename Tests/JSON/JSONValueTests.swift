import Testing

@testable import SpyglassJSON

@Suite("JSONValue", .timeLimit(.minutes(10)))
struct JSONValueTests {
    private func parse(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

    @Test("Every kind of value is parsed")
    func kinds() throws {
        let value = try parse(#" {"a":[1,-2.5e3,true,false,null,"x"],"b":{},"c":[]} "#)
        let array: JSONValue = .array([.number("1"), .number("-2.5e3"), .bool(true), .bool(false), .null, .string("x")])
        #expect(["a", "b", "c", "d"].map { value[$0] } == [array, .object([]), .array([]), nil])
        #expect([5, 6].map { value["a"]?[$0] } == [.string("x"), nil])
    }

    @Test(
        "Escapes and surrogate pairs become characters; a lone surrogate costs one",
        arguments: [
            (#""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE80x""#, "\"\\/\u{8}\u{c}\n\r\té🚀x"),
            (#""a\ud83d""#, "a\u{FFFD}"), (#""a\udc00""#, "a\u{FFFD}"),
            (#""\ud83d\n\ud83d\u0041""#, "\u{FFFD}\n\u{FFFD}A"),
        ])
    func escapes(text: String, expected: String) throws { #expect(try parse(text).text == expected) }

    @Test("Invalid UTF-8 costs one character")
    func invalidUTF8() throws {
        #expect(try JSONValue(parsing: [0x22, 0x61, 0xFF, 0xC3, 0x62, 0x22]).text == "a\u{FFFD}\u{FFFD}b")
    }

    @Test("Strings and names that are canonically equal are two")
    func canonicallyEqual() throws {
        #expect(try parse(#"["\u00e9"]"#) != parse(#"["e\u0301"]"#))
        #expect(try parse(#"{"\u00e9":1}"#) != parse(#"{"e\u0301":1}"#))
        #expect(try parse(#"{"\u00e9":[1]}"#) == parse(#"{"\u00e9":[1]}"#))
    }

    @Test("A byte order mark is skipped")
    func byteOrderMark() throws { #expect(try JSONValue(parsing: [0xEF, 0xBB, 0xBF, 0x31]) == .number("1")) }

    @Test("The last value of a repeated name counts")
    func duplicates() throws { #expect(try parse(#"{"a":1,"a":2}"#)["a"]?.integer == 2) }

    @Test(
        "Integers are parsed from numbers and strings, unless they are too large",
        arguments: [
            ("640", 640), ("640.9", 640), ("\"12\"", 12), ("-3", -3), ("1e999", nil), ("-1e999", nil),
            ("9223372036854775808", nil), ("1e19", nil), (String(repeating: "9", count: 100_000), nil),
            ("-9e18888888888888", nil),
        ])
    func integers(text: String, expected: Int?) throws { #expect(try parse(text).integer == expected) }

    @Test(
        "Invalid JSON is an error with its position",
        arguments: [
            ("", 0), ("  ", 2), ("{", 1), ("[1,]", 3), ("[1 2]", 3), (#"{"a" 1}"#, 5), (#"{a:1}"#, 1), ("tru", 0),
            ("1 2", 2),
            ("-", 1), ("1.", 2), ("1e+", 3), (#""abc"#, 4), (#""\x""#, 3), (#""\u12g4""#, 3), (#""\u12"#, 3),
            ("<html>", 0),
            (#"{"a":1"#, 6), ("nul", 0), (#""\"#, 2), ("+1", 0), (".5", 0), ("01", 1), ("-00", 2),
        ])
    func broken(text: String, offset: Int) throws {
        #expect(try #require(throws: JSONError.self) { try parse(text) }.offset == offset)
    }

    @Test("The depth is limited")
    func depth() throws {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        #expect(throws: Never.self) { try parse(nested(JSONValue.depthLimit)) }
        #expect(throws: JSONError.self) { try parse(nested(JSONValue.depthLimit + 1)) }
        #expect(throws: JSONError.self) { try parse(String(repeating: #"{"a":["#, count: 500_000)) }
    }

    @Test("The number of values is limited")
    func values() throws {
        let text = "[" + String(repeating: "0,", count: JSONValue.valueLimit - 2) + "0]"
        #expect(try parse(text).elements.count == JSONValue.valueLimit - 1)
        #expect(throws: JSONError.self) { try parse("[0," + text.dropFirst()) }
    }

    @Test(
        "Strings, numbers and lists convert to text",
        arguments: [("7", "7"), (#"[null,{},"a","b"]"#, "a"), ("true", nil), ("{}", nil)])
    func text(json: String, text: String?) throws { #expect(try parse(json).text == text) }

    @Test("Members are replaced where they are, appended and removed")
    func setting() throws {
        let value = try parse(#"{"a":1,"b":2,"a":3,"c":4}"#)
        let changed = try parse(#"{"a":1,"b":2,"a":null,"c":4,"d":true}"#)
        #expect(value.setting([("a", .null), ("d", .bool(true))]) == changed)
        #expect(try value.setting([("a", nil), ("x", nil)]) == parse(#"{"b":2,"c":4}"#))
        #expect(try JSONValue.null.setting([("a", .null)]) == parse(#"{"a":null}"#))
    }
}

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
        let acting: [ClosedRange<UInt32>] = [0...0x1F, 0x7F...0x9F, 0x202A...0x202E]
        #expect(!written.unicodeScalars.contains { scalar in acting.contains { $0.contains(scalar.value) } })
    }

    @Test("A value that was read is written with its order and its numbers")
    func values() throws {
        let text = #"{"z":[1e2,-0.50,null,true,false,"\u009b"],"a":{},"a":[]}"#
        #expect(JSONText.text(of: try JSONValue(parsing: Array(text.utf8))) == text)
    }
}
