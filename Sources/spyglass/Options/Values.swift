import SpyglassCatalog
import SpyglassFetching
import SpyglassTerminalUI

/// Why an option's value was refused: the end of the sentence "--limit 0: …".
struct ValueError: Error {
    let reason: String
    /// Whether the reason says as much of the value as may be shown: it may hold a password.
    let isWhole: Bool

    init(_ reason: String, isWhole: Bool = false) {
        self.reason = reason
        self.isWhole = isWhole
    }
}

/// Reads the values of options, strictly: everything that is not meant is refused with what would be right.
enum Values {
    /// A whole number within a range.
    static func number(_ text: String, _ range: ClosedRange<Int>) throws(ValueError) -> Int {
        guard let value = digits(text[...]), range.contains(value) else {
            throw ValueError("it must be a number from \(grouped(range.lowerBound)) to \(grouped(range.upperBound))")
        }
        return value
    }

    /// A number with `K`, `M` or `G` for thousands, millions and thousand millions: `100M`.
    static func count(_ text: String, _ range: ClosedRange<Int>) throws(ValueError) -> Int {
        guard let value = scaled(text, by: decimalUnits), range.contains(value) else {
            throw ValueError(
                "it must be a number from \(grouped(range.lowerBound)) to \(grouped(range.upperBound)), such as 900M")
        }
        return value
    }

    /// A number of times a second: `2`, `0.5`; at least one in a thousand seconds.
    static func rate(_ text: String) throws(ValueError) -> Double {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // Not what `Double` reads besides: `1e3`, `inf`, `0x1p3`.
        guard text.utf8.count <= 12, (1...2).contains(parts.count),
            parts.allSatisfy({ part in !part.isEmpty && part.allSatisfy { (0x30...0x39).contains($0) } }),
            let value = Double(text), (0.001...10_000).contains(value)
        else { throw ValueError("it must be a number from 0.001 to 10,000, such as 2 or 0.5") }
        return value
    }

    /// Bytes: plain, or with `K M G` (powers of 1,000) or `KiB MiB GiB` (powers of 1,024).
    static func size(_ text: String, _ range: ClosedRange<Int>) throws(ValueError) -> Int {
        guard let value = scaled(text, by: decimalUnits + binaryUnits), range.contains(value) else {
            throw ValueError(
                "it must be a size from \(grouped(range.lowerBound)) to \(grouped(range.upperBound)) bytes, such as "
                    + "64MiB (K M G are powers of 1,000, KiB MiB GiB of 1,024)")
        }
        return value
    }

    /// `80x24`.
    static func cells(_ text: String) throws(ValueError) -> CellSize {
        guard let size = CellSize(parsing: text) else {
            throw ValueError("it must be COLSxROWS, such as 80x24, each from 1 to \(grouped(CellSize.largestSide))")
        }
        return size
    }

    /// `#1e1e2e`.
    static func color(_ text: String) throws(ValueError) -> RGB {
        guard let color = RGB(parsing: text) else { throw ValueError("it must be auto or a colour such as #1e1e2e") }
        return color
    }

    /// The values of a source's filter.
    static func of(_ filter: PhotoFilter, _ text: String) throws(ValueError) -> [String] {
        do throws(PhotoFilter.ValueError) {
            return try filter.values(of: text)
        } catch {
            throw ValueError(error == .empty ? "it must not be empty" : "it must be \(filter.expectation)")
        }
    }

    /// Any text but none.
    static func text(_ text: String) throws(ValueError) -> String {
        guard !text.isEmpty else { throw ValueError("it must not be empty") }
        return text
    }

    /// Text that goes into a header field: printable ASCII (RFC 9110 section 5.5), so that it cannot start another field.
    static func headerText(_ text: String) throws(ValueError) -> String {
        guard !text.isEmpty, text.utf8.count <= 256, text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            throw ValueError("it must be 1 to 256 printable ASCII characters")
        }
        return text
    }

    /// An `http` or `https` address.
    static func address(_ text: String) throws(ValueError) -> WebAddress {
        do {
            return try WebAddress(validating: text)
        } catch {
            throw ValueError(error.description, isWhole: true)
        }
    }

    /// One of a few words.
    static func choice<Choice: RawRepresentable & CaseIterable>(
        _ text: String, of _: Choice.Type
    ) throws(ValueError) -> Choice where Choice.RawValue == String {
        guard let choice = Choice(rawValue: text) else {
            throw ValueError("it must be \(alternatives(Choice.allCases.map(\.rawValue)))")
        }
        return choice
    }

    /// What a variable says about an option that takes no value.
    static func flag(_ text: String) throws(ValueError) -> Bool {
        switch text.lowercased() {
        case "1", "true", "yes", "on": return true
        case "0", "false", "no", "off": return false
        default: throw ValueError("it must be 1 or 0")
        }
    }

    /// `a, b or c`.
    static func alternatives(_ words: [String]) -> String {
        guard words.count > 1, let last = words.last else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }

    /// A number with commas between its thousands: `34,684`.
    static func grouped(_ number: Int) -> String { PhotoFormatter(language: .english).number(number) }

    /// A number as `count` and `size` read it, with the largest unit that divides it: `64MiB`, `100M`, `65535`.
    static func scaled(_ number: Int) -> String {
        let units = (decimalUnits + binaryUnits).filter { number > 0 && number.isMultiple(of: $0.1) }
        guard let unit = units.max(by: { $0.1 < $1.1 }) else { return "\(number)" }
        return "\(number / unit.1)\(unit.0)"
    }

    /// Bytes as people read them: `0 B`, `999 B`, `40.3 KiB`, `1.0 GiB`.
    static func bytes(_ count: Int) -> String {
        guard let unit = binaryUnits.last(where: { count >= $0.1 }) else { return "\(count) B" }
        // Rounded down, so that a size is never more than there is.
        let (whole, tenths) = (count / unit.1, count % unit.1 * 10 / unit.1)
        return "\(whole).\(tenths) \(unit.0)"
    }

    // MARK: Numbers

    private static let decimalUnits: [(String, Int)] = [("K", 1_000), ("M", 1_000_000), ("G", 1_000_000_000)]
    private static let binaryUnits: [(String, Int)] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]

    private static func scaled(_ text: String, by units: [(String, Int)]) -> Int? {
        guard let unit = units.first(where: { text.hasSuffix($0.0) }) else { return digits(text[...]) }
        guard let number = digits(text.dropLast(unit.0.count)) else { return nil }
        let (product, overflows) = number.multipliedReportingOverflow(by: unit.1)
        return overflows ? nil : product
    }

    /// ASCII digits alone: no sign, no space, no other script's digits; `nil` when they do not fit.
    private static func digits(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }
}
