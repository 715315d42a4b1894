import SpyglassBatch
import SpyglassCatalog
import SpyglassCodecs
import SpyglassFetching
import SpyglassTerminalUI

/// Reads an option's value strictly; the error for an invalid one names the valid ones and completes "--limit 0: …".
struct ValueParser<Value: Sendable>: Sendable {
    var values = OptionValues()
    let parse: @Sendable (String) throws(Failure) -> Value
}

/// Describes the values of an option, for completions and messages.
struct OptionValues: Sendable {
    var completions = CompletionWords.nothing
    /// Whether the value `auto` counts as not given.
    var acceptsAuto = false
    /// Whether messages omit the value: the error quotes it, or it may hold a password.
    var omitsValue = false
}

extension ValueParser {
    /// A parser that refuses a text for which `read` returns `nil`; `expected` completes "expected …".
    init(
        _ expected: String, _ completions: CompletionWords = .nothing, acceptsAuto: Bool = false,
        _ read: @escaping @Sendable (String) -> Value?
    ) {
        self.init(values: OptionValues(completions: completions, acceptsAuto: acceptsAuto)) { text throws(Failure) in
            guard let value = read(text) else { throw .usage("expected \(expected)") }
            return value
        }
    }
}

extension ValueParser where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    static var choice: ValueParser { choice() }
    static var choiceOrAuto: ValueParser { choice(acceptsAuto: true) }

    private static func choice(acceptsAuto: Bool = false) -> ValueParser {
        let names = (acceptsAuto ? ["auto"] : []) + Value.names
        return ValueParser(ValueText.alternatives(names), .words(names), acceptsAuto: acceptsAuto, Value.init)
    }
}

extension ValueParser<BatchJob.Quality> {
    static var quality: ValueParser {
        ValueParser("a number \(ValueText.text(1...100)), or lossless", .words(["lossless"])) { text in
            text == "lossless" ? .lossless : ValueText.scaled(text, by: [], in: 1...100).map { .level($0) }
        }
    }
}

extension ValueParser<Int> {
    static func number(_ range: ClosedRange<Int>) -> ValueParser {
        ValueParser("a number \(ValueText.text(range))") { ValueText.scaled($0, by: [], in: range) }
    }

    /// `tar`, or `tar:N` for the inputs of a tar file.
    static var pack: ValueParser {
        let range = TarPacker.inputsRange
        return ValueParser("tar, or tar:N with a number \(ValueText.text(range))", .words(["tar"])) { text in
            if text == "tar" { return TarPacker.defaultInputs }
            return text.hasPrefix("tar:") ? ValueText.scaled(String(text.dropFirst(4)), by: [], in: range) : nil
        }
    }

    /// A number with `K`, `M` or `G` for powers of 1,000: `100M`.
    static func count(_ range: ClosedRange<Int>) -> ValueParser {
        ValueParser("a number \(ValueText.text(range)), such as 900M") {
            ValueText.scaled($0, by: ValueText.decimalUnits, in: range)
        }
    }

    /// Bytes: plain, or with `K M G` (powers of 1,000) or `KiB MiB GiB` (powers of 1,024).
    static func size(_ range: ClosedRange<Int>) -> ValueParser {
        let units = "K M G are powers of 1,000, KiB MiB GiB of 1,024"
        return ValueParser("a size \(ValueText.text(range)) bytes, such as 64MiB (\(units))") {
            ValueText.scaled($0, by: ValueText.units, in: range)
        }
    }

    /// The maximum number of results; `all` is `Int.max`.
    static var resultLimit: ValueParser {
        let range = 1...1_000_000
        return ValueParser("a number \(ValueText.text(range)), or all") {
            $0 == "all" ? .max : ValueText.scaled($0, by: [], in: range)
        }
    }
}

extension ValueParser<Double> {
    /// Events a second: `2`, `0.5`; at least one in a thousand seconds.
    static var rate: ValueParser {
        ValueParser("a number from 0.001 to 10,000, such as 2 or 0.5") { text in
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            // Excludes other forms that `Double` reads: `1e3`, `inf`, `0x1p3`.
            guard text.utf8.count <= 12, parts.count <= 2, parts.allSatisfy({ $0.decimal != nil }),
                let value = Double(text), (0.001...10_000).contains(value)
            else { return nil }
            return value
        }
    }
}

extension ValueParser<String> {
    static var text: ValueParser { text(.nothing) }
    static var file: ValueParser { text(.files) }
    static var folder: ValueParser { text(.folders) }

    static func text(_ completions: CompletionWords) -> ValueParser {
        ValueParser("text", completions) { $0.isEmpty ? nil : $0 }
    }

    static var anyText: ValueParser { ValueParser { $0 } }

    /// Text for a header field: printable ASCII (RFC 9110 section 5.5), so that it cannot start another field.
    static var headerText: ValueParser {
        ValueParser("1 to 256 printable ASCII characters") { text in
            let isValid = text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
            return isValid && (1...256).contains(text.utf8.count) ? text : nil
        }
    }
}

extension ValueParser<SourceDeclaration> {
    static var source: ValueParser {
        let names = SourceDeclaration.all.map(\.name)
        return ValueParser(ValueText.alternatives(names), .words(names)) { SourceDeclaration(name: $0) }
    }
}

extension ValueParser<WebAddress> {
    static var address: ValueParser {
        ValueParser(values: OptionValues(omitsValue: true)) { text throws(Failure) in
            do throws(FetchError) { return try WebAddress(validating: text) } catch { throw .usage(error.description) }
        }
    }
}

extension ValueParser<NameTemplate> {
    static var template: ValueParser {
        ValueParser(values: OptionValues(omitsValue: true)) { text throws(Failure) in
            do throws(BatchError) { return try NameTemplate(parsing: text) } catch { throw .usage(error.message) }
        }
    }
}

/// Numbers and lists in help and messages, and how the values of options spell them.
enum ValueText {
    /// `a, b or c`.
    static func alternatives(_ words: [String]) -> String {
        guard words.count > 1, let last = words.last else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }

    /// A number with commas between its thousands: `34,684`.
    static func grouped(_ number: Int) -> String { PhotoFormatter(language: .english).number(number) }

    /// `from 1 to 1,000`.
    static func text(_ range: ClosedRange<Int>) -> String {
        "from \(grouped(range.lowerBound)) to \(grouped(range.upperBound))"
    }

    /// Reads `#rrggbb`, `#rgb`, `black` or `white`.
    static func color(_ text: String) -> RGB? {
        switch text {
        case "black": return .black
        case "white": return RGB(255, 255, 255)
        default:
            guard text.hasPrefix("#"), text.utf8.count == 4 else { return RGB(parsing: text) }
            return RGB(parsing: "#" + text.dropFirst().map { "\($0)\($0)" }.joined())
        }
    }

    /// A number as options accept it, with the largest unit that divides it: `64MiB`, `100M`, `65535`.
    static func scaled(_ number: Int) -> String {
        let units = units.filter { number > 0 && number.isMultiple(of: $0.1) }
        guard let unit = units.max(by: { $0.1 < $1.1 }) else { return "\(number)" }
        return "\(number / unit.1)\(unit.0)"
    }

    /// Bytes, rounded down: `0 B`, `999 B`, `40.3 KiB`, `1.0 GiB`.
    static func bytes(_ count: Int) -> String {
        guard let unit = binaryUnits.last(where: { count >= $0.1 }) else { return "\(count) B" }
        let (whole, tenths) = (count / unit.1, count % unit.1 * 10 / unit.1)
        return "\(whole).\(tenths) \(unit.0)"
    }

    static let decimalUnits: [(String, Int)] = [("K", 1_000), ("M", 1_000_000), ("G", 1_000_000_000)]
    private static let binaryUnits: [(String, Int)] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]
    static let units = decimalUnits + binaryUnits

    /// Reads a number with one of the units, or with none; `nil` beyond `range`.
    static func scaled(_ text: String, by units: [(String, Int)], in range: ClosedRange<Int>) -> Int? {
        let unit = units.first { text.hasSuffix($0.0) } ?? ("", 1)
        guard let number = text.dropLast(unit.0.count).decimal else { return nil }
        let (product, overflows) = number.multipliedReportingOverflow(by: unit.1)
        return !overflows && range.contains(product) ? product : nil
    }
}

/// A template of captions: `{name} {size} {format}`; `{{` and `}}` are literal braces.
struct CaptionFormat: Hashable, Sendable {
    enum Field: String, CaseIterable, Sendable {
        /// The file's name without its folder.
        case name
        /// The size of the upright image in pixels: `4000x3000`.
        case size
        case format
    }

    private enum Piece: Hashable {
        case text(String)
        case field(Field)
    }

    private var pieces: [Piece] = []

    /// The fields, as help lists them.
    static let fields = Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
    static let standard = CaptionFormat(
        pieces: Array(Field.allCases.flatMap { [.text(" "), .field($0)] }.dropFirst()))

    /// The caption of an image; `title` is its path, or its host and path.
    func text(of info: ImageInfo, title: String) -> TerminalText {
        let texts = pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .field(.name): title.split(separator: "/").last.map(String.init) ?? title
            case .field(.size): "\(info.size)"
            case .field(.format): "\(info.format)"
            }
        }
        return TerminalText(cleaning: texts.joined())
    }
}

extension CaptionFormat {
    init(parsing text: String) throws(Failure) {
        var rest = text[...].unicodeScalars
        while let scalar = rest.popFirst() {
            if scalar == "{" || scalar == "}", rest.first == scalar {
                rest.removeFirst()
            } else if scalar == "}" {
                throw .usage("'}' without '{'; write '}}' for a literal one")
            } else if scalar == "{" {
                guard let end = rest.firstIndex(of: "}") else {
                    throw .usage("'{' without '}'; write '{{' for a literal one")
                }
                guard let field = Field(rawValue: String(rest[..<end])) else {
                    throw .usage("unknown field {\(String(rest[..<end]))}; use \(Self.fields)")
                }
                rest = rest[rest.index(after: end)...]
                pieces.append(.field(field))
                continue
            }
            pieces.append(.text(String(scalar)))
        }
    }
}

/// A size in cells, as `--cells` reads it: `80x24`, or with one free side `80x`, `80` or `x40`.
struct CellBox: Hashable, Sendable, CustomStringConvertible {
    /// `nil`: free.
    let columns, rows: Int?

    init?(parsing text: String) {
        if let both = CellSize(parsing: text) {
            (columns, rows) = (both.columns, both.rows)
        } else if let one = CellSize(parsing: text + (text.hasSuffix("x") ? "1" : "x1")) {
            (columns, rows) = (one.columns, nil)
        } else if text.hasPrefix("x"), let one = CellSize(parsing: "1" + text) {
            (columns, rows) = (nil, one.rows)
        } else {
            return nil
        }
    }

    /// The size with its free side from `other`.
    func filled(from other: CellSize) -> CellSize { CellSize(clamping: columns ?? other.columns, rows ?? other.rows) }

    var description: String { "\(columns.map { "\($0)" } ?? "")x\(rows.map { "\($0)" } ?? "")" }
}

extension CellSize {
    /// The length of a free side.
    static let largest = CellSize(clamping: largestSide, largestSide)
}
