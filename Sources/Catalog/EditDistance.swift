/// The number of single-letter changes between two words, for "did you mean".
package enum EditDistance {
    /// The optimal string alignment distance; of long words the length.
    package static func between(_ first: some StringProtocol, _ second: some StringProtocol) -> Int {
        let a = Array(first.utf8)
        let b = Array(second.utf8)
        guard (1...maxLength).contains(a.count), (1...maxLength).contains(b.count) else { return max(a.count, b.count) }
        var beforePrevious = [Int](repeating: 0, count: b.count + 1)
        var previous = Array(0...b.count)
        for row in 1...a.count {
            var current = [row] + [Int](repeating: 0, count: b.count)
            for column in 1...b.count {
                let change = a[row - 1] == b[column - 1] ? 0 : 1
                current[column] = min(previous[column] + 1, current[column - 1] + 1, previous[column - 1] + change)
                let swaps = row > 1 && column > 1 && a[row - 1] == b[column - 2] && a[row - 2] == b[column - 1]
                if swaps { current[column] = min(current[column], beforePrevious[column - 2] + 1) }
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[b.count]
    }

    /// `did you mean NAME?` for the nearest of some names, if at most a third of its letters differ.
    package static func suggestion(
        for word: some StringProtocol, among names: some Sequence<String>, prefix: String = ""
    ) -> String? {
        let near = names.map { (name: $0, distance: between(word, $0)) }.filter {
            $0.distance <= max(1, $0.name.utf8.count / 3)
        }
        return near.min { $0.distance < $1.distance }.map { "did you mean \(prefix)\($0.name)?" }
    }

    private static let maxLength = 64
}
