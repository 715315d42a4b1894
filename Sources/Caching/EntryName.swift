/// Where an entry lies: sub-folder and file by the hash of its key.
struct EntryName: Hashable {
    let hash: UInt64

    /// The sub-folder's number: the first byte of the hash.
    var folderNumber: UInt8 { UInt8(truncatingIfNeeded: hash >> 56) }
    static let fileLength = 16
    /// 16 hex digits, the first two of which name the sub-folder.
    var file: String { Self.hex(hash, digits: 16) }
    /// The path from the cache's folder.
    var path: String { "\(Self.folder(folderNumber))/\(file)" }

    init(hash: UInt64) { self.hash = hash }

    /// The name of a file in a sub-folder, or `nil` when no entry of that sub-folder is called so.
    init?(file: String, in folder: UInt8) {
        guard file.utf8.count == Self.fileLength else { return nil }
        var hash: UInt64 = 0
        for byte in file.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): hash = hash << 4 | UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): hash = hash << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        self.init(hash: hash)
        guard folderNumber == folder else { return nil }
    }

    /// A sub-folder's name: two hex digits.
    static func folder(_ number: UInt8) -> String { hex(UInt64(number), digits: 2) }

    /// Whether a sub-folder is called so.
    static func isFolder(_ name: String) -> Bool {
        name.utf8.count == 2 && name.utf8.allSatisfy { digits.contains($0) }
    }

    /// A name for an entry that is being written.
    static func newTemporary() -> String { temporaryMark + hex(UInt64.random(in: 0...UInt64.max), digits: 16) }

    /// Whether a file is an entry that was or is being written.
    static func isTemporary(_ file: String) -> Bool {
        file.utf8.count == temporaryMark.utf8.count + 16 && file.hasPrefix(temporaryMark)
            && file.utf8.dropFirst(temporaryMark.utf8.count).allSatisfy { digits.contains($0) }
    }

    private static let temporaryMark = "tmp-"
    private static let digits = Array("0123456789abcdef".utf8)

    private static func hex(_ number: UInt64, digits count: Int) -> String {
        String(unsafeUninitializedCapacity: count) { buffer in
            for place in 0..<count { buffer[place] = digits[Int(number >> UInt64(4 * (count - 1 - place)) & 0xF)] }
            return count
        }
    }
}
