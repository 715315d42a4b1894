/// How many single-letter changes lead from one word to another, for "did you mean".
enum EditDistance {
    /// Insertions, deletions, replacements, and swaps of neighbours (the optimal string alignment distance).
    ///
    /// Words longer than `longest` bytes are as far away as they are long: no name here is, and hostile input must not cost
    /// its length squared.
    static func between(_ first: some StringProtocol, _ second: some StringProtocol) -> Int {
        let a = Array(first.utf8)
        let b = Array(second.utf8)
        guard a.count <= longest, b.count <= longest else { return max(a.count, b.count) }
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
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

    /// The nearest of some names, when it is near enough to be meant: at most a third of its letters differ.
    static func nearest(to word: some StringProtocol, among names: some Sequence<String>) -> String? {
        var best: (name: String, distance: Int)?
        for name in names {
            let distance = between(word, name)
            guard distance <= max(1, name.utf8.count / 3), distance < best?.distance ?? Int.max else { continue }
            best = (name, distance)
        }
        return best?.name
    }

    private static let longest = 64
}
