internal import SpyglassJSON
internal import SpyglassPixels
internal import SpyglassTerminalUI

/// Colours, marks and margins of the browser, from a data file.
///
///     let theme = try Theme(parsing: bytes, file: "mine.json")
///     let theme = Theme()  // light or dark, as the terminal is
///
/// A built-in theme of `Preferences.theme` overrides it.
package struct Theme: Hashable, Sendable {
    /// `nil` depends on the terminal's background.
    private let sheet: ThemeSheet?
    package static let names = ["dark", "light", "neutral"]
    package static let byteLimit = 256 << 10

    /// Light or dark by the terminal's background; neutral while that is unknown, as in some multiplexers.
    package init() { sheet = nil }

    package init?(named name: String) {
        guard let sheet = Self.builtIn(name) else { return nil }
        self.sheet = sheet
    }

    /// Parses a theme file; missing members are those of the built-in theme for its background.
    ///
    /// JSON with `name`, `background` (`dark`, `light` or `unknown`), `colors`, `colors16`, `marks`, `marksASCII` and `margins`.
    ///
    /// - Throws: `BrowserError` with one line: file, place, error, expected values.
    package init(parsing bytes: [UInt8], file: String) throws(BrowserError) {
        sheet = try ThemeSheet(parsing: bytes, file: file)
    }

    func sheet(for traits: TerminalTraits, chosen name: String?) -> ThemeSheet {
        if let chosen = name.flatMap(Self.builtIn) { return chosen }
        if let sheet { return sheet }
        guard let background = traits.background else { return .neutral }
        return Contrast.isLight(background) ? .light : .dark
    }

    private static func builtIn(_ name: String) -> ThemeSheet? {
        [.dark, .light, .neutral].first { $0.name == name }
    }
}

/// The contrast ratio of two colours (WCAG 2.2).
enum Contrast {
    /// WCAG's constant for light reflected by the screen.
    private static let flare = 0.05

    /// From 1 for equal colours to 21 for black and white.
    static func ratio(_ first: RGB, _ second: RGB) -> Double {
        let (one, other) = (luminance(first), luminance(second))
        return (max(one, other) + flare) / (min(one, other) + flare)
    }

    /// Whether black has more contrast than white.
    static func isLight(_ color: RGB) -> Bool { ratio(color, .black) > ratio(color, RGB(255, 255, 255)) }

    private static func luminance(_ color: RGB) -> Double {
        func light(_ channel: UInt8) -> Double { Double(LinearLight.ofSRGB[Int(channel)]) }
        let sum = 0.2126 * light(color.red) + 0.7152 * light(color.green) + 0.0722 * light(color.blue)
        return sum / Double(LinearLight.maximum)
    }
}

struct ThemeSheet: Hashable, Sendable {
    enum Background: String, CaseIterable, Sendable {
        case dark, light, unknown
    }

    var name = ""
    var background = Background.unknown
    /// For truecolor, and the nearest of 256 colours.
    var colors = ThemeStyles.plain
    /// For the sixteen colours of the terminal's own palette.
    var colors16 = ThemeStyles.plain
    var marks = ThemeSymbols()
    var marksASCII = ThemeSymbols()
    var margins = ThemeMargins()

    func styles(at depth: ColorDepth) -> ThemeStyles {
        depth == .monochrome ? .plain : depth == .palette16 ? colors16 : colors
    }

    func marks(in glyphs: GlyphSet) -> ThemeSymbols { glyphs == .ascii ? marksASCII : marks }

    /// Attributes and two palette colours that are visible on black and on white.
    static let neutral = builtIn(PackageResources.neutral_json, "neutral.json", over: ThemeSheet())
    static let dark = builtIn(PackageResources.dark_json, "dark.json", over: neutral)
    static let light = builtIn(PackageResources.light_json, "light.json", over: neutral)

    private static func builtIn(_ bytes: [UInt8], _ file: String, over base: ThemeSheet) -> ThemeSheet {
        var sheet = base
        // A test reads all three.
        do { try sheet.read(bytes, file: file) } catch { preconditionFailure(error.description) }
        return sheet
    }
}

/// The parts of the screen that a theme styles; the case names are those in theme files.
enum ThemeRole: Int, CaseIterable, Sendable {
    case text, title
    /// Less important text, and everything behind a panel.
    case dim
    case accent, selected, key
    /// The box of a missing image.
    case placeholder
    case field, error, warning, good
    /// Letters that a filter found.
    case match
}

struct ThemeStyles: Hashable, Sendable {
    private var styles: [CellStyle]
    static let plain = ThemeStyles()

    private init() { styles = [CellStyle](repeating: .plain, count: ThemeRole.allCases.count) }

    subscript(role: ThemeRole) -> CellStyle {
        get { styles[role.rawValue] }
        set { styles[role.rawValue] = newValue }
    }
}

/// The characters that mark something: `marks` in theme files.
struct ThemeSymbols: Hashable, Sendable {
    enum Name: String, CaseIterable, Sendable {
        case selection
        /// Before the title of a marked photo.
        case marked
        /// In the box of a loading and of a failed image, and beside a stale one.
        case picture, broken, stale
        /// Fills boxes without a background colour.
        case shade
        case barFull, barEmpty
        case more, less
        /// On each side of a setting's value.
        case previous, next
    }

    private var marks: [Name: TerminalText] = [:]
    var spinner: [TerminalText] = []

    subscript(name: Name) -> TerminalText {
        get { marks[name] ?? " " }
        set { marks[name] = newValue }
    }

    func spinner(at phase: Int) -> TerminalText {
        guard !spinner.isEmpty else { return " " }
        return spinner[Int(phase.magnitude % UInt(spinner.count))]
    }
}

/// Columns that stay free.
struct ThemeMargins: Hashable, Sendable {
    enum Name: String, CaseIterable, Sendable {
        case side
        /// Between an image and its text, and between columns.
        case gap
        case panel
    }

    static let maxColumns = 8
    var side = 1
    var gap = 2
    var panel = 2

    /// Before the text of a screen; one column less is free after it.
    func leading(on columns: Int) -> Int { columns < 5 ? 0 : min(side + 1, max(columns / 10, 1)) }
}

extension ThemeSheet {
    /// Applies a user's file to the built-in theme for its background.
    init(parsing bytes: [UInt8], file: String) throws(BrowserError) {
        guard bytes.count <= Theme.byteLimit else {
            throw BrowserError("\(file): a theme is at most \(Theme.byteLimit >> 10) KiB long")
        }
        var first = ThemeSheet()
        try first.read(bytes, file: file)
        self = first.background == .dark ? .dark : first.background == .light ? .light : .neutral
        name = file
        try read(bytes, file: file)
    }

    mutating func read(_ bytes: [UInt8], file: String) throws(BrowserError) {
        let value: JSONValue
        do { value = try JSONValue(parsing: bytes) } catch {
            let line = bytes.prefix(error.offset).count { $0 == UInt8(ascii: "\n") } + 1
            throw BrowserError("\(file): line \(line): \(error.description)")
        }
        try ThemeReader(file: file).read(value, into: &self)
    }
}

/// Reads the members of a theme file; throws on unknown ones.
private struct ThemeReader {
    let file: String
    private static let attributes: [String: TextStyle.Attributes] = [
        "bold": .bold, "dim": .dim, "underline": .underline, "reverse": .reverse,
    ]
    /// SGR 30–37 and 90–97, by palette index.
    private static let palette = [
        "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "brightBlack", "brightRed",
        "brightGreen", "brightYellow", "brightBlue", "brightMagenta", "brightCyan", "brightWhite",
    ]

    private enum Member: CaseIterable {
        case name, background, colors, colors16, marks, marksASCII, margins
    }

    private func error(_ path: String, _ message: String) -> BrowserError {
        BrowserError(TerminalText(cleaning: "\(file): \(path): \(message)").string)
    }

    func read(_ value: JSONValue, into sheet: inout ThemeSheet) throws(BrowserError) {
        for member in try members(of: value, at: "the file") {
            let name = member.name
            switch try known(name, as: Member.self, at: "the file") {
            case .name: sheet.name = try text(member.value, at: name)
            case .background:
                sheet.background = try known(try text(member.value, at: name), as: ThemeSheet.Background.self, at: name)
            case .colors: try read(member.value, into: &sheet.colors, at: name, allowsRGB: true)
            case .colors16: try read(member.value, into: &sheet.colors16, at: name, allowsRGB: false)
            case .marks: try read(member.value, into: &sheet.marks, at: name, in: .utf8)
            case .marksASCII: try read(member.value, into: &sheet.marksASCII, at: name, in: .ascii)
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

    private func read(
        _ value: JSONValue, into styles: inout ThemeStyles, at path: String, allowsRGB: Bool
    ) throws(BrowserError) {
        for member in try members(of: value, at: path) {
            let role = try known(member.name, as: ThemeRole.self, at: path)
            styles[role] = try style(member.value, at: "\(path).\(member.name)", allowsRGB: allowsRGB)
        }
    }

    /// Parses attributes and at most one colour, after `on` that of the background: `bold #rrggbb on blue`.
    private func style(_ value: JSONValue, at path: String, allowsRGB: Bool) throws(BrowserError) -> CellStyle {
        var style = CellStyle.plain
        var isBackground = false
        for word in try text(value, at: path).split(separator: " ").map(String.init) {
            if isBackground {
                style.background = try color(word, at: path, allowsRGB: allowsRGB)
            } else if word == "on" {
                isBackground = true
            } else if let attribute = Self.attributes[word] {
                style.attributes.insert(attribute)
            } else {
                style.foreground = try color(word, at: path, allowsRGB: allowsRGB)
            }
        }
        return style
    }

    private func color(_ word: String, at path: String, allowsRGB: Bool) throws(BrowserError) -> CellColor {
        if word == "default" { return .terminalDefault }
        if let index = Self.palette.firstIndex(of: word) { return .palette(UInt8(index)) }
        if allowsRGB, let color = RGB(parsing: word) { return .rgb(color) }
        let forms = (allowsRGB ? ["#rrggbb"] : []) + ["default"] + Self.palette
        throw error(path, "'\(word)' is not a colour; expected \(forms.joined(separator: ", "))")
    }

    private func read(
        _ value: JSONValue, into marks: inout ThemeSymbols, at path: String, in glyphs: GlyphSet
    ) throws(BrowserError) {
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
