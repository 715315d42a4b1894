/// Where an entry lies: sub-folder and file by the hash of its key.
struct EntryName: Hashable {
    let hash: UInt64

    /// The sub-folder's number: the first byte of the hash.
    var folderNumber: UInt8 { UInt8(truncatingIfNeeded: hash >> 56) }
    static let fileLength = 16
    /// 16 hex digits, the first two of which name the sub-folder.
    var file: String { Hex.text(hash) }
    /// The path from the cache's folder.
    var path: String { "\(Self.folder(folderNumber))/\(file)" }

    init(hash: UInt64) { self.hash = hash }

    /// The name of a file in a sub-folder, or `nil` when no entry of that sub-folder is called so.
    init?(file: String, in folder: UInt8) {
        guard let hash = Hex.number(file) else { return nil }
        self.init(hash: hash)
        guard folderNumber == folder else { return nil }
    }

    /// A sub-folder's name: two hex digits.
    static func folder(_ number: UInt8) -> String { Hex.text(UInt64(number), digits: 2) }

    /// Whether a sub-folder is called so.
    static func isFolder(_ name: String) -> Bool {
        name.utf8.count == 2 && Hex.isHex(name)
    }

    /// A name for an entry that is being written.
    static func newTemporary() -> String { temporaryMark + Hex.text(.random(in: 0 ... .max)) }

    /// Whether a file is an entry that was or is being written.
    static func isTemporary(_ file: String) -> Bool {
        file.hasPrefix(temporaryMark) && Hex.number(file.dropFirst(temporaryMark.count)) != nil
    }

    private static let temporaryMark = "tmp-"
}
