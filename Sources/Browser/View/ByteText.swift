extension Scene {
    private static let mebibyte = 1 << 20

    /// A number of bytes as people say it: `812 KB`, `2.1 MB`; whole mebibytes, as limits are given in, as such.
    func size(_ bytes: Int) -> String {
        if bytes > 0, bytes.isMultiple(of: 1 << 30) { return "\(number(bytes >> 30)) GiB" }
        if bytes > 0, bytes.isMultiple(of: Self.mebibyte) { return "\(number(bytes >> 20)) MiB" }
        let units = ["B", "KB", "MB", "GB", "TB", "PB", "EB"]
        var unit = 0
        var value = bytes.magnitude
        var rest: UInt = 0
        while value >= 1000, unit < units.count - 1 {
            rest = value % 1000
            value /= 1000
            unit += 1
        }
        // Three digits are enough for the eye.
        guard unit > 0, value < 10 else { return "\(number(Int(value))) \(units[unit])" }
        return "\(value)\(words.decimalSeparator)\(rest / 100) \(units[unit])"
    }
}
