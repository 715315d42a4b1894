internal import SpyglassCaching

/// Gives the samples of a tar file their keys, in the order of the inputs, so that they depend on the inputs alone.
///
/// A key is the id, with `_` for what is not a letter, a digit, `_` or `-` of ASCII. One that was changed or is taken gets `-` and
/// eight digits of the id's hash.
struct SampleKeys {
    /// Leaves room in a member's name for a size and an extension.
    private static let lengthLimit = 64
    /// Bounds memory, where everything is one tar file: all further keys get a hash of sixteen digits.
    private let maxRemembered: Int
    private var taken: Set<UInt64> = []
    /// How often an id that is used again was tried, by its hash.
    private var tries: [UInt64: Int] = [:]

    init(maxRemembered: Int = 1 << 20) { self.maxRemembered = maxRemembered }

    mutating func next(for id: String, number: Int) -> String {
        let clean = String(String.UnicodeScalarView(id.unicodeScalars.map { Self.isAllowed($0) ? $0 : "_" }))
        guard taken.count < maxRemembered else { return Self.hashed(clean, "\(number) \(id)", digits: 16) }
        if clean == id, !id.isEmpty, id.utf8.count <= Self.lengthLimit, claim(id) { return id }
        let hash = XXHash64.hash(Array(id.utf8))
        var count = tries[hash] ?? 0
        while true {
            let key = Self.hashed(clean, count == 0 ? id : "\(count) \(id)")
            count += 1
            guard claim(key) else { continue }
            if count > 1 { tries[hash] = count }
            return key
        }
    }

    private mutating func claim(_ key: String) -> Bool { taken.insert(XXHash64.hash(Array(key.utf8))).inserted }

    private static func hashed(_ clean: String, _ text: String, digits: Int = 8) -> String {
        let ending = "-\(Hex.text(FNV1a.hash(text)).prefix(digits))"
        return clean.prefix(lengthLimit - ending.utf8.count) + ending
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
        default: false
        }
    }
}
