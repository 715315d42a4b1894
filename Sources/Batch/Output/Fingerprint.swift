internal import SpyglassCaching
internal import SpyglassCodecs

/// What a result was made of: the comment in every file we write, by which a later run knows that it is up to date.
///
///     Fingerprint(id: "m31.jpg", place: "", source: hash, options: hash).text
///     // "spyglass 1 0123456789abcdef 0123456789abcdef 0123456789abcdef 0123456789abcdef"
///
/// It holds no secret and proves nothing: it can be forged.
package struct Fingerprint: Hashable, Sendable {
    /// XXH64 of the item's id.
    package let id: UInt64
    /// XXH64 of `BatchItem.place`: two pictures that a manifest calls by one id are told apart by it.
    package let place: UInt64
    /// `SourceHash` of what it was made of.
    package private(set) var source: UInt64
    /// A hash of everything that changes the bytes of this one result.
    package private(set) var options: UInt64

    /// The first words: what made it, and the version of this form.
    private static let start = "spyglass 1 "

    package init(id: String, place: String = "", source: UInt64, options: UInt64) {
        self.id = XXHash64.hash(Array(id.utf8))
        self.place = XXHash64.hash(Array(place.utf8))
        self.source = source
        self.options = options
    }

    /// Reads what `text` wrote; `nil` for anything else.
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

    /// The mark of a result that would be another one with a library that is missing here: the colour profile was not applied.
    package var lackingColor: Fingerprint {
        var mark = self
        mark.options = options ^ 1
        return mark
    }

    /// Whether a result with this mark is what would be made for `wanted`, wherever its picture was then.
    func fits(_ wanted: Fingerprint) -> Bool {
        id == wanted.id && source == wanted.source && options == wanted.options
    }

    /// The mark of a damaged result of the same item: equal to no other, so that the item is processed again.
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
    /// Bytes from the start of a file that are enough to find one: we write it first.
    static let searchLength = 1024

    /// The fingerprint among the first bytes of a JPEG (COM) or PNG (tEXt, "Comment"); `nil` where there is none.
    init?(inHead head: [UInt8]) {
        guard let text = ImageComment.find(in: head.span), let mark = Fingerprint(text) else { return nil }
        self = mark
    }
}
