package import SpyglassCatalog

/// Parses the text of the search field: words, and filters of the source among them.
///
///     try SearchText(filters: NASASource.filters).query(of: "moon center:JSC year:1969-1972 photographer:\"Bill Ingalls\"")
///
/// A word of letters, a colon and a value is a filter; one that the source lacks is an error. Everything else (`12:30`,
/// `Apollo 11: the landing`, `"foo:bar"`, `https://a.example`) is words.
package struct SearchText {
    /// The filters of the source that is searched, in the order in which they are offered.
    let filters: [PhotoFilter]

    package init(filters: [PhotoFilter]) { self.filters = filters }

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

    /// Splits a text at spaces outside quotation marks; an open one reaches to the end.
    private static func words(of text: String) -> [Substring] {
        var isQuoted = false
        return text.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character.isWhitespace && !isQuoted
        }
    }

    /// Splits `name:value` at the colon.
    private static func parts(of word: Substring) -> (name: String, value: Substring)? {
        guard let colon = word.firstIndex(of: ":"), colon != word.startIndex else { return nil }
        let name = word[..<colon].lowercased()
        guard name.allSatisfy({ $0.isASCII && $0.isLetter }) else { return nil }
        return (name, word[word.index(after: colon)...])
    }

    /// Returns a filter and its value, without quotation marks; `nil` for a word.
    private func filter(in word: Substring) throws(SearchSyntaxError) -> (PhotoFilter, String)? {
        guard let (name, text) = Self.parts(of: word) else { return nil }
        var value = text
        guard let filter = filters.first(where: { $0.name == name }) else {
            // Without a value, the colon ends a clause: "Centre: the inner stars".
            guard !value.isEmpty, !value.hasPrefix("//"), name.count > 1 else { return nil }
            throw .unknownFilter(name, known: filters.map(\.name))
        }
        value = value.first == "\"" ? value.dropFirst() : value
        value = value.last == "\"" ? value.dropLast() : value
        return (filter, String(value))
    }
}

package enum SearchSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// `colour:red`: not a filter of the source.
    case unknownFilter(String, known: [String])
    /// `year:soon`: not a value of the filter.
    case badValue(String, filter: String, examples: [String])
    /// `center:` without a value.
    case emptyFilter(String)

    package var description: String { UIStrings(.english).text(of: self) }
}
