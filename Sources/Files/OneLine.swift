extension String {
    /// The text on one line that no terminal acts on: control characters, line separators and marks of direction become spaces.
    package var onOneLine: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.value {
                    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: " "
                    default: scalar
                    }
                }))
    }
}
