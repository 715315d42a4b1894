internal import SpyglassJSON
internal import SpyglassTerminalUI

extension ThemeSheet {
    /// Applies a user's file to the built-in theme for its background.
    init(parsing bytes: [UInt8], file: String) throws(BrowserError) {
        guard bytes.count <= Theme.byteLimit else {
            throw BrowserError("\(file): a theme is at most \(Theme.byteLimit >> 10) KiB long")
        }
        var first = ThemeSheet.blank
        try first.read(bytes, file: file)
        switch first.background {
        case .dark: self = .dark
        case .light: self = .light
        case .unknown: self = .neutral
        }
        name = file
        try read(bytes, file: file)
    }

    mutating func read(_ bytes: [UInt8], file: String) throws(BrowserError) {
        let value: JSONValue
        do { value = try JSONValue(parsing: bytes) } catch {
            let line = bytes.prefix(error.offset).count { $0 == UInt8(ascii: "\n") } + 1
            throw BrowserError("\(file): line \(line): \(error.description)")
        }
        var reader = ThemeReader(file: file, sheet: self)
        try reader.read(value)
        self = reader.sheet
    }
}

/// Reads the members of a theme file; throws on unknown ones.
private struct ThemeReader {
    let file: String
    var sheet: ThemeSheet

    private enum Member: CaseIterable {
        case name, background, colors, colors16, marks, marksASCII, margins
    }

    private func error(_ path: String, _ message: String) -> BrowserError {
        let line = TerminalText(cleaning: "\(file): \(path): \(message)")
        return BrowserError(line.string)
    }

    mutating func read(_ value: JSONValue) throws(BrowserError) {
        for member in try members(of: value, at: "the file") {
            let name = member.name
            switch try known(name, as: Member.self, at: "the file") {
            case .name: sheet.name = try text(member.value, at: name)
            case .background:
                sheet.background = try known(try text(member.value, at: name), as: ThemeSheet.Background.self, at: name)
            case .colors: sheet.colors = try styles(member.value, over: sheet.colors, at: name, allowsRGB: true)
            case .colors16: sheet.colors16 = try styles(member.value, over: sheet.colors16, at: name, allowsRGB: false)
            case .marks: sheet.marks = try marks(member.value, over: sheet.marks, at: name, in: .utf8)
            case .marksASCII: sheet.marksASCII = try marks(member.value, over: sheet.marksASCII, at: name, in: .ascii)
            case .margins:
                for margin in try members(of: member.value, at: name) {
                    let path = "\(name).\(margin.name)"
                    guard let columns = margin.value.integer, (0...ThemeMargins.maxColumns).contains(columns) else {
                        throw error(path, "a margin is 0 to \(ThemeMargins.maxColumns) columns")
                    }
                    switch try known(margin.name, as: ThemeMargins.Name.self, at: name) {
                    case .side: sheet.margins.side = columns
                    case .gap: sheet.margins.gap = columns
                    case .panel: sheet.margins.panel = columns
                    }
                }
            }
        }
    }

    private func styles(
        _ value: JSONValue, over base: ThemeStyles, at path: String, allowsRGB: Bool
    ) throws(BrowserError) -> ThemeStyles {
        var styles = base
        for member in try members(of: value, at: path) {
            let role = try known(member.name, as: ThemeRole.self, at: path)
            let memberPath = "\(path).\(member.name)"
            let written = try text(member.value, at: memberPath)
            do throws(BrowserError) {
                styles[role] = try StyleText.style(written, allowsRGB: allowsRGB)
            } catch {
                throw self.error(memberPath, error.reason)
            }
        }
        return styles
    }

    private func marks(
        _ value: JSONValue, over base: ThemeSymbols, at path: String, in glyphs: GlyphSet
    ) throws(BrowserError) -> ThemeSymbols {
        var marks = base
        for member in try members(of: value, at: path) {
            let memberPath = "\(path).\(member.name)"
            if member.name == "spinner" {
                var frames: [TerminalText] = []
                for element in member.value.elements { frames.append(try mark(element, at: memberPath, in: glyphs)) }
                guard !frames.isEmpty else { throw error(memberPath, "a spinner needs at least one frame") }
                marks.spinner = frames
            } else {
                let name = try known(member.name, as: ThemeSymbols.Name.self, at: path, besides: ["spinner"])
                marks[name] = try mark(member.value, at: memberPath, in: glyphs)
            }
        }
        return marks
    }

    private func mark(_ value: JSONValue, at path: String, in glyphs: GlyphSet) throws(BrowserError) -> TerminalText {
        let mark = TerminalText(cleaning: try text(value, at: path))
        guard mark.width == 1 else { throw error(path, "a mark is one column wide, and '\(mark)' is \(mark.width)") }
        guard mark.shown(in: glyphs) == mark else { throw error(path, "'\(mark)' is not ASCII") }
        return mark
    }

    private func members(of value: JSONValue, at path: String) throws(BrowserError) -> [JSONValue.Member] {
        guard case .object(let members) = value else { throw error(path, "expected an object") }
        return members
    }

    private func text(_ value: JSONValue, at path: String) throws(BrowserError) -> String {
        guard case .string(let text) = value else { throw error(path, "expected a string") }
        return text
    }

    private func known<Name: CaseIterable>(
        _ word: String, as type: Name.Type, at path: String, besides others: [String] = []
    ) throws(BrowserError) -> Name {
        if let name = Name.allCases.first(where: { "\($0)" == word }) { return name }
        let names = (Name.allCases.map { "\($0)" } + others).joined(separator: ", ")
        throw error(path, "'\(word)' is unknown; expected \(names)")
    }
}
