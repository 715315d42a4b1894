/// A scroll of a region, as DECSTBM, SU and SD do it.
struct ScrollMove: Equatable {
    let top: Int
    /// Exclusive.
    let bottom: Int
    /// Rows upwards; down if negative.
    let distance: Int
}

/// Finds the scroll that leaves the least to be painted, by row hashes and then by cells.
struct ScrollSearch {
    let back: BackBuffer
    let front: FrontBuffer
    let tolerance: CellTolerance
    /// The number of distances that are compared; a list moves by one distance; others are coincidences.
    private static let maxCandidates = 3
    /// Fewer changed rows are not worth a search.
    private static let minRows = 2
    /// The weight of an image's cell (15 to 35 bytes), in letters.
    private static let imageWeight = 16
    /// About the size of the sequences of a scroll, in letters.
    private static let moveWeight = 16
    private static let noImage: UInt64 = 0

    private typealias Candidate = (move: ScrollMove, gain: Int)

    func best() -> ScrollMove? {
        let changed = back.rowHashes.indices.filter { back.rowHashes[$0] != front.rowHashes[$0] }
        guard changed.count >= Self.minRows else { return nil }
        var best: Candidate?
        for distance in distances(changed) {
            guard let found = candidate(distance), found.gain > max(best?.gain ?? 0, Self.moveWeight) else { continue }
            best = found
        }
        return best?.move
    }

    /// The distances that rows have moved by, the most frequent first.
    private func distances(_ changed: [Int]) -> ArraySlice<Int> {
        let blank = BackBuffer.blankRowHash(columns: back.columns)
        var votes = votes(changed, changed.map { back.rowHashes[$0] }, front.rowHashes, except: blank)
        // Rows of items that were or are selected differ beside their images.
        if votes.isEmpty {
            let wanted = imageHashes(back.cells, of: changed)
            votes = self.votes(changed, wanted, imageHashes(front.cells, of: 0..<back.rows), except: Self.noImage)
        }
        return votes.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.map(\.key).prefix(Self.maxCandidates)
    }

    private func votes(
        _ changed: [Int], _ wanted: [UInt64], _ shown: [UInt64], except ignored: UInt64
    ) -> [Int: Int] {
        var positions: [UInt64: Int] = [:]
        for (row, hash) in shown.enumerated() where hash != ignored {
            // Equal rows are ambiguous.
            positions[hash] = positions[hash] == nil ? row : -1
        }
        var votes: [Int: Int] = [:]
        for (row, hash) in zip(changed, wanted) {
            guard let from = positions[hash], from >= 0, from != row else { continue }
            votes[from - row, default: 0] += 1
        }
        return votes
    }

    /// A hash of each row's image cells and their columns.
    private func imageHashes(_ cells: [Cell], of rows: some Sequence<Int>) -> [UInt64] {
        rows.map { row in
            var hasher: Hasher?
            for column in 0..<back.columns {
                let cell = cells[row * back.columns + column]
                guard cell.glyph & Cell.imageBit != 0 else { continue }
                if hasher == nil { hasher = Hasher() }
                hasher?.combine(column)
                hasher?.combine(cell)
            }
            return hasher.map { UInt64(bitPattern: Int64($0.finalize())) } ?? Self.noImage
        }
    }

    /// The region in which a scroll by a distance saves most, and what it saves.
    private func candidate(_ distance: Int) -> Candidate? {
        let rows = back.rows
        let count = abs(distance)
        guard count < rows else { return nil }
        // Sums of the savings above each row: by moved rows, and by rows that become blank.
        var movedGain = [0]
        var blankGain = [0]
        for row in 0..<rows {
            let stays = weight(row, from: row)
            let from = row + distance
            let moved = (0..<rows).contains(from) ? stays - weight(row, from: from) : 0
            movedGain.append((movedGain.last ?? 0) + moved)
            blankGain.append((blankGain.last ?? 0) + stays - weight(row, from: nil))
        }
        // Up: rows `first..<end` come from below, and `end..<end + count` become blank. Down: the blank rows are above.
        var best: Candidate?
        var first = distance > 0 ? 0 : count
        func start(_ row: Int) -> Int {
            distance > 0 ? -movedGain[row] : blankGain[row] - blankGain[row - count] - movedGain[row]
        }
        let ends = distance > 0 ? 1...rows - count : count + 1...rows
        for end in ends {
            if start(end - 1) > start(first) { first = end - 1 }
            let blank = distance > 0 ? blankGain[end + count] - blankGain[end] : 0
            let gain = movedGain[end] + start(first) + blank
            // Of equal regions, the one that ends lower: placements may not end in its last row.
            guard gain > 0, gain >= best?.gain ?? 0 else { continue }
            let move =
                distance > 0
                ? ScrollMove(top: first, bottom: end + count, distance: distance)
                : ScrollMove(top: first - count, bottom: end, distance: distance)
            best = (move, gain)
        }
        return best
    }

    /// The approximate cost of painting a wanted row over a row of the screen, or over a blank one.
    private func weight(_ row: Int, from source: Int?) -> Int {
        if let source, front.rowHashes[source] == back.rowHashes[row] { return 0 }
        let columns = back.columns
        var weight = 0
        for column in 0..<columns {
            let cell = back.cells[row * columns + column]
            let shown = source.map { front.cells[$0 * columns + column] } ?? .blank
            guard !tolerance.accepts(shown, for: cell) else { continue }
            weight += cell.glyph & (Cell.imageBit | Cell.placedBit) != 0 ? Self.imageWeight : 1
        }
        return weight
    }
}
