extension RenderContext {
    private static let mebibyte = 1 << 20

    /// A number of bytes as people say it: `812 KB`, `2.1 MB`; whole mebibytes, as limits are given in, as such.
    func size(_ bytes: Int) -> String {
        if bytes > 0, bytes.isMultiple(of: 1 << 30) { return "\(number(bytes >> 30)) GiB" }
        if bytes > 0, bytes.isMultiple(of: Self.mebibyte) { return "\(number(bytes >> 20)) MiB" }
        let units = ["B", "KB", "MB", "GB", "TB", "PB", "EB"]
        let magnitude = bytes.magnitude
        var unit = 0
        var divisor: UInt = 1
        // To the nearest, as NASA gives the sizes of its files, so that one file has one size wherever it stands.
        while (magnitude + divisor / 2) / divisor >= 1000, unit < units.count - 1 {
            unit += 1
            divisor *= 1000
        }
        // Three digits are enough for the eye.
        let tenths = unit > 0 ? (magnitude + divisor / 20) / (divisor / 10) : 100
        guard tenths < 100 else { return "\(number(Int((magnitude + divisor / 2) / divisor))) \(units[unit])" }
        return "\(tenths / 10)\(strings.decimalSeparator)\(tenths % 10) \(units[unit])"
    }
}
