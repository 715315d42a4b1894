/// The order of names as people sort them: `Photo 2` before `photo 10`.
///
/// Runs of digits compare as numbers, ASCII letters without case. Names that are then equal compare by their bytes, so the order
/// is total. Names need not be UTF-8.
package enum NaturalOrder {
    package static func precedes(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        var at = 0
        var otherAt = 0
        while at < one.count, otherAt < other.count {
            let byte = one[at]
            let otherByte = other[otherAt]
            if byte.isDigit, otherByte.isDigit {
                let (first, otherFirst) = (number(in: one, &at), number(in: other, &otherAt))
                if at - first != otherAt - otherFirst { return at - first < otherAt - otherFirst }
                for index in 0..<at - first where one[first + index] != other[otherFirst + index] {
                    return one[first + index] < other[otherFirst + index]
                }
            } else {
                if byte.folded != otherByte.folded { return byte.folded < otherByte.folded }
                at += 1
                otherAt += 1
            }
        }
        let rest = one.count - at
        let otherRest = other.count - otherAt
        if (rest == 0) != (otherRest == 0) { return rest == 0 }
        return one.lexicographicallyPrecedes(other)
    }

    package static func precedes(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.withUnsafeBytes { one in other.withUnsafeBytes { precedes(one, $0) } }
    }

    /// Where the digits from `start` begin, without leading zeros; moves `start` past them.
    private static func number(in name: UnsafeRawBufferPointer, _ start: inout Int) -> Int {
        while start < name.count, name[start] == UInt8(ascii: "0") { start += 1 }
        let first = start
        while start < name.count, name[start].isDigit { start += 1 }
        return first
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
    fileprivate var folded: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
