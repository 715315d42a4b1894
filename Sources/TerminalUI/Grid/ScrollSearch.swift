/// Finds the move of rows that leaves the least to be painted.
///
/// Rows are recognised by their names; the few distances that most of them agree on are looked at cell by cell.
struct ScrollSearch {
    let wanted: BackBuffer
    let screen: FrontBuffer
    let likeness: CellTolerance

    /// How many distances are looked at: a list moves by one, and a second one may be a coincidence.
    private static let candidates = 3
    /// Rows that must differ before it is worth to look.
    private static let fewestRows = 2
    /// A picture's cell takes about so many bytes more than a letter: 15 to 35 (notes on terminals, section 2).
    private static let pictureWeight = 16
    /// About what the sequences of a move take, in letters.
    private static let moveWeight = 16

    func best() -> ScrollMove? {
        let changed = wanted.names.indices.filter { wanted.names[$0] != screen.names[$0] }
        guard changed.count >= Self.fewestRows else { return nil }
        var best: (move: ScrollMove, gain: Int)?
        for distance in distances(changed) {
            guard let found = region(distance), found.gain > max(best?.gain ?? 0, Self.moveWeight) else { continue }
            best = found
        }
        return best?.move
    }

    /// The distances that rows have moved by, the most frequent first.
    private func distances(_ changed: [Int]) -> ArraySlice<Int> {
        let blank = BackBuffer.blankName(columns: wanted.columns)
        var positions: [UInt64: Int] = [:]
        for (row, name) in screen.names.enumerated() where name != blank {
            // A name that stands in several rows says nothing.
            positions[name] = positions[name] == nil ? row : -1
        }
        var votes: [Int: Int] = [:]
        for row in changed {
            guard let from = positions[wanted.names[row]], from >= 0, from != row else { continue }
            votes[from - row, default: 0] += 1
        }
        return votes.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.map(\.key).prefix(Self.candidates)
    }

    /// The region in which a move by a distance saves most, and what it saves.
    private func region(_ distance: Int) -> (move: ScrollMove, gain: Int)? {
        let rows = wanted.rows
        let count = abs(distance)
        guard count < rows else { return nil }
        // What is saved above each row by rows that come from elsewhere, and by rows that become blank.
        var movedGain = [0]
        var blankGain = [0]
        for row in 0..<rows {
            let stays = weight(row, from: row)
            let from = row + distance
            let moved = (0..<rows).contains(from) ? stays - weight(row, from: from) : 0
            movedGain.append((movedGain.last ?? 0) + moved)
            blankGain.append((blankGain.last ?? 0) + stays - weight(row, from: nil))
        }
        // Moving up, rows `first..<end` come from below and `end..<end + count` become blank; moving down, the blank
        // ones are above.
        var best: (move: ScrollMove, gain: Int)?
        var first = distance > 0 ? 0 : count
        func start(_ row: Int) -> Int {
            distance > 0 ? -movedGain[row] : blankGain[row] - blankGain[row - count] - movedGain[row]
        }
        let ends = distance > 0 ? 1...rows - count : count + 1...rows
        for end in ends {
            if start(end - 1) > start(first) { first = end - 1 }
            let blank = distance > 0 ? blankGain[end + count] - blankGain[end] : 0
            let gain = movedGain[end] + start(first) + blank
            guard gain > best?.gain ?? 0 else { continue }
            let move =
                distance > 0
                ? ScrollMove(top: first, bottom: end + count, distance: distance)
                : ScrollMove(top: first - count, bottom: end, distance: distance)
            best = (move, gain)
        }
        return best
    }

    /// About what it takes to make a wanted row of one on the screen, or of an empty one.
    private func weight(_ row: Int, from source: Int?) -> Int {
        if let source, screen.names[source] == wanted.names[row] { return 0 }
        let columns = wanted.columns
        var weight = 0
        for column in 0..<columns {
            let cell = wanted.cells[row * columns + column]
            let there = source.map { screen.cells[$0 * columns + column] } ?? .blank
            guard !likeness.suffices(there, for: cell) else { continue }
            weight += cell.isPicture ? Self.pictureWeight : 1
        }
        return weight
    }
}
