internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// An endless, seeded sequence of keys of a reader who mostly scrolls down a list of photos.
struct ReadingSession {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(state: seed) }

    private enum Share {
        static let down = 34
        static let pageDown = 22
        static let up = 12
        static let pageUp = 10
        static let open = 12
        static let jump = 4
        static let view = 4
    }

    mutating func next() -> [Key] {
        var rest = random.below(100)
        func isChosen(_ share: Int) -> Bool {
            defer { rest -= share }
            return (0..<share).contains(rest)
        }
        if isChosen(Share.down) { return .pressing(.down, 1 + random.below(8)) }
        if isChosen(Share.pageDown) { return .pressing(.pageDown, 1 + random.below(2)) }
        if isChosen(Share.up) { return .pressing(.up, 1 + random.below(6)) }
        if isChosen(Share.pageUp) { return .pressing(.pageUp, 1 + random.below(3)) }
        if isChosen(Share.open) { return photos() }
        if isChosen(Share.jump) {
            return .pressing(random.below(2) == 0 ? .pageDown : .pageUp, 10 + random.below(20))
        }
        if isChosen(Share.view) { return .pressing(.character(["v", "v", "+", "-"][random.below(4)])) }
        return .pressing(random.below(2) == 0 ? .home : .end)
    }

    private mutating func photos() -> [Key] {
        let steps: [[Key]] = [
            .pressing(.enter), .pressing(.character("n"), random.below(5)), .pressing(.character("p"), random.below(3)),
            .pressing(.escape),
        ]
        return steps.flatMap { $0 }
    }
}

extension [Key] {
    static func pressing(_ code: Key.Code, _ times: Int = 1) -> [Key] {
        [Key](repeating: Key(code), count: times)
    }
}
