/// Shortens web addresses in a message to their hosts.
enum ShortAddresses {
    private static let separator = "://"
    private static let schemes = ["http", "https"]
    /// Punctuation after an address.
    private static let punctuation: Set<Character> = [":", ";", ",", ".", ")", "'"]

    static func text(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).map(word).joined(separator: " ")
    }

    private static func word(_ word: Substring) -> String {
        guard let scheme = schemes.first(where: { word.hasPrefix($0 + separator) }) else { return String(word) }
        let address = word.dropFirst(scheme.count + separator.count)
        var end = address.endIndex
        while end > address.startIndex, punctuation.contains(address[address.index(before: end)]) {
            end = address.index(before: end)
        }
        let host = address[..<end].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return host.isEmpty ? String(word) : String(host + address[end...])
    }
}
