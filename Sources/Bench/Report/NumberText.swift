/// Numbers of figures as people read them.
enum NumberText {
    /// Three digits that count, the thousands of large ones apart: `0.0123`, `1.23`, `123`, `12,345`.
    static func value(_ value: Double) -> String {
        let size = abs(value)
        switch size {
        case 100...: return size < 1e15 ? grouped(Int(value.rounded())) : "\(value)"
        case 10..<100: return fixed(value, digits: 1)
        case 1..<10: return fixed(value, digits: 2)
        case 0: return "0"
        default: return fixed(value, digits: 4)
        }
    }

    static func ratio(_ ratio: Double) -> String { fixed(ratio, digits: 2) }

    static func percent(_ share: Double) -> String { "\(fixed(share * 100, digits: 1)) %" }

    private static func fixed(_ value: Double, digits: Int) -> String {
        var unit = 1
        for _ in 0..<digits { unit *= 10 }
        let scaled = (abs(value) * Double(unit)).rounded()
        guard scaled < 1e15 else { return "\(value)" }
        let (whole, rest) = Int(scaled).quotientAndRemainder(dividingBy: unit)
        let fraction = String("\(unit + rest)".dropFirst())
        return "\(value < 0 ? "-" : "")\(grouped(whole)).\(fraction)"
    }

    private static func grouped(_ number: Int) -> String {
        var groups: [String] = []
        var rest = number.magnitude
        while rest >= 1000 {
            groups.append(String("\(1000 + rest % 1000)".dropFirst()))
            rest /= 1000
        }
        groups.append("\(rest)")
        return (number < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
    }
}
