internal import SpyglassCaching
internal import SpyglassFiles
internal import SpyglassJSON

extension NameTemplate {
    /// Returns the name of an output: the item's folders, then the filled template; every component is a valid file name.
    package func name(of item: BatchItem, size: OutputSize, extension ending: String) throws(BatchError) -> OutputName {
        var names = item.folders.map { SafeComponent.name(value: $0) }
        for (index, pieces) in components.enumerated() {
            var text = ""
            var startsWithValue = true
            for (offset, piece) in pieces.enumerated() {
                if case .text(let literal) = piece {
                    if offset == 0 { startsWithValue = false }
                    text += SafeComponent.clean(literal)
                } else {
                    text += Self.value(of: piece, item, size, ending)
                }
            }
            names.append(
                SafeComponent.name(
                    cleaned: text, mayStartWithDot: !startsWithValue, isFile: index == components.count - 1))
        }
        let name = OutputName(components: names)
        // `PATH_MAX` includes the zero at the end.
        guard name.path.utf8.count < Self.lengthLimit else {
            throw BatchError(.input, "the output path has more than \(Self.lengthLimit - 1) bytes")
        }
        return name
    }

    private static func value(of piece: Piece, _ item: BatchItem, _ size: OutputSize, _ ending: String) -> String {
        switch piece {
        case .text(let literal): literal
        case .stem: SafeComponent.clean(item.stem)
        case .extension: ending
        case .width, .height, .size: piece.text(of: size) ?? ""
        case .id: SafeComponent.clean(item.id)
        case .hash(let digits): String(Hex.text(FNV1a.hash(item.id)).prefix(digits))
        case .number: "\(item.number + 1)"
        }
    }
}

extension NameTemplate.Piece {
    /// The text of a piece for a size; `nil` for a piece that is equal for all sizes.
    func text(of size: OutputSize) -> String? {
        switch self {
        case .width: size.nameOfWidth
        case .height: size.nameOfHeight
        case .size: size.name
        default: nil
        }
    }
}

enum SafeComponent {
    static let lengthLimit = 255
    /// The maximum size of an extension that a cut name keeps, with its dot.
    private static let endingLimit = 17

    static func name(value: String) -> String { name(cleaned: clean(value), mayStartWithDot: false, isFile: false) }

    /// A value without slashes, control characters and characters that only hide; never empty.
    static func clean(_ value: String) -> String {
        guard !value.isEmpty else { return "_" }
        guard value.unicodeScalars.contains(where: isUnfit) else { return value }
        let text = Array(value.unicodeScalars)
        let cleaned = text.indices.map { isUnfit(text[$0]) && !isShaping(text, $0) ? "_" : text[$0] }
        return String(String.UnicodeScalarView(cleaned))
    }

    private static func isUnfit(_ scalar: Unicode.Scalar) -> Bool {
        // U+FFFD replaces invalid UTF-8. Whatever shows nothing lets two names look the same.
        scalar == "/" || scalar == "\u{FFFD}" || scalar.isTextControl
            || scalar.value > 0x7F && scalar.properties.isDefaultIgnorableCodePoint
    }

    /// Whether a joiner or a variation selector changes how its neighbors are drawn.
    private static func isShaping(_ text: [Unicode.Scalar], _ index: Int) -> Bool {
        let before = index > 0 ? text[index - 1] : " "
        let after = index + 1 < text.count ? text[index + 1] : " "
        func isEmoji(_ scalar: Unicode.Scalar) -> Bool { scalar.value > 0x7F && scalar.properties.isEmoji }
        // From Arabic to Mongolian.
        let joins = [before, after].allSatisfy { (0x0600...0x18AF).contains($0.value) }
        return switch text[index].value {
        case 0x200C: joins
        case 0x200D: joins || isEmoji(after) && (isEmoji(before) || before == "\u{FE0F}")
        case 0xFE0E, 0xFE0F: isEmoji(before) || after == "\u{20E3}"
        case 0xE0100...0xE01EF: before.properties.isIdeographic
        default: false
        }
    }

    /// A valid component: not `.`, `..`, too long, or hidden unless the template starts with a dot.
    static func name(cleaned text: String, mayStartWithDot: Bool, isFile: Bool) -> String {
        var name = text
        // Names of temporary files are removed by the next run.
        let isReserved =
            text == "." || text == ".." || text.isEmpty || text.utf8.starts(with: TemporaryFile.prefix.utf8)
        // By scalars: a dot with an accent hides a file, too.
        if isReserved || (!mayStartWithDot && text.unicodeScalars.first == ".") {
            name = "_" + String(text.unicodeScalars.dropFirst())
        }
        return name.utf8.count <= lengthLimit ? name : cut(name, isFile: isFile)
    }

    private static func cut(_ name: String, isFile: Bool) -> String {
        var ending = ""
        if isFile, let dot = name.lastIndex(of: "."), name[dot...].utf8.count <= endingLimit {
            ending = String(name[dot...])
        }
        // Keeps long names with the same start distinct.
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

/// A path below the output folder.
package struct OutputName: Hashable, Sendable {
    /// At least one; none is empty, `.` or `..`, or contains a slash.
    package let components: [String]
    package var path: String { components.joined(separator: "/") }
    var folders: ArraySlice<String> { components.dropLast() }
    var file: String { components.last ?? "_" }
}
