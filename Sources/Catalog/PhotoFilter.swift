internal import SpyglassFetching

/// A search filter that a source declares: its name, its values and its help.
///
/// Command-line options, the `name:value` syntax of the search field, help and completions are derived from it.
///
///     let year = PhotoFilter("year", form: .years, placeholder: "YEAR[-YEAR]", help: "a year or a range")
///     try year.values(of: "1969-1969")   // ["1969"]
public struct PhotoFilter: Hashable, Sendable {
    /// Which values a filter accepts.
    @nonexhaustive
    public enum Form: Hashable, Sendable {
        /// Any text.
        case text
        /// Any text, converted to upper case.
        case uppercaseText
        /// Comma-separated words; repeatable.
        case words
        /// One of these words, in any case.
        case choice([String])
        /// Some of these words, comma-separated, in any case; repeatable.
        case choices([String])
        /// A four-digit year, or two with a hyphen.
        case years
        /// A day, or two with `..` between them.
        case days
        /// A number.
        case number(ClosedRange<Int>)
    }

    /// The name, in ASCII letters: `year` for `--year 1969` and `year:1969`.
    public let name: String
    /// Which values it accepts.
    public let form: Form
    /// The value's placeholder in help: `YEAR[-YEAR]`.
    package let placeholder: String
    /// A few words about the filter, without its default.
    public let help: String
    /// Valid values; the first serves as a hint.
    package internal(set) var examples: [String]
    /// The values that apply where none is given; empty means no restriction.
    package let defaultValues: [String]

    /// Declares a filter; the examples of `choice` and `choices` are the choices, unless others are given.
    public init(
        _ name: String, form: Form = .text, placeholder: String = "TEXT", help: String, examples: [String] = [],
        defaultValues: [String] = []
    ) {
        self.name = name
        self.form = form
        self.placeholder = placeholder
        self.help = help
        self.defaultValues = defaultValues
        self.examples = examples
        if examples.isEmpty { self.examples = choices }
    }

    /// The valid words of `choice` and `choices`, else none.
    package var choices: [String] {
        switch form {
        case .choice(let choices), .choices(let choices): choices
        default: []
        }
    }

    /// Whether a second value adds to the first instead of replacing it.
    package var isRepeatable: Bool { if case .choices = form { true } else { form == .words } }

    /// The form in words, for an error message: "a year or ...".
    package var expectation: String {
        switch form {
        case .text, .uppercaseText: "text"
        case .words: "words, separated by commas"
        case .choice(let choices): "one of \(choices.joined(separator: ", "))"
        case .choices(let choices): "one or several of \(choices.joined(separator: ", ")), separated by commas"
        case .years: "a year or a range from the first to the last, such as 1969-1972"
        case .days: "a day or a range from the first to the last, such as 2019-12-01..2019-12-26"
        case .number(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
        }
    }

    /// The values that `text` stands for, in canonical form, without repetitions; `nil` if it is not of the filter's form.
    ///
    /// Empty for white space or separators alone.
    package func values(of text: String) -> [String]? {
        let text = text.trimmed
        guard !text.isEmpty else { return [] }
        switch form {
        case .text: return [text]
        case .uppercaseText: return [text.uppercased()]
        case .years:
            guard let years = Self.years(text) else { return nil }
            return [years.count == 1 ? text.prefix(4) : text[...]].map(String.init)
        case .days:
            let dots = text.byteRange(of: "..")
            let days = dots.map { [text[..<$0.lowerBound], text[$0.upperBound...]].map(String.init) } ?? [text]
            guard days.allSatisfy({ $0.utf8.count == 10 && CalendarDay(iso8601: $0)?.day != nil }),
                days[0] <= days[days.count - 1]
            else { return nil }
            return [days.count == 2 && days[0] == days[1] ? days[0] : text]
        case .choice(let choices): return choices.contains(text.lowercased()) ? [text.lowercased()] : nil
        case .number(let range): return text.decimal.flatMap { range.contains($0) ? ["\($0)"] : nil }
        case .words, .choices:
            var words: [String] = []
            let parts = text.split(separator: ",", omittingEmptySubsequences: choices.isEmpty)
            for word in parts.map({ String($0).trimmed }) where !word.isEmpty || !choices.isEmpty {
                let word = choices.isEmpty ? word : word.lowercased()
                guard choices.isEmpty || choices.contains(word) else { return nil }
                if !words.contains(word) { words.append(word) }
            }
            return words
        }
    }

    /// Whether results that are not safe for all are left out; the user's settings add `safe:off`.
    package static let safeSearch = PhotoFilter(
        "safe", form: .choice(["on", "off"]), placeholder: "on|off", help: "leave out mature results",
        defaultValues: ["on"])

    /// Leaves out images that are known to be narrower.
    static let minWidth = PhotoFilter(
        "width", form: .number(1...1_000_000), placeholder: "PIXELS", help: "minimum width in pixels",
        examples: ["1920"])

    /// The years of `1969` or `1969-1972`; `nil` unless each has four ASCII digits and they ascend.
    static func years(_ text: String) -> ClosedRange<Int>? {
        let years = text.split(separator: "-", omittingEmptySubsequences: false).map { part in
            part.utf8.count == 4 ? part.decimal : nil
        }
        guard (1...2).contains(years.count), let first = years[0], let last = years[years.count - 1], first > 0,
            first <= last
        else { return nil }
        return first...last
    }
}

/// A search: words, and values of the filters that the source declares.
///
///     PhotoQuery("apollo 11", filters: ["center": ["JSC"], "year": ["1969-1972"]])
///
/// Everything is optional; an empty query finds everything the source has.
public struct PhotoQuery: Hashable, Sendable {
    /// Words in any field.
    public var text: String
    /// Files and folders, for the folder source: the contents of one folder, or these items.
    package var paths: [[UInt8]] = []
    /// Whether one file stands for all images of its folder.
    package var includesNeighbours = false
    /// Whether the pictures of folders inside are listed, too, and no folders.
    package var includesSubfolders = false
    private var filters: [String: [String]]

    /// A query for words in any field and values of filters by name; the source checks them.
    public init(_ text: String = "", filters: [String: [String]] = [:]) {
        self.text = text
        self.filters = filters.filter { !$0.value.isEmpty }
    }

    /// The values of a filter; none where it does not apply.
    public subscript(filter: String) -> [String] {
        get { filters[filter] ?? [] }
        set { filters[filter] = newValue.isEmpty ? nil : newValue }
    }

    /// Whether mature results are wanted.
    var isUnsafe: Bool { self[PhotoFilter.safeSearch.name].contains("off") }

    /// Adds what was typed for a filter to its values, or replaces them if the filter is not repeatable.
    ///
    /// - Throws: `CatalogError` of kind `invalidQuery` for a value that the filter rejects, and for an empty one.
    public mutating func add(_ text: String, to filter: PhotoFilter) throws(CatalogError) {
        guard let values = filter.values(of: text), !values.isEmpty else {
            throw CatalogError(
                .invalidQuery, "invalid \(filter.name) '\(text)': expected \(filter.expectation)",
                at: .filter(filter.name))
        }
        let old = filter.isRepeatable ? self[filter.name] : []
        self[filter.name] = old + values.filter { !old.contains($0) }
    }

    /// Returns the canonical query; throws `invalidQuery` for an undeclared filter, or a value that it rejects.
    package func checked(by declared: [PhotoFilter], of source: String) throws(CatalogError) -> PhotoQuery {
        var result = PhotoQuery(text.trimmed)
        result.paths = paths
        (result.includesNeighbours, result.includesSubfolders) = (includesNeighbours, includesSubfolders)
        for (name, values) in filters.sorted(by: { $0.key < $1.key }) {
            guard let filter = declared.first(where: { $0.name == name }) else {
                let names = declared.map(\.name).joined(separator: ", ")
                throw CatalogError(
                    .invalidQuery, "\(source): no filter '\(name)'; filters: \(names)", at: .filter(name))
            }
            for value in values where !value.trimmed.isEmpty { try result.add(value, to: filter) }
        }
        return result
    }
}

/// The order of a folder: by name, the newest or the largest first, or another one in each run.
package enum FolderOrder: String, Hashable, Sendable, CaseIterable {
    case name, time, size, random

    /// The name of the folder source's filter.
    package static let filter = "sort"
}

extension PhotoQuery {
    package var folderOrder: FolderOrder? {
        get { self[FolderOrder.filter].first.flatMap(FolderOrder.init) }
        set { self[FolderOrder.filter] = newValue.map { [$0.rawValue] } ?? [] }
    }
}

extension String {
    package var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }

    var nonEmpty: String? { isEmpty ? nil : self }
}
