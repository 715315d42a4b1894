package import SpyglassCatalog

/// The text of the search field as a query: words, and filters of the source among them.
///
///     try SearchText(filters: NASASource.filters).query(of: "moon center:JSC year:1969-1972 photographer:\"Bill Ingalls\"")
///
/// A word is a filter if it starts with a filter's name and a colon. A name with one typing error is an error. Everything else
/// (`12:30`, `Apollo 11: the landing`) is words.
package struct SearchText {
    /// The filters of the source that is searched, in the order in which they are offered.
    let filters: [PhotoFilter]
    /// The names of filters that only other sources have: an error instead of words.
    var otherNames: Set<String> = []

    package func query(of text: String) throws(SearchSyntaxError) -> PhotoQuery {
        var query = PhotoQuery()
        var words: [Substring] = []
        for word in Self.words(of: text) {
            guard let (filter, value) = try filter(in: word) else {
                words.append(word)
                continue
            }
            do throws(CatalogError) { try query.add(value, to: filter) } catch {
                throw filter.values(of: value)?.isEmpty == true
                    ? .emptyFilter(filter.name) : .badValue(value, filter: filter.name, examples: filter.examples)
            }
        }
        query.text = words.joined(separator: " ")
        return query
    }

    /// The name of a word such as `foo:bar`, which looks like a filter and is none; not of `https://a.example`.
    package func unknownFilter(in words: String) -> String? {
        Self.words(of: words).lazy.compactMap { word in
            guard let (name, value) = Self.parts(of: word), !value.isEmpty, !value.hasPrefix("//"), name.count > 1,
                !filters.contains(where: { $0.name == name })
            else { return nil }
            return name
        }.first
    }

    /// Filters come first: an open quotation mark among the words would swallow them.
    func text(of query: PhotoQuery) -> String {
        var parts: [String] = []
        for filter in filters where query[filter.name] != filter.defaultValues {
            let value = query[filter.name].joined(separator: ",").filter { $0 != "\"" }
            if !value.isEmpty { parts.append(Self.text(of: value, filter)) }
        }
        if !query.text.isEmpty { parts.append(query.text) }
        return parts.joined(separator: " ")
    }

    var hint: String {
        filters.prefix(3).compactMap { filter in filter.examples.first.map { Self.text(of: $0, filter) } }
            .joined(separator: "  ")
    }

    /// `category:"Lighthouses in Brittany"`: quotation marks keep the words of a value together.
    private static func text(of value: String, _ filter: PhotoFilter) -> String {
        value.contains(where: \.isWhitespace) ? "\(filter.name):\"\(value)\"" : "\(filter.name):\(value)"
    }

    /// The parts between spaces outside quotation marks; an open one reaches to the end.
    private static func words(of text: String) -> [Substring] {
        var isQuoted = false
        return text.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character.isWhitespace && !isQuoted
        }
    }

    /// The parts before and after the colon of `name:value`.
    private static func parts(of word: Substring) -> (name: String, value: Substring)? {
        guard let colon = word.firstIndex(of: ":"), colon != word.startIndex else { return nil }
        let name = word[..<colon].lowercased()
        guard name.allSatisfy({ $0.isASCII && $0.isLetter }) else { return nil }
        return (name, word[word.index(after: colon)...])
    }

    /// A filter and its value, without quotation marks; `nil` for a word.
    private func filter(in word: Substring) throws(SearchSyntaxError) -> (PhotoFilter, String)? {
        guard let (name, text) = Self.parts(of: word) else { return nil }
        var value = text
        guard let filter = filters.first(where: { $0.name == name }) else {
            // Without a value, the colon ends a clause: "Centre: the inner stars".
            guard !value.isEmpty,
                otherNames.contains(name) || filters.contains(where: { EditDistance.between(name, $0.name) == 1 })
            else { return nil }
            throw .unknownFilter(name, known: filters.map(\.name))
        }
        value = value.first == "\"" ? value.dropFirst() : value
        value = value.last == "\"" ? value.dropLast() : value
        return (filter, String(value))
    }
}

extension SearchText {
    /// The search of one source; those of the others name filters that it lacks.
    package init(_ source: SourceDeclaration, among sources: [SourceDeclaration]) {
        let names = Set(sources.flatMap { $0.filters.map(\.name) })
        self.init(filters: source.filters, otherNames: names.subtracting(source.filters.map(\.name)))
    }
}

extension SearchSyntaxError: Error, CustomStringConvertible {
    package var description: String { UIStrings.english.text(of: self) }
}
