extension ColorProfile {
    var description: String? {
        guard let range = range(of: "desc") else { return nil }
        let scalars =
            switch content.name(at: range.lowerBound) {
            case "desc": asciiText(range)
            case "mluc": localizedText(range)
            default: [Unicode.Scalar]()
            }
        let name = String(printable: scalars.prefix { $0 != "\0" })
        return name.utf8.allSatisfy { $0 == UInt8(ascii: " ") } ? nil : name
    }

    private static let maxDescription = 60

    /// `textDescriptionType` of version 2 (ICC.1:2001-04, section 6.5.17): a count, and as many bytes.
    private func asciiText(_ range: Range<Int>) -> [Unicode.Scalar] {
        let start = range.lowerBound + 12
        return (start..<start + Self.maxDescription).prefix { $0 < range.upperBound }
            .compactMap { content.number8(at: $0).map(Unicode.Scalar.init) }
    }

    /// `multiLocalizedUnicodeType` (ICC.1:2022, section 10.15): the English text, or else the first, in UTF-16.
    private func localizedText(_ range: Range<Int>) -> [Unicode.Scalar] {
        let recordBytes = 12
        let first = range.lowerBound + 16
        let stated = content.number32(at: range.lowerBound + 8).map { Int($0) } ?? 0
        let count = min(stated, max(range.upperBound - first, 0) / recordBytes)
        guard count > 0 else { return [] }
        let english = UInt16(UInt8(ascii: "e")) << 8 | UInt16(UInt8(ascii: "n"))
        let records = (0..<count).lazy.map { first + $0 * recordBytes }
        let record = records.first { content.number16(at: $0) == english } ?? first
        guard let bytes = content.number32(at: record + 4), let offset = content.number32(at: record + 8),
            Int(offset) + Int(bytes) <= range.count
        else { return [] }
        let units = (0..<min(Int(bytes) / 2, Self.maxDescription)).compactMap {
            content.number16(at: range.lowerBound + Int(offset) + 2 * $0)
        }
        return Array(String(decoding: units, as: UTF16.self).unicodeScalars)
    }
}
