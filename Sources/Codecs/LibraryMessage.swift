extension String {
    /// A C library's message as printable ASCII; libpng quotes profile names, which may hold anything.
    init(libraryMessage message: UnsafePointer<CChar>) {
        self.init(printable: String(cString: message).unicodeScalars)
    }

    /// Text of a file as printable ASCII, with `?` for any other character.
    init(printable scalars: some Sequence<Unicode.Scalar>) {
        self = scalars.reduce(into: "") { text, scalar in
            text.unicodeScalars.append((" "..."~").contains(scalar) ? scalar : "?")
        }
    }
}
