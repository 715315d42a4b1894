extension String {
    /// What a C library says, as printable ASCII.
    ///
    /// libpng quotes the name of a colour profile in its warnings, and with it whatever a file put there.
    init(libraryMessage words: UnsafePointer<CChar>) {
        self.init(printable: String(cString: words).unicodeScalars)
    }

    /// Text of a file, as printable ASCII: one `?` for each character that is not.
    init(printable scalars: some Sequence<Unicode.Scalar>) {
        self = scalars.reduce(into: "") { text, scalar in
            text.unicodeScalars.append((" "..."~").contains(scalar) ? scalar : "?")
        }
    }
}
