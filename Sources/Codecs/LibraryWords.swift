extension String {
    /// What a C library says, as printable ASCII.
    ///
    /// libpng quotes the name of a colour profile in its warnings, and with it whatever a file put there.
    init(libraryWords words: UnsafePointer<CChar>) {
        self = String(cString: words).unicodeScalars.reduce(into: "") { text, scalar in
            text.unicodeScalars.append((" "..."~").contains(scalar) ? scalar : "?")
        }
    }
}
