internal import SpyglassCatalog

/// What stands in the search field, as a query: words, and NASA's filters among them.
///
///     try SearchText.query(of: "moon center:JSC year:1969-1972 photographer:\"Bill Ingalls\"")
///
/// A word with a colon is a filter when letters alone stand before the colon and they are a filter's name. What is one slip of the
/// finger away from a name is a mistake; everything else (`12:30`, `Apollo 11: the landing`) is words.
enum SearchText {
    /// The filters, in the order in which they are offered.
    static let filters = ["center", "year", "photographer", "title", "location", "keywords", "id", "album", "media"]

    static func query(of text: String) throws(SearchSyntaxError) -> PhotoQuery {
        var query = PhotoQuery()
        var words: [Substring] = []
        for word in self.words(of: text) {
            guard let (name, value) = try filter(in: word) else {
                words.append(word)
                continue
            }
            try set(name, to: value, word: word, in: &query)
        }
        query.text = words.joined(separator: " ")
        return query
    }

    /// What can be typed to get a query, whatever filters came from elsewhere: they stand first, since a quote among the words that is
    /// not closed would swallow them.
    static func text(of query: PhotoQuery) -> String {
        var parts: [String] = []
        func add(_ name: String, _ value: String?) {
            guard let value = value?.filter({ $0 != "\"" }), !value.isEmpty else { return }
            parts.append(value.contains(where: \.isWhitespace) ? "\(name):\"\(value)\"" : "\(name):\(value)")
        }
        add("center", query.center)
        if let first = query.firstYear ?? query.lastYear {
            let last = query.lastYear ?? first
            add("year", first == last ? "\(first)" : "\(first)-\(last)")
        }
        add("photographer", query.photographer)
        add("title", query.title)
        add("location", query.location)
        add("keywords", query.keywords.joined(separator: ","))
        add("id", query.id)
        add("album", query.album)
        if query.mediaTypes != PhotoQuery().mediaTypes {
            add("media", query.mediaTypes.map(\.rawValue).joined(separator: ","))
        }
        if !query.text.isEmpty { parts.append(query.text) }
        return parts.joined(separator: " ")
    }

    /// The parts between spaces; a part in quotes keeps its spaces, and a quote that is not closed reaches to the end.
    private static func words(of text: String) -> [Substring] {
        var isQuoted = false
        return text.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character.isWhitespace && !isQuoted
        }
    }

    /// The name and the value of a filter; `nil` for a word.
    private static func filter(in word: Substring) throws(SearchSyntaxError) -> (String, String)? {
        guard let colon = word.firstIndex(of: ":"), colon != word.startIndex else { return nil }
        let name = word[..<colon].lowercased()
        guard name.allSatisfy({ $0.isASCII && $0.isLetter }) else { return nil }
        var value = word[word.index(after: colon)...]
        guard filters.contains(name) else {
            // With nothing behind the colon it ends a clause: "Centre: the inner stars".
            guard !value.isEmpty, filters.contains(where: { isOneEdit(name, from: $0) }) else { return nil }
            throw .unknownFilter(name, known: filters)
        }
        value = value.first == "\"" ? value.dropFirst() : value
        value = value.last == "\"" ? value.dropLast() : value
        let trimmed = String(value.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        guard !trimmed.isEmpty else { throw .emptyFilter(name) }
        return (name, trimmed)
    }

    private static func set(
        _ name: String, to value: String, word: Substring, in query: inout PhotoQuery
    ) throws(SearchSyntaxError) {
        switch name {
        case "center": query.center = value.uppercased()
        case "photographer": query.photographer = value
        case "title": query.title = value
        case "location": query.location = value
        case "id": query.id = value
        case "album": query.album = value
        case "keywords":
            let keywords = value.split(separator: ",").map(String.init)
            guard !keywords.isEmpty else { throw .emptyFilter(name) }
            query.keywords += keywords
        case "media":
            let kinds = value.lowercased().split(separator: ",").map { MediaType(rawValue: String($0)) }
            guard !kinds.isEmpty, !kinds.contains(nil) else {
                throw .unknownFilter(String(word), known: MediaType.allCases.map { "media:\($0.rawValue)" })
            }
            query.mediaTypes = kinds.compactMap(\.self)
        default:
            guard let years = years(value) else { throw .badYear(value) }
            query.firstYear = years.lowerBound
            query.lastYear = years.upperBound
        }
    }

    /// `1969` or `1969-1972`: four digits each, as `--year` has it.
    private static func years(_ text: String) -> ClosedRange<Int>? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let years = parts.compactMap { part -> Int? in
            part.utf8.count == 4 && part.allSatisfy { $0.isASCII && $0.isNumber } ? Int(part) : nil
        }
        guard (1...2).contains(parts.count), years.count == parts.count, let first = years.first, let last = years.last,
            first <= last
        else { return nil }
        return first...last
    }

    /// Whether one letter added, left out or changed, or two neighbours exchanged, makes one word of the other.
    private static func isOneEdit(_ word: String, from other: String) -> Bool {
        let a = Array(word.utf8)
        let b = Array(other.utf8)
        guard abs(a.count - b.count) <= 1 else { return false }
        let start = zip(a, b).prefix { $0 == $1 }.count
        let end = min(zip(a.reversed(), b.reversed()).prefix { $0 == $1 }.count, min(a.count, b.count) - start)
        let left = (a: a.count - start - end, b: b.count - start - end)
        if max(left.a, left.b) <= 1 { return true }
        return left.a == 2 && left.b == 2 && a[start] == b[start + 1] && a[start + 1] == b[start]
    }
}

extension SearchSyntaxError: Error {}
