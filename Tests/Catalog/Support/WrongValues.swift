@testable import SpyglassJSON

extension JSONValue {
    /// Values of every type, and text that is long, empty, markup or an odd address.
    static let wrongValues: [JSONValue] = [
        .null, .bool(true), .number("-1"), .number("9007199254740993123"), .number("1e999"), .string(""),
        .string(" \u{1B}[2J"),
        .string("//h"), .string("http://[::"), .string("<b>&#27;<i"), .string(String(repeating: "<a ", count: 40_000)),
        .array([]), .array([.null, .array([.object([])])]), .object([]),
    ]

    /// Copies of the value, in each of which one member or element is wrong or missing.
    var damagedCopies: [JSONValue] {
        switch self {
        case .array(let elements):
            elements.indices.flatMap { index in
                let others = (Self.wrongValues + elements[index].damagedCopies).map { wrong in
                    var copy = elements
                    copy[index] = wrong
                    return JSONValue.array(copy)
                }
                return others
            }
        case .object(let members):
            members.indices.flatMap { index in
                var rest = members
                let old = rest.remove(at: index)
                let others = (Self.wrongValues + old.value.damagedCopies).map { wrong in
                    var copy = members
                    copy[index] = JSONValue.Member(name: old.name, value: wrong)
                    return JSONValue.object(copy)
                }
                return others + [.object(rest)]
            }
        default: []
        }
    }
}
