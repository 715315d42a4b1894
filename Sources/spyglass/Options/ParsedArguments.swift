import SpyglassCatalog
import SpyglassFiles

struct ParsedOption: Sendable {
    let declaration: OptionDeclaration
    /// The name as the user wrote it: `--limit`, `-n`, `SPYGLASS_LIMIT`.
    let spelling: String
    let value: String?

    func change() throws(Failure) -> OptionDeclaration.Change {
        do { return try declaration.change(value) } catch {
            guard let value, !declaration.values.omitsValue else { throw .usage("\(spelling): \(error.message)") }
            let shown = value.isEmpty || value.contains(" ") ? "'\(value)'" : value
            throw .usage("\(spelling) \(shown): \(error.message)")
        }
    }
}

struct ParsedArguments {
    private(set) var options: [ParsedOption] = []
    /// Operands before `--`; the first may be a command's name.
    private(set) var operands: [Argument] = []
    private(set) var afterDashes: [Argument] = []

    /// The first word that is a command's name; for messages about options before it.
    private let likelyCommand: Command?

    init(_ arguments: [Argument]) throws(Failure) {
        likelyCommand = arguments.lazy.compactMap { Command(rawValue: $0.text) }.first
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let word = argument.text
            if word == "--" {
                afterDashes = Array(rest)
                return
            }
            if word.hasPrefix("--") {
                try addLong(word.dropFirst(2), &rest)
            } else if word.hasPrefix("-"), word != "-" {
                try addShort(word.dropFirst(), &rest)
            } else {
                operands.append(argument)
            }
        }
    }

    private mutating func addLong(_ word: Substring, _ rest: inout ArraySlice<Argument>) throws(Failure) {
        let equals = word.firstIndex(of: "=")
        let name = word[..<(equals ?? word.endIndex)]
        let attached = equals.map { String(word[word.index(after: $0)...]) }
        guard let declaration = OptionTable.named(name) else {
            guard let former = FormerOption.table.first(where: { $0.name == name }) else {
                throw unknown("--\(name)", name)
            }
            throw .usage("--\(name) was removed in 0.3; \(former.advice)")
        }
        guard declaration.form != .none || attached == nil else {
            throw .usage("\(declaration.dashed) takes no value")
        }
        try add(declaration, as: declaration.dashed, attached, &rest)
    }

    /// `-q`, `-qv`, `-n5`, `-n 5`.
    private mutating func addShort(_ letters: Substring, _ rest: inout ArraySlice<Argument>) throws(Failure) {
        var letters = letters
        while let letter = letters.popFirst() {
            guard let declaration = OptionTable.abbreviated(letter) else { throw unknown("-\(letter)", letters) }
            var attached: String?
            if case .required = declaration.form, !letters.isEmpty {
                attached = String(letters)
                letters = ""
            }
            try add(declaration, as: "-\(letter)", attached, &rest)
        }
    }

    private mutating func add(
        _ declaration: OptionDeclaration, as spelling: String, _ attached: String?, _ rest: inout ArraySlice<Argument>
    ) throws(Failure) {
        var value = attached
        if value == nil, case .required(let placeholder) = declaration.form {
            guard let next = rest.first?.text else {
                throw .usage("\(spelling) needs a value: \(spelling) \(placeholder)")
            }
            guard !Self.isOption(next) else {
                let remedy = "to pass it as the value, write \(declaration.dashed)=\(next)"
                throw .usage("\(spelling) needs a value before \(next); \(remedy)")
            }
            rest.removeFirst()
            value = next
        }
        options.append(ParsedOption(declaration: declaration, spelling: spelling, value: value))
    }

    /// Whether a word is a known long option, and so unlikely to be the value of another.
    private static func isOption(_ word: String) -> Bool {
        word == "--" || word.hasPrefix("--") && OptionTable.named(word.dropFirst(2).prefix { $0 != "=" }) != nil
    }

    private func unknown(_ spelling: String, _ name: Substring) -> Failure {
        let foreign = ForeignOption.advice(for: spelling, in: likelyCommand)
        let command = likelyCommand ?? (foreign == nil ? .browse : .show)
        let help = command == .help ? "spyglass help lists commands" : "spyglass help \(command) lists the options"
        let names = spelling.hasPrefix("--") ? OptionTable.all.filter { !$0.isHidden }.map(\.name) : []
        let advice = foreign ?? EditDistance.suggestion(for: name, among: names, prefix: "--")
        return .usage("unknown option \(spelling); " + (advice.map { "\($0) (\(help))" } ?? help))
    }
}

/// One word of the command line; its bytes open files, since names need not be UTF-8.
struct Argument: Hashable, Sendable {
    /// Invalid UTF-8 is replaced with U+FFFD.
    let text: String
    /// The bytes, if they are not valid UTF-8.
    private let original: [UInt8]?

    init(_ text: String) { (self.text, original) = (text, nil) }

    init(bytes: [UInt8]) {
        text = String(decoding: bytes, as: UTF8.self)
        original = text.utf8.elementsEqual(bytes) ? nil : bytes
    }

    var isUTF8: Bool { original == nil }
    var bytes: [UInt8] { original ?? Array(text.utf8) }
}

extension Argument: FilePath, ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self.init(text) }

    func withCPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        original.map { $0.withCPath(body) } ?? text.withCPath(body)
    }

    var containsZero: Bool { text.containsZero }
    var shown: String { text }
}

/// Options of other programs, and ours instead: of terminal image viewers (chafa, timg, viu, catimg, kitty icat, imgcat), and of
/// those that make thumbnails.
enum ForeignOption {
    /// Names our option instead of another program's; `nil` if there is none.
    static func advice(for spelling: String, in command: Command?) -> String? {
        if command == .resize, ["-o", "--output"].contains(spelling) { return "use --out DIR" }
        guard [.show, .list, .browse, nil].contains(command) else { return nil }
        return table.first { $0.spellings.contains(spelling) }.map { "use \($0.replacement)" }
    }

    private static let table: [(spellings: [String], replacement: String)] = [
        (["-s", "-g", "--size", "--geometry"], "--cells COLSxROWS"),
        (["-w", "-W", "--width", "--fit-width"], "--cells COLSx"),
        (["-H", "--height"], "--cells xROWS"),
        (["-f", "-p", "--format", "--symbols", "--pixelation", "--protocol", "--blocks"], "--pixels MODE"),
        (["--sixel", "--kitty", "--iterm"], "--pixels MODE"),
        (["-c", "--colors", "--colours"], "--color WHEN"),
        (["-U", "--upscale", "--scale-up", "--zoom", "--stretch"], "--enlarge"),
        (["-b", "-t", "--bg", "--transparent", "--transparency"], "--background COLOR"),
        (["-F", "-l", "--label", "--name", "--title"], "--caption=FORMAT"),
        (["--font-ratio", "--cell-ratio"], "--cell-size WxH"),
        (["-u", "--url"], "the URL alone"),
    ]
}

/// Options of earlier versions of this program, and what replaces them.
enum FormerOption {
    static let table: [(name: String, advice: String)] = [
        ("animate", "for show, --frame 1 prints a still image; the browser's settings choose which animations play"),
        ("cache-originals", "keep downloads with --record DIR, and reuse them with --archive DIR"),
        ("contact", "use --user-agent 'Spyglass (ADDRESS)'"),
        ("deadline", "use --timeout: a whole response may take \(Options.timeoutsOfBody) times as long"),
        ("dither", "one image in 256 or 16 colours is always dithered"),
        ("exact", "images are always decoded near the needed size"),
        ("fidelity", "colours of images are always exact"),
        ("lang", "use the locale, such as LC_ALL=de_DE.UTF-8, or the browser's settings"),
        ("max-redirects", "a request follows at most 5"),
        ("max-scans", "save such a file as a baseline JPEG"),
        ("max-side", "use --max-pixels, which also replaces the limit of a side"),
        ("memory-limit", "the browser's settings have a limit for images; --work-memory limits decoding"),
        ("min-rate", "saving an original fails below 1 KiB/s over a minute"),
        ("no-mouse", "the browser's settings turn the mouse off"),
        ("no-scroll-region", "terminals without scroll regions are recognised"),
        ("page", "use --limit, and skip what is not needed"),
        ("progress", "--quiet prints none; a file or a pipe gets lines with --verbose"),
        ("save", "use --json > FILE"),
        ("urls", "name the file: spyglass bench fetch FILE"),
    ]
}
