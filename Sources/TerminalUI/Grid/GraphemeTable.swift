/// Characters of more than one scalar, each under one number, however often it is put.
struct GraphemeTable: Sendable {
    private(set) var texts: [String] = []
    private var numbers: [Name: UInt32] = [:]

    /// A text byte for byte: `String` takes an accent's two orders for one text, which terminals do not.
    private struct Name: Hashable {
        let text: String

        static func == (one: Name, other: Name) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }
        func hash(into hasher: inout Hasher) {
            for byte in text.utf8 { hasher.combine(byte) }
        }
    }

    var isEmpty: Bool { texts.isEmpty }
    var count: Int { texts.count }

    /// The number of a text, from 0; a new one for a text that is not there yet.
    mutating func number(of text: String) -> UInt32 {
        if let known = numbers[Name(text: text)] { return known }
        let number = UInt32(texts.count)
        texts.append(text)
        numbers[Name(text: text)] = number
        return number
    }

    /// Keeps only what stands in the cells, and gives them their new numbers.
    mutating func compact(_ cells: inout [Cell]) {
        var kept = GraphemeTable()
        for at in cells.indices where cells[at].isCluster {
            cells[at].glyph = Cell.clusterBit | kept.number(of: texts[cells[at].cluster])
        }
        self = kept
    }
}
