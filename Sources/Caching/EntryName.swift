/// Sub-folder and file of an entry, by the hash of its key.
struct EntryName: Hashable {
    let hash: UInt64
    var folderNumber: UInt8 { UInt8(truncatingIfNeeded: hash >> 56) }
    static let fileLength = 16
    /// 16 hex digits, the first two of which name the sub-folder.
    var file: String { Hex.text(hash) }
    var path: String { "\(Self.folder(folderNumber))/\(file)" }

    init(hash: UInt64) { self.hash = hash }

    /// `nil` if an entry of that sub-folder cannot have the name.
    init?(file: String, in folder: UInt8) {
        guard let hash = Hex.number(file) else { return nil }
        self.init(hash: hash)
        guard folderNumber == folder else { return nil }
    }

    static func folder(_ number: UInt8) -> String { Hex.text(UInt64(number), digits: 2) }
    static func isFolder(_ name: String) -> Bool { name.utf8.count == 2 && Hex.isHex(name) }
    static func newTemporary() -> String { temporaryMark + Hex.text(.random(in: 0 ... .max)) }

    static func isTemporary(_ file: String) -> Bool {
        file.hasPrefix(temporaryMark) && Hex.number(file.dropFirst(temporaryMark.count)) != nil
    }

    private static let temporaryMark = "tmp-"
}
