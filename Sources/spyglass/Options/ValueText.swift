import SpyglassCatalog
import SpyglassTerminalUI

/// Numbers in help and messages, and how the values of options spell them.
enum ValueText {
    /// `a, b or c`.
    static func alternatives(_ words: [String]) -> String {
        guard words.count > 1, let last = words.last else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }

    /// A number with commas between its thousands: `34,684`.
    static func grouped(_ number: Int) -> String { PhotoFormatter(language: .english).number(number) }

    /// `from 1 to 1,000`.
    static func text(_ range: ClosedRange<Int>) -> String {
        "from \(grouped(range.lowerBound)) to \(grouped(range.upperBound))"
    }

    /// `#rrggbb`, `#rgb`, `black` or `white`.
    static func color(_ text: String) -> RGB? {
        switch text {
        case "black": return .black
        case "white": return RGB(255, 255, 255)
        default:
            guard text.hasPrefix("#"), text.utf8.count == 4 else { return RGB(parsing: text) }
            return RGB(parsing: "#" + text.dropFirst().map { "\($0)\($0)" }.joined())
        }
    }

    /// A number as options accept it, with the largest unit that divides it: `64MiB`, `100M`, `65535`.
    static func scaled(_ number: Int) -> String {
        let units = units.filter { number > 0 && number.isMultiple(of: $0.1) }
        guard let unit = units.max(by: { $0.1 < $1.1 }) else { return "\(number)" }
        return "\(number / unit.1)\(unit.0)"
    }

    /// Bytes, rounded down: `0 B`, `999 B`, `40.3 KiB`, `1.0 GiB`.
    static func bytes(_ count: Int) -> String {
        guard let unit = binaryUnits.last(where: { count >= $0.1 }) else { return "\(count) B" }
        let (whole, tenths) = (count / unit.1, count % unit.1 * 10 / unit.1)
        return "\(whole).\(tenths) \(unit.0)"
    }

    static let decimalUnits: [(String, Int)] = [("K", 1_000), ("M", 1_000_000), ("G", 1_000_000_000)]
    private static let binaryUnits: [(String, Int)] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]
    static let units = decimalUnits + binaryUnits

    static func scaled(_ text: String, by units: [(String, Int)]) -> Int? {
        guard let unit = units.first(where: { text.hasSuffix($0.0) }) else { return digits(text[...]) }
        guard let number = digits(text.dropLast(unit.0.count)) else { return nil }
        let (product, overflows) = number.multipliedReportingOverflow(by: unit.1)
        return overflows ? nil : product
    }

    /// The number that only ASCII digits spell: no sign, no space, no other script's digits; `nil` when it does not fit.
    static func digits(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }
}
