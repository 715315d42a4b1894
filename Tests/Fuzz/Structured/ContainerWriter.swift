/// Writes a container whose counts, lengths and offsets are edge values where a seed says so, and right elsewhere.
///
///     var file = ContainerWriter(seed: 7)
///     file.sized(4) { $0.text("IDAT") }
///     let bytes = file.finished()
///
/// Every eighth seed writes right values only, in shapes that the seed selects. The same seed writes the same bytes.
struct ContainerWriter {
    private(set) var bytes: [UInt8] = []
    var isBigEndian = true
    /// Whether all values are right, so that the file is an image.
    let isPlain: Bool
    /// The offset in the file that offsets count from.
    private var base = 0
    private var labels: [String: Int] = [:]
    private var patches: [(at: Int, width: Int, label: String, base: Int, isBigEndian: Bool)] = []
    /// One value in so many is an edge value.
    private var rarity: Int
    /// One list in so many has another number of elements.
    private let listRarity: Int
    private var state: UInt64

    /// Makes a writer; `stream` separates containers with the same seed.
    init(seed: Int, stream: Int = 0) {
        isPlain = seed % 8 == 0
        // Faults far inside need all else to be right: where only lists differ, and where little does.
        let hasOddLists = (1...3).contains(seed % 8)
        rarity = hasOddLists ? .max : [4, 16, 64, 64][seed / 8 % 4]
        listRarity = hasOddLists ? 6 : 2 * rarity
        state = UInt64(truncatingIfNeeded: seed << 8 | stream)
    }

    // MARK: Choices

    /// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014).
    private mutating func random(below limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ mixed >> 31) % UInt64(limit))
    }

    mutating func oneOf<Value>(_ values: [Value]) -> Value { values[random(below: values.count)] }

    /// The right value, or 0, 1, one more, the maximum of the field, of a signed number, or of what readers accept.
    private mutating func edge(_ value: Int, _ width: Int, besides others: [Int] = []) -> UInt64 {
        guard !isPlain, random(below: rarity) == 0 else { return UInt64(truncatingIfNeeded: value) }
        let bits = UInt64(8 * width)
        let most = UInt64.max >> (64 - bits)
        // Readers accept offsets of 48 bits: many of them overflow together, not alone.
        let accepted = width == 8 ? 1 << 48 - 1 : most
        let edges = [0, 1, UInt64(truncatingIfNeeded: value + 1), most, most >> 1, accepted, accepted, accepted]
        return oneOf(edges + others.map { UInt64(truncatingIfNeeded: $0) })
    }

    // MARK: Values

    mutating func add(_ more: some Sequence<UInt8>) { bytes += more }
    mutating func text(_ text: String) { bytes += text.utf8 }
    mutating func zeros(_ count: Int) { bytes += repeatElement(0, count: count) }

    /// A value that is never an edge value.
    mutating func plain(_ value: Int, _ width: Int) {
        bytes += Self.digits(UInt64(truncatingIfNeeded: value), width, isBigEndian)
    }

    /// A count, a length, a size or an index.
    mutating func number(_ value: Int, _ width: Int) { bytes += Self.digits(edge(value, width), width, isBigEndian) }

    /// A count, a length or a size in decimal digits.
    mutating func digits(_ value: Int) { text("\(edge(value, 4))") }

    /// The length of `content`, which follows; `extra` is what it counts besides.
    mutating func sized(_ width: Int, plus extra: Int = 0, _ content: (inout ContainerWriter) -> Void) {
        let start = bytes.count
        zeros(width)
        content(&self)
        put(edge(bytes.count - start - width + extra, width), width, at: start, isBigEndian)
    }

    /// The number of elements, which follow after `header`: as usual, or none, or more than allowed.
    mutating func list(
        _ width: Int, _ counts: [Int] = [1, 1, 2], header: (inout ContainerWriter) -> Void = { _ in },
        _ element: (inout ContainerWriter, Int) -> Void
    ) {
        let start = bytes.count
        zeros(width)
        header(&self)
        let count = repeated(counts, upTo: width < 3 ? 1 << (8 * width) - 1 : 1 << 16, element)
        put(edge(count, width), width, at: start, isBigEndian)
    }

    /// Writes elements that no count announces; where they are too many, copies of the second.
    ///
    /// Returns their number.
    @discardableResult
    mutating func repeated(
        _ counts: [Int] = [1, 1, 2], upTo most: Int = 1 << 16, _ element: (inout ContainerWriter, Int) -> Void
    ) -> Int {
        let isMany = !isPlain && random(below: listRarity) == 0
        let count = isMany ? oneOf([0, 1, 101, 4097, most, most]) : oneOf(counts)
        var start = bytes.count
        let usual = rarity
        for index in 0..<(isMany ? min(count, 2) : count) {
            // Sums of many overflow if they are large.
            if isMany { rarity = 2 }
            start = bytes.count
            element(&self, index)
        }
        rarity = usual
        let copy = bytes[start...]
        guard isMany, count > 2, !copy.isEmpty else { return count }
        let copies = min(count - 2, Self.maxBytes / copy.count)
        for _ in 0..<copies { bytes += copy }
        return 2 + copies
    }

    /// The most bytes that copies take.
    private static let maxBytes = 1 << 20

    // MARK: Offsets

    /// Counts offsets within `content` from here.
    mutating func block(_ content: (inout ContainerWriter) -> Void) {
        let outer = base
        base = bytes.count
        content(&self)
        base = outer
    }

    /// The offset of what `mark` names; 0 if nothing does.
    mutating func offset(_ label: String, _ width: Int) {
        patches.append((bytes.count, width, label, base, isBigEndian))
        zeros(width)
    }

    mutating func mark(_ label: String) { labels[label] = bytes.count }

    /// The bytes, with all offsets written.
    mutating func finished() -> [UInt8] {
        for patch in patches {
            let value = labels[patch.label].map { $0 - patch.base } ?? 0
            let end = bytes.count - patch.base
            put(edge(value, patch.width, besides: [end, end + 1]), patch.width, at: patch.at, patch.isBigEndian)
        }
        return bytes
    }

    private mutating func put(_ value: UInt64, _ width: Int, at place: Int, _ isBigEndian: Bool) {
        bytes.replaceSubrange(place..<place + width, with: Self.digits(value, width, isBigEndian))
    }

    private static func digits(_ value: UInt64, _ width: Int, _ isBigEndian: Bool) -> [UInt8] {
        let digits = (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
        return isBigEndian ? digits.reversed() : digits
    }

    /// Bytes as hexadecimal digits.
    mutating func hexadecimal(_ digits: String) {
        var rest = digits[...]
        while let value = UInt8(rest.prefix(2), radix: 16) {
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
    }
}
