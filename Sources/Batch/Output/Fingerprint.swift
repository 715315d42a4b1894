internal import SpyglassCaching
internal import SpyglassCodecs

/// Identifies an output's item, source and options: a comment in the file, by which a later run skips it.
///
/// Anyone can forge it.
package struct Fingerprint: Hashable, Sendable {
    /// XXH64 of the item's id.
    package let id: UInt64
    /// XXH64 of `BatchItem.manifestSource`, which distinguishes images of one id.
    package let manifestSource: UInt64
    /// `SourceHash` of the source.
    package private(set) var source: UInt64
    /// `BatchJob.optionsHash`.
    package private(set) var options: UInt64
    /// The program and the version of the format.
    private static let start = "spyglass 1 "

    package init(id: String, manifestSource: String = "", source: UInt64, options: UInt64) {
        self.id = XXHash64.hash(Array(id.utf8))
        self.manifestSource = XXHash64.hash(Array(manifestSource.utf8))
        self.source = source
        self.options = options
    }

    package init?(_ text: String) {
        guard text.hasPrefix(Self.start) else { return nil }
        let parts = text.dropFirst(Self.start.count).split(separator: " ", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Hex.number($0) }
        guard parts.count == 4, numbers.count == 4 else { return nil }
        (id, manifestSource, source, options) = (numbers[0], numbers[1], numbers[2], numbers[3])
    }

    /// The fingerprint of an output whose colour profile could not be applied, for lack of a library.
    package var lackingColor: Fingerprint { changing(\.options, to: options ^ 1) }

    /// The fingerprint of an output of a URL in a format that the user gave; without one, the program might have chosen another.
    var inGivenFormat: Fingerprint { changing(\.options, to: options ^ 2) }

    /// The fingerprint of a damaged output, which never fits.
    var ofDamage: Fingerprint { changing(\.source, to: ~source) }

    private func changing(_ part: WritableKeyPath<Fingerprint, UInt64>, to value: UInt64) -> Fingerprint {
        var fingerprint = self
        fingerprint[keyPath: part] = value
        return fingerprint
    }

    /// Whether an output is up to date, even if its source has moved.
    func fits(_ wanted: Fingerprint) -> Bool {
        id == wanted.id && source == wanted.source && options == wanted.options
    }

    /// One line of ASCII, 78 bytes.
    package var text: String {
        "\(Self.start)\(Hex.text(id)) \(Hex.text(manifestSource)) \(Hex.text(source)) \(Hex.text(options))"
    }

    /// Finds it in a file, and the length that the file's header states, if it does; `read` is that of `ImageComment.find`.
    static func find<Failure: Error>(
        _ read: (_ count: Int, _ offset: Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> (fingerprint: Fingerprint, fileBytes: Int?)? {
        guard let comment = try ImageComment.find(read) else { return nil }
        return Fingerprint(comment.text).map { ($0, comment.fileBytes) }
    }
}
