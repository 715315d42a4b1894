/// Cells that lead to an address when somebody presses them in a terminal that knows hyperlinks (OSC 8).
///
///     grid.link = CellLink(CellArea(column: 2, row: 39, columns: 40, rows: 1), to: "https://images.nasa.gov/details/PIA00342")
public struct CellLink: Hashable, Sendable {
    /// Where the cells are.
    public let area: CellArea
    /// Where they lead.
    public let address: String

    /// The longest address that terminals take (VTE and iTerm2, by the specification of OSC 8).
    public static let addressLimit = 2083

    /// Cells of one row that lead to an address.
    ///
    /// `nil` for an address that is too long or holds anything but printable ASCII, which a sequence must not, and for more or less
    /// than one row.
    public init?(_ area: CellArea, to address: String) {
        guard !area.isEmpty, area.rows == 1, !address.isEmpty, address.utf8.count <= Self.addressLimit,
            address.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.area = area
        self.address = address
    }
}

extension [UInt8] {
    /// Operating system command 8 around what is written between.
    mutating func append(linkTo address: String, around text: [UInt8]) {
        append("\u{1B}]8;;" as StaticString)
        append(contentsOf: address.utf8)
        append("\u{1B}\\" as StaticString)
        append(contentsOf: text)
        append("\u{1B}]8;;\u{1B}\\" as StaticString)
    }
}
