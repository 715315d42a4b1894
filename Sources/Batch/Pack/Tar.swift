internal import SpyglassFiles

/// The blocks of a tar file as POSIX has it (ustar): for each member a header, its bytes, and zeros up to the next block.
enum Tar {
    static let blockBytes = 512
    /// The longest name of a member; its prefix is not used.
    static let nameLimit = 100
    /// Two empty blocks.
    static let end = [UInt8](repeating: 0, count: 2 * blockBytes)

    /// How a folder's images are distributed over tar files: in the device numbers of each header, which readers ignore for files.
    struct Layout: Hashable, Sendable {
        /// Processes that share the work: the N of `--shard I/N`.
        var shards = 1
        /// Inputs of a tar file.
        var inputs: Int
    }

    struct Header: Hashable {
        var name: String
        var byteCount: Int
        /// `nil` if another program made it.
        var layout: Layout?
    }

    static func padded(_ byteCount: Int) -> Int { (byteCount + blockBytes - 1) / blockBytes * blockBytes }

    /// A member with its header; every tar file has the same times, owners and permissions.
    static func append(_ bytes: [UInt8], as name: String, _ layout: Layout, to tar: inout [UInt8]) {
        var header = [UInt8](repeating: 0, count: blockBytes)
        func put(_ text: String, at offset: Int) {
            header.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
        }
        func put(octal number: Int, digits: Int, at offset: Int) {
            let text = String(number, radix: 8)
            put(String(repeating: "0", count: max(digits - text.utf8.count, 0)) + text.suffix(digits), at: offset)
        }
        put(String(name.prefix(nameLimit)), at: Field.name)
        put(octal: 0o644, digits: 7, at: Field.mode)
        put(octal: 0, digits: 7, at: Field.user)
        put(octal: 0, digits: 7, at: Field.group)
        put(octal: bytes.count, digits: 11, at: Field.size)
        put(octal: modified, digits: 11, at: Field.time)
        put("0", at: Field.type)
        put(magic, at: Field.magic)
        put(maker, at: Field.userName)
        put(octal: layout.shards, digits: 7, at: Field.major)
        put(octal: layout.inputs, digits: 7, at: Field.minor)
        put(octal: sum(of: header), digits: 6, at: Field.sum)
        tar += header
        tar += bytes
        tar += [UInt8](repeating: 0, count: padded(bytes.count) - bytes.count)
    }

    /// Reads the header of a regular file; `nil` for anything else, and for the end.
    static func header(_ block: [UInt8]) -> Header? {
        guard block.count == blockBytes, number(block, Field.sum, 6) == sum(of: block),
            text(block, Field.magic, 8) == magic.prefix(5), block[Field.type] == UInt8(ascii: "0"),
            let byteCount = number(block, Field.size, 11)
        else { return nil }
        var layout: Layout?
        if text(block, Field.userName, 32) == maker, let shards = number(block, Field.major, 7),
            let inputs = number(block, Field.minor, 7)
        {
            layout = Layout(shards: shards, inputs: inputs)
        }
        return Header(name: text(block, Field.name, nameLimit), byteCount: byteCount, layout: layout)
    }

    /// The offsets of fields (pax(1), "ustar Interchange Format").
    private enum Field {
        static let (name, mode, user, group, size, time, sum, type) = (0, 100, 108, 116, 124, 136, 148, 156)
        static let (magic, userName, major, minor) = (257, 265, 329, 337)
    }

    private static let magic = "ustar\u{0}00"
    private static let maker = "spyglass"
    /// 1980-01-01: GNU tar warns of 1970.
    private static let modified = 315_532_800

    /// The sum of a header's bytes, those of the sum itself as spaces.
    private static func sum(of header: [UInt8]) -> Int {
        let all = header.reduce(0) { $0 + Int($1) }
        return header[Field.sum..<Field.sum + 8].reduce(all) { $0 - Int($1) } + 8 * 0x20
    }

    private static func text(_ block: [UInt8], _ offset: Int, _ length: Int) -> String {
        String(decoding: block[offset..<offset + length].prefix { $0 != 0 }, as: UTF8.self)
    }

    private static func number(_ block: [UInt8], _ offset: Int, _ digits: Int) -> Int? {
        let field = block[offset..<offset + digits]
        guard field.allSatisfy({ (0x30...0x37).contains($0) }) else { return nil }
        return field.reduce(0) { $0 * 8 + Int($1 - 0x30) }
    }
}

/// A tar file of an earlier run, whose samples are used again if they are up to date; thread-safe.
final class PackedTar: Sendable {
    struct Sample: Hashable, Sendable {
        /// All its members, with their headers.
        var range: Range<Int>
        /// The bytes of members by what follows the key and a dot: `jpg`, `320.jpg`, `json`.
        var members: [String: Range<Int>]
    }

    private let file: FileDescriptor
    private let samples: [String: Sample]
    /// Where the last sample ends.
    let dataEnd: Int
    /// Whether nothing but the end follows, as this program writes it.
    let isWhole: Bool

    /// Reads all headers; what follows a damaged one does not count.
    init(_ file: consuming FileDescriptor) throws(FileError) {
        let byteCount = try file.status.byteCount
        var samples: [String: Sample] = [:]
        var last = ""
        var offset = 0
        while let header = Tar.header(try file.bytes(Tar.blockBytes, at: offset)), header.layout != nil,
            let dot = header.name.firstIndex(of: "."),
            Tar.padded(header.byteCount) <= byteCount - offset - Tar.blockBytes
        {
            let key = String(header.name[..<dot])
            let name = String(header.name[dot...].dropFirst())
            // The members of a sample follow each other, each once.
            guard key == last ? samples[key]?.members[name] == nil : samples[key] == nil else { break }
            let start = offset + Tar.blockBytes
            offset = start + Tar.padded(header.byteCount)
            samples[key, default: Sample(range: start - Tar.blockBytes..<offset, members: [:])].range =
                (samples[key]?.range.lowerBound ?? start - Tar.blockBytes)..<offset
            samples[key]?.members[name] = start..<start + header.byteCount
            last = key
        }
        let end = try file.bytes(Tar.end.count, at: offset)
        isWhole = byteCount == offset + Tar.end.count && end == Tar.end
        dataEnd = offset
        self.samples = samples
        self.file = file
    }

    var isEmpty: Bool { samples.isEmpty }
    var count: Int { samples.count }

    func sample(_ key: String) -> Sample? { samples[key] }

    func bytes(_ range: Range<Int>) throws(FileError) -> [UInt8] {
        let bytes = try file.bytes(range.count, at: range.lowerBound)
        guard bytes.count == range.count else { throw FileError("pread", cause: .truncated) }
        return bytes
    }
}
