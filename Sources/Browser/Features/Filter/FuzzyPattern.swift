internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// The words of a filter, which are found in texts although letters are left out.
///
///     let pattern = FuzzyPattern("mrs apl11")
///     pattern.matches(photo)                   // both words are in its title, maker, description or folder
///     pattern.ranges(in: "Mars, Apollo 11")    // M, rs, Ap, l, 11
///
/// A text has a word if its letters follow each other somewhere. Otherwise the word begins where a word of the text begins. Up
/// to two letters may be left out at a time, or the rest of a word before the next one. Case and accents do not count.
///
/// The cost is linear in the text: about a nanosecond a byte.
struct FuzzyPattern: Hashable, Sendable {
    /// Folded scalars.
    private let words: [[UInt16]]
    /// Letters of a word that are left out between two others.
    private static let maxGap = 2

    init(_ text: String) {
        words = text.split(whereSeparator: \.isWhitespace).map { Array(folding: String($0)) }.filter { !$0.isEmpty }
    }

    /// Returns whether each word is in the title, the maker, the description or the folder; not what only the files say, since few of
    /// them have been read.
    func matches(_ photo: Photo) -> Bool {
        words.allSatisfy { word in
            Self.isFound(word.span, in: photo.title.utf8.span)
                || photo.namedMaker.map { Self.isFound(word.span, in: $0.utf8.span) } ?? false
                || photo.description.map { Self.isFound(word.span, in: $0.utf8.span) } ?? false
                || photo.file != nil && photo.albums.contains { Self.isFound(word.span, in: $0.utf8.span) }
        }
    }

    /// Returns the runs of letters that were found, as ranges of UTF-8; a word that is not in the text has none.
    func ranges(in string: String) -> [Range<Int>] {
        words.flatMap { word in
            var ranges: [Range<Int>] = []
            let text = string.utf8.span
            // Letters that follow each other come first, wherever they are.
            for order in Order.allCases {
                var start = 0
                while ranges.isEmpty, let at = text.next(word[0], from: start) {
                    start = text.scalar(at: at).next
                    guard Self.follows(word.span, from: at, in: text, order) else { continue }
                    _ = Self.follows(word.span, from: at, in: text, order) { letter in
                        if let last = ranges.last, last.upperBound == letter.lowerBound {
                            ranges[ranges.count - 1] = last.lowerBound..<letter.upperBound
                        } else {
                            ranges.append(letter)
                        }
                    }
                }
            }
            return ranges
        }
    }

    private static func isFound(_ word: Span<UInt16>, in text: Span<UInt8>) -> Bool {
        var start = 0
        while let at = text.next(word[0], from: start) {
            start = text.scalar(at: at).next
            guard word.count > 1 else { return true }
            let second = text.afterAccents(from: start)
            if second < text.count, text.scalar(at: second).value == word[1],
                follows(word, from: at, in: text, .adjacent)
            {
                return true
            }
            guard text.isWordStart(at) else { continue }
            // Most places fail at the second letter.
            guard text.later(word[1], from: start, maxGap) != nil || text.wordStart(word[1], from: start) != nil
            else { continue }
            if follows(word, from: at, in: text, .wordsFirst) || follows(word, from: at, in: text, .lettersFirst) {
                return true
            }
        }
        return false
    }

    /// The letters that may follow a letter, if not the next one.
    private enum Order: CaseIterable {
        case adjacent
        /// The start of the next word, else a later letter of the same: `mro` in "Mars Robot Orbiter".
        case wordsFirst
        /// A later letter of the word, else the start of the next: `mrsr` in "Mars red rocks".
        case lettersFirst
    }

    /// Returns whether the word follows from its first letter on; calls `found` for each letter until one is missing.
    @inline(__always)
    private static func follows(
        _ word: Span<UInt16>, from start: Int, in text: Span<UInt8>, _ order: Order,
        found: (Range<Int>) -> Void = { _ in }
    ) -> Bool {
        guard order == .adjacent || text.isWordStart(start) else { return false }
        var end = text.scalar(at: start).next
        found(start..<end)
        for index in 1..<max(word.count, 1) {
            let letter = word[index]
            var next = text.afterAccents(from: end)
            if next == text.count || text.scalar(at: next).value != letter {
                let place: Int? =
                    switch order {
                    case .adjacent: nil
                    case .wordsFirst: text.wordStart(letter, from: end) ?? text.later(letter, from: end, maxGap)
                    case .lettersFirst: text.later(letter, from: end, maxGap) ?? text.wordStart(letter, from: end)
                    }
                guard let place else { return false }
                next = place
            }
            end = text.scalar(at: next).next
            found(next..<end)
        }
        return true
    }
}

extension Photo {
    /// The photographer or another person, as a filter finds it.
    var namedMaker: String? { photographer ?? secondaryCreator }
}

/// UTF-8 that is read in lower case and without accents; places are the first bytes of scalars.
extension Span<UInt8> {
    /// The scalar at a place; those beyond the basic plane are equal if their last 16 bits are.
    @inline(__always)
    fileprivate func scalar(at place: Int) -> (value: UInt16, next: Int) {
        let byte = self[place]
        if byte < 0x80 { return (Folding.ascii(byte), place + 1) }
        let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
        guard place + length <= count else { return (UInt16(byte), place + 1) }
        var value = UInt32(byte) & (0x7F >> UInt32(length))
        for offset in 1..<length { value = value << 6 | UInt32(self[place + offset] & 0x3F) }
        let folded = value < 0x800 ? Folding.twoBytes[Int(value) & 0x7FF] : UInt16(truncatingIfNeeded: value)
        return (folded, place + length)
    }

    /// The first place of a scalar from another place on.
    @inline(__always)
    fileprivate func next(_ wanted: UInt16, from start: Int) -> Int? {
        var place = start
        // Eight bytes at a time: those that are not ASCII, or equal but for the bit of the case, have their highest bit set.
        let ones: UInt64 = 0x0101_0101_0101_0101
        let pattern = wanted < 0x80 ? UInt64(wanted | 0x20) * ones : .max
        while place + 8 <= count {
            let eight = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self))
            let difference = (eight | 0x20 * ones) ^ pattern
            let candidates = ((difference &- ones) & ~difference | eight) & (0x80 * ones)
            guard candidates != 0 else {
                place += 8
                continue
            }
            place += candidates.trailingZeroBitCount / 8
            let (value, next) = scalar(at: place)
            if value == wanted { return place }
            place = next
        }
        while place < count {
            let (value, next) = scalar(at: place)
            if value == wanted { return place }
            place = next
        }
        return nil
    }

    @inline(__always)
    fileprivate func afterAccents(from start: Int) -> Int {
        var place = start
        while place < count, self[place] >= 0x80, scalar(at: place).value == Folding.mark {
            place = scalar(at: place).next
        }
        return place
    }

    @inline(__always)
    fileprivate func isWordStart(_ place: Int) -> Bool {
        guard place > 0 else { return true }
        var before = place - 1
        while before > 0, self[before] & 0xC0 == 0x80 { before -= 1 }
        return !Folding.isInWord(scalar(at: before).value)
    }

    /// A letter after a gap in the word.
    @inline(__always)
    fileprivate func later(_ letter: UInt16, from start: Int, _ maxGap: Int) -> Int? {
        var place = start
        var gap = 0
        while place < count, gap <= maxGap {
            let (value, next) = scalar(at: place)
            if value == letter { return place }
            guard Folding.isInWord(value) else { return nil }
            if value != Folding.mark { gap += 1 }
            place = next
        }
        return nil
    }

    /// A letter at the start of the next word.
    @inline(__always)
    fileprivate func wordStart(_ letter: UInt16, from start: Int) -> Int? {
        var place = start
        var isInGap = false
        while place < count {
            let (value, next) = scalar(at: place)
            if !Folding.isInWord(value) {
                isInGap = true
            } else if isInGap {
                return value == letter ? place : nil
            }
            place = next
        }
        return nil
    }
}

private enum Folding {
    /// A combining mark, which is skipped.
    static let mark: UInt16 = 0

    @inline(__always)
    static func ascii(_ byte: UInt8) -> UInt16 { UInt16(byte &- 0x41 < 26 ? byte | 0x20 : byte) }

    /// The scalars below U+0800, which have two bytes.
    static let twoBytes: [UInt16] = (0..<0x800).map { (value: UInt32) in
        guard value >= 0x80, let scalar = Unicode.Scalar(value) else { return ascii(UInt8(truncatingIfNeeded: value)) }
        if scalar.properties.generalCategory == .nonspacingMark { return mark }
        // Latin letters without their accents.
        let latin = Array(TerminalText(cleaning: String(scalar)).shown(in: .ascii).string.utf8)
        if scalar.properties.isAlphabetic, latin.count == 1, latin[0] != UInt8(ascii: "?") { return ascii(latin[0]) }
        return UInt16(truncatingIfNeeded: (scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar).value)
    }

    /// Whether a scalar is part of a word, rather than a space or punctuation.
    @inline(__always)
    static func isInWord(_ scalar: UInt16) -> Bool {
        switch scalar {
        case 0x61...0x7A, 0x30...0x39, mark: true
        case 0..<0xC0, 0xD7, 0xF7, 0x2000..<0x2070, 0x3000..<0x3040: false
        default: true
        }
    }
}

extension [UInt16] {
    fileprivate init(folding text: String) {
        self = []
        let bytes = text.utf8.span
        var place = bytes.afterAccents(from: 0)
        while place < bytes.count {
            let (value, next) = bytes.scalar(at: place)
            append(value)
            place = bytes.afterAccents(from: next)
        }
    }
}
