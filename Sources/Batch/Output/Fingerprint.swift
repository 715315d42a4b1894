internal import SpyglassCaching
internal import SpyglassCodecs

/// Identifies an output's item, source and options: the comment in every output, by which a later run finds it up to date.
///
/// `spyglass 1` and four numbers of 16 hexadecimal digits. Anyone can forge it.
package struct Fingerprint: Hashable, Sendable {
    /// XXH64 of the item's id.
    package let id: UInt64
    /// XXH64 of `BatchItem.place`, which distinguishes images of one id.
    package let place: UInt64
    /// `SourceHash` of the source.
    package private(set) var source: UInt64
    /// `BatchJob.optionsHash`.
    package private(set) var options: UInt64

    /// The program and the version of the format.
    private static let start = "spyglass 1 "

    package init(id: String, place: String = "", source: UInt64, options: UInt64) {
        self.id = XXHash64.hash(Array(id.utf8))
        self.place = XXHash64.hash(Array(place.utf8))
        self.source = source
        self.options = options
    }

    /// Parses `text`.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.start) else { return nil }
        let numbers = text.dropFirst(Self.start.count).split(separator: " ", omittingEmptySubsequences: false)
        guard numbers.count == 4, let id = Hex.number(numbers[0]), let place = Hex.number(numbers[1]),
            let source = Hex.number(numbers[2]), let options = Hex.number(numbers[3])
        else { return nil }
        self.id = id
        self.place = place
        self.source = source
        self.options = options
    }

    /// The mark of an output whose colour profile could not be applied, for lack of a library.
    package var lackingColor: Fingerprint {
        var mark = self
        mark.options = options ^ 1
        return mark
    }

    /// The mark for another hash of the source, if there is one.
    func of(_ source: UInt64?) -> Fingerprint {
        var mark = self
        mark.source = source ?? self.source
        return mark
    }

    /// Whether an output is up to date, even if its source has moved.
    func fits(_ wanted: Fingerprint) -> Bool {
        id == wanted.id && source == wanted.source && options == wanted.options
    }

    /// The mark of a damaged output, which never fits.
    var ofDamage: Fingerprint {
        var mark = self
        mark.source = ~source
        return mark
    }

    /// One line of ASCII, 78 bytes.
    package var text: String {
        "\(Self.start)\(Hex.text(id)) \(Hex.text(place)) \(Hex.text(source)) \(Hex.text(options))"
    }
}

extension Fingerprint {
    /// Spyglass writes the comment first.
    static let searchLength = 1024

    /// Finds it in the first bytes of a JPEG (COM) or PNG (tEXt, "Comment").
    init?(inHead head: [UInt8]) {
        guard let text = ImageComment.find(in: head.span), let mark = Fingerprint(text) else { return nil }
        self = mark
    }
}
