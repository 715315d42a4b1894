internal import SpyglassCaching
internal import SpyglassFiles

extension NameTemplate {
    /// The name of one result: the folders of the tree that was walked, then what the template says.
    ///
    /// Whatever the values hold, every component is one that can be made, and that leads nowhere: slashes and control characters
    /// become `_`, so does a dot that a value puts first, and what is longer than 255 bytes is cut at a character, with the hash of
    /// the whole before its extension.
    ///
    /// The extension is `jpg` or `png`.
    ///
    /// - Throws: `BatchError` of kind `input` for a path longer than the system takes.
    package func name(
        of item: BatchItem, size: OutputSize, extension ending: String
    ) throws(BatchError) -> OutputName {
        var names = item.folders.map { SafeComponent.name(value: $0) }
        for (position, pieces) in components.enumerated() {
            var text = ""
            var startsWithValue = true
            for (place, piece) in pieces.enumerated() {
                if case .text(let literal) = piece {
                    if place == 0 { startsWithValue = false }
                    text += literal
                } else {
                    text += Self.value(of: piece, item, size, ending)
                }
            }
            names.append(
                SafeComponent.name(
                    cleaned: text, mayStartWithDot: !startsWithValue, isFile: position == components.count - 1))
        }
        let name = OutputName(components: names)
        // The system opens no longer path (`PATH_MAX` counts the zero at its end).
        guard name.path.utf8.count < Self.lengthLimit else {
            throw BatchError(.input, "its result would have a path of more than \(Self.lengthLimit - 1) bytes")
        }
        return name
    }

    private static func value(of piece: Piece, _ item: BatchItem, _ size: OutputSize, _ ending: String) -> String {
        switch piece {
        case .text(let literal): literal
        case .stem: SafeComponent.clean(item.stem)
        case .extension: ending
        case .width: size.width.map(String.init) ?? ""
        case .height: size.height.map(String.init) ?? ""
        case .id: SafeComponent.clean(item.id)
        case .hash(let digits): String(Hex.text(FNV1a.hash(item.id)).prefix(digits))
        case .number: "\(item.number + 1)"
        }
    }
}

/// One component of a path made of what comes from outside.
enum SafeComponent {
    /// `NAME_MAX` of every Linux file system, in bytes.
    static let lengthLimit = 255
    /// The longest ending that counts as an extension when a name is cut, with its dot.
    private static let endingLimit = 17

    /// A value as a whole component.
    static func name(value: String) -> String { name(cleaned: clean(value), mayStartWithDot: false, isFile: false) }

    /// A value without what would make folders, end names, or show them otherwise than they are; never empty.
    static func clean(_ value: String) -> String {
        guard !value.isEmpty else { return "_" }
        guard value.unicodeScalars.contains(where: isUnfit) else { return value }
        return String(String.UnicodeScalarView(value.unicodeScalars.map { isUnfit($0) ? "_" : $0 }))
    }

    private static func isUnfit(_ scalar: Unicode.Scalar) -> Bool {
        // What was not UTF-8 has become U+FFFD.
        scalar == "/" || scalar == "\u{FFFD}" || scalar.steersText
    }

    /// A component that can be made: not `.`, `..`, hidden against the template's will or too long.
    static func name(cleaned text: String, mayStartWithDot: Bool, isFile: Bool) -> String {
        var name = text
        // Names like those of temporary files are swept.
        let isReserved = text == "." || text == ".." || text.isEmpty || text.hasPrefix(TemporaryFile.prefix)
        if isReserved || (!mayStartWithDot && text.hasPrefix(".")) {
            name = "_" + text.dropFirst()
        }
        return name.utf8.count <= lengthLimit ? name : cut(name, isFile: isFile)
    }

    private static func cut(_ name: String, isFile: Bool) -> String {
        var ending = ""
        if isFile, let dot = name.lastIndex(of: "."), name[dot...].utf8.count <= endingLimit {
            ending = String(name[dot...])
        }
        // So that two long names that start alike stay two.
        ending = "-\(Hex.text(FNV1a.hash(name)))\(ending)"
        var stem = ""
        var room = lengthLimit - ending.utf8.count
        for character in name {
            room -= character.utf8.count
            guard room >= 0 else { break }
            stem.append(character)
        }
        return stem + ending
    }
}
