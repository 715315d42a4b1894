import SpyglassBatch
import SpyglassCatalog
import SpyglassFetching

/// Reads an option's value, strictly: an invalid value is an error that names the valid ones.
///
/// The error is the end of the sentence "--limit 0: …".
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
    /// A parser of what `read` does not return `nil` for: `expected`, in messages.
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
        let names = (acceptsAuto ? ["auto"] : []) + Value.allCases.map(\.rawValue)
        return ValueParser(ValueText.alternatives(names), .words(names), acceptsAuto: acceptsAuto, Value.init)
    }
}

extension ValueParser<Int> {
    static func number(_ range: ClosedRange<Int>) -> ValueParser {
        ValueParser("a number \(ValueText.text(range))") { text in
            ValueText.digits(text[...]).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A number with `K`, `M` or `G` for powers of 1,000: `100M`.
    static func count(_ range: ClosedRange<Int>) -> ValueParser {
        ValueParser("a number \(ValueText.text(range)), such as 900M") { text in
            ValueText.scaled(text, by: ValueText.decimalUnits).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Bytes: plain, or with `K M G` (powers of 1,000) or `KiB MiB GiB` (powers of 1,024).
    static func size(_ range: ClosedRange<Int>) -> ValueParser {
        let units = "K M G are powers of 1,000, KiB MiB GiB of 1,024"
        return ValueParser("a size \(ValueText.text(range)) bytes, such as 64MiB (\(units))") { text in
            ValueText.scaled(text, by: ValueText.units).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension ValueParser<Double> {
    /// Events a second: `2`, `0.5`; at least one in a thousand seconds.
    static var rate: ValueParser {
        ValueParser("a number from 0.001 to 10,000, such as 2 or 0.5") { text in
            let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            // Excludes other forms that `Double` reads: `1e3`, `inf`, `0x1p3`.
            guard text.utf8.count <= 12, (1...2).contains(parts.count),
                parts.allSatisfy({ part in !part.isEmpty && part.allSatisfy { (0x30...0x39).contains($0) } }),
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

extension ValueParser<ResultLimit> {
    static var resultLimit: ValueParser {
        let range = 1...1_000_000
        return ValueParser("a number \(ValueText.text(range)), or all") { text in
            guard text != "all" else { return .all }
            return ValueText.digits(text[...]).flatMap { range.contains($0) ? .count($0) : nil }
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
            do throws(FetchError) { return try WebAddress(validating: text) } catch {
                throw .usage(error.description)
            }
        }
    }
}

extension ValueParser<NameTemplate> {
    static var template: ValueParser {
        ValueParser(values: OptionValues(omitsValue: true)) { text throws(Failure) in
            do throws(BatchError) { return try NameTemplate(parsing: text) } catch {
                throw .usage(error.message)
            }
        }
    }
}
