extension ColorProfile {
    var description: String? {
        guard let tag = tag("desc") else { return nil }
        let scalars =
            switch tag.name(at: 0) {
            case "desc": asciiText(tag)
            case "mluc": (try? localizedText(tag)) ?? []
            default: [Unicode.Scalar]()
            }
        let name = String(printable: scalars.prefix { $0 != "\0" })
        return name.utf8.allSatisfy { $0 == UInt8(ascii: " ") } ? nil : name
    }

    private static let maxDescription = 60

    /// `textDescriptionType` of version 2 (ICC.1:2001-04, section 6.5.17): a count, and as many bytes.
    private func asciiText(_ tag: BinaryReader) -> [Unicode.Scalar] {
        tag.bytes.dropFirst(12).prefix(Self.maxDescription).map { Unicode.Scalar($0) }
    }

    /// `multiLocalizedUnicodeType` (ICC.1:2022, section 10.15): the English text, or else the first, in UTF-16.
    private func localizedText(_ tag: BinaryReader) throws(CodecError) -> [Unicode.Scalar] {
        let (first, recordBytes) = (16, 12)
        let count = try tag.size(4, at: 8).upTo(max(tag.count - first, 0) / recordBytes)
        guard count > 0 else { return [] }
        let english = Int(UInt8(ascii: "e")) << 8 | Int(UInt8(ascii: "n"))
        let records = (0..<count).lazy.map { first + $0 * recordBytes }
        let record = records.first { (try? tag.integer(2, at: $0)) == english } ?? first
        let text = try tag.part(tag.size(4, at: record + 4), at: tag.size(4, at: record + 8).value)
        let units = (0..<min(text.count / 2, Self.maxDescription)).compactMap {
            (try? text.integer(2, at: 2 * $0)).map { UInt16($0) }
        }
        return Array(String(decoding: units, as: UTF16.self).unicodeScalars)
    }
}
