extension Unicode.Scalar {
    /// Whether a terminal may act on it, or it reorders the text around it; all of these are below U+10000.
    package var isTextControl: Bool {
        switch value {
        // C0, DEL and C1.
        case 0...0x1F, 0x7F...0x9F: true
        // Arabic letter mark, left-to-right and right-to-left marks, embeddings, overrides and isolates.
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        // Line and paragraph separator, byte order mark.
        case 0x2028, 0x2029, 0xFEFF: true
        default: false
        }
    }

    /// Whether it is a control, invisible or without a meaning: unfit for a file name.
    package var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
