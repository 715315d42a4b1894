internal import SpyglassPixels

/// The orientation, the copy and the thumbnail of an untrusted EXIF block (CIPA DC-008, section 4.6).
enum Exif {
    private static let orientationTag = 0x0112
    private static let upright = 1
    static let exifDirectory = 0x8769
    /// A JPEG's segment has room for less; a longer block is left out of files.
    static let maxStored = 64 << 10
    /// Entries that point to directories: Exif, GPS and, within Exif, interoperability.
    private static let directoryTags = [exifDirectory, positionDirectory, 0xA005]
    static let positionDirectory = 0x8825

    /// Returns the bytes without the name that a JPEG's segment starts with.
    static func block(of segment: [UInt8]) -> ArraySlice<UInt8> {
        let name = Array("Exif\0\0".utf8)
        return segment.dropFirst(segment.starts(with: name) ? name.count : 0)
    }

    static func orientation(in block: ArraySlice<UInt8>) -> Orientation? {
        guard let tiff = TIFFBlock(block), let first = tiff.firstDirectory else { return nil }
        return tiff.integer(orientationTag, in: first).flatMap(Orientation.init)
    }

    // MARK: Thumbnail

    struct Thumbnail {
        let file: [UInt8]
        var width: Int?
        var height: Int?
        var orientation: Orientation?
    }

    /// Returns the JPEG file of the second directory (IFD1), and what that states of it.
    static func thumbnail(in block: ArraySlice<UInt8>) -> Thumbnail? {
        guard let tiff = TIFFBlock(block), let first = tiff.firstDirectory, let second = tiff.directory(after: first)
        else { return nil }
        // JPEGInterchangeFormat and its length.
        guard let start = tiff.integer(0x0201, in: second), let count = tiff.integer(0x0202, in: second),
            let file = try? tiff.reader.part(CheckedSize(count), at: start)
        else { return nil }
        return Thumbnail(
            file: Array(file.bytes), width: tiff.integer(0x0100, in: second), height: tiff.integer(0x0101, in: second),
            orientation: tiff.integer(orientationTag, in: second).flatMap(Orientation.init))
    }

    // MARK: Rewriting

    /// Unlinks the thumbnail of an untrusted block, and removes its bytes if last; `nil` if block or first directory are invalid.
    static func upright(_ block: [UInt8]) -> [UInt8]? {
        guard let tiff = TIFFBlock(block[...]), let first = tiff.firstDirectory, let entries = tiff.entries(of: first),
            let thumbnailAt = tiff.number32(at: entries.nextAt)
        else { return nil }
        let end = thumbnailAt > 0 ? usedEnd(of: first, tiff) : nil
        var bytes = block
        for entry in entries.offsets where tiff.number16(at: entry) == orientationTag {
            tiff.set(entry, to: upright, in: &bytes)
        }
        tiff.write(0, at: entries.nextAt, count: 4, to: &bytes)
        if let end, end <= thumbnailAt, thumbnailAt < bytes.count { bytes.removeLast(bytes.count - thumbnailAt) }
        return bytes
    }

    /// Corrects the size in pixels (PixelXDimension and PixelYDimension) where an untrusted block has one.
    static func settingSize(_ size: PixelSize, in block: [UInt8]) -> [UInt8] {
        guard let tiff = TIFFBlock(block[...]), let first = tiff.firstDirectory,
            let directory = tiff.integer(exifDirectory, in: first)
        else { return block }
        var bytes = block
        for (tag, side) in [(0xA002, size.width), (0xA003, size.height)] {
            guard let entry = tiff.entry(tag, in: directory), tiff.value(entry) != nil else { continue }
            tiff.set(entry, to: side, in: &bytes)
        }
        return bytes
    }

    /// Entries that hold a position, or may: GPS; XMP, IPTC and Photoshop's resources, which a TIFF stores beside EXIF; the
    /// maker's notes and DNG's private data, whose form only the maker knows; other images of the file, which are not copied; the
    /// interoperability directory, whose numbers are those of GPS; GeoTIFF and the like.
    private static let positionTags = [
        positionDirectory, 0x02BC, 0x83BB, 0x8649, 0x927C, 0xC634, 0x014A, 0xA005, 0x830E, 0x8480, 0x8482, 0x85D8,
        0x87AF, 0x87B0, 0x87B1, 0xC69C,
    ]
    /// Smaller numbers are those of GPS (0 to 31), in a directory where they do not belong.
    private static let firstTag = 0x00FE

    /// Copies the directories and values of an untrusted block, without what may hold a position (GPS).
    ///
    /// Thumbnail and bytes outside of values are lost, too. `nil` if a directory is invalid or the copy would be too long.
    static func withoutPosition(_ block: [UInt8]) -> [UInt8]? {
        guard let tiff = TIFFBlock(block[...]), let first = tiff.firstDirectory else { return nil }
        var copy = Array(block.prefix(4)) + [0, 0, 0, 0]
        tiff.write(copy.count, at: 4, count: 4, to: &copy)
        return append(first, of: tiff, to: &copy, depth: 0) ? copy : nil
    }

    private static func append(_ directory: Int, of tiff: TIFFBlock, to copy: inout [UInt8], depth: Int) -> Bool {
        // Only the first directory and its Exif directory are copied.
        guard depth < 2, let entries = tiff.entries(of: directory) else { return false }
        let kept = entries.offsets.compactMap { entry -> (at: Int, tag: Int, value: Range<Int>)? in
            guard let tag = tiff.number16(at: entry), tag >= firstTag, !positionTags.contains(tag),
                let value = tiff.value(entry)
            else { return nil }
            return (entry, tag, value)
        }
        var at = copy.count
        copy += [UInt8](repeating: 0, count: 2 + kept.count * TIFFBlock.entryBytes + 4)
        tiff.write(kept.count, at: at, count: 2, to: &copy)
        at += 2
        for (entry, tag, value) in kept {
            copy.replaceSubrange(
                at..<at + TIFFBlock.entryBytes, with: tiff.reader.bytes[entry..<entry + TIFFBlock.entryBytes])
            guard copy.count <= maxStored else { return false }
            if directoryTags.contains(tag) {
                tiff.write(copy.count, at: at + 8, count: 4, to: &copy)
                guard let other = tiff.number32(at: entry + 8), append(other, of: tiff, to: &copy, depth: depth + 1)
                else { return false }
            } else if value.lowerBound != entry + 8 {
                tiff.write(copy.count, at: at + 8, count: 4, to: &copy)
                copy += tiff.reader.bytes[value] + [UInt8](repeating: 0, count: value.count % 2)
            }
            at += TIFFBlock.entryBytes
        }
        return copy.count <= maxStored
    }

    /// The end of the last value reachable from a directory; `nil` if one is invalid, so that nothing is cut.
    private static func usedEnd(of first: Int, _ tiff: TIFFBlock) -> Int? {
        var directories = [first]
        var end = 0
        var next = 0
        while next < directories.count {
            guard let entries = tiff.entries(of: directories[next]) else { return nil }
            next += 1
            end = max(end, entries.nextAt + 4)
            for entry in entries.offsets {
                guard let value = tiff.value(entry), let tag = tiff.number16(at: entry) else { return nil }
                end = max(end, value.upperBound)
                guard directoryTags.contains(tag) else { continue }
                // More would mean a malicious block.
                guard directories.count <= directoryTags.count, let offset = tiff.number32(at: entry + 8) else {
                    return nil
                }
                directories.append(offset)
            }
        }
        return end
    }
}

/// A reader of a file's header, which may have an EXIF block and a colour profile.
protocol MetadataReader: ~Copyable {
    /// Returns the EXIF as the file stores it, perhaps after a JPEG's name for it; `nil` if there is none.
    func exifSegment() -> [UInt8]?
    func profile() -> EmbeddedProfile
}

extension MetadataReader where Self: ~Copyable {
    func exifSegment() -> [UInt8]? { nil }
    func profile() -> EmbeddedProfile { .none }
    func orientation() -> Orientation? { exifSegment().flatMap { Exif.orientation(in: Exif.block(of: $0)) } }
    /// Returns a copy of the EXIF block; `nil` unless it starts like a TIFF file.
    func exif() -> [UInt8]? { exifSegment().map(Exif.block).flatMap { TIFFBlock($0) == nil ? nil : Array($0) } }

    func metadata(_ info: ImageInfo) -> ImageMetadata {
        var metadata = ImageMetadata(info, profile())
        if let segment = exifSegment() { metadata.read(exif: Exif.block(of: segment)) }
        return metadata
    }
}

/// Reads an untrusted EXIF block (CIPA DC-008, section 4.5; TIFF 6.0, section 2); values outside of it are `nil`.
struct TIFFBlock {
    let reader: BinaryReader

    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = BinaryReader(bytes)
        reader.isBigEndian = reader.matches(Array("MM".utf8))
        let magic = 42
        guard reader.isBigEndian || reader.matches(Array("II".utf8)), reader.count >= Self.headerBytes,
            (try? reader.integer(2, at: 2)) == magic
        else { return nil }
        self.reader = reader
    }

    static let entryBytes = 12
    private static let headerBytes = 8
    /// Bytes per value of each type from 1, BYTE, to 12, DOUBLE.
    private static let typeBytes: [CheckedSize] = [1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]
    private static let shortType = 3
    private static let longType = 4
    private static let rationalType = 5
    /// BYTE, SHORT, LONG, and those with a sign.
    private static let integerTypes = [1, shortType, longType, 6, 8, 9]

    func number16(at offset: Int) -> Int? { try? reader.integer(2, at: offset) }
    func number32(at offset: Int) -> Int? { try? reader.integer(4, at: offset) }

    // MARK: Directories

    var firstDirectory: Int? { number32(at: 4) }

    /// Returns the offset of the next directory in the chain; `nil` at its end.
    func directory(after directory: Int) -> Int? {
        entries(of: directory).flatMap { number32(at: $0.nextAt) }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Returns the offset of the first entry with a tag, among those within the block.
    func entry(_ tag: Int, in directory: Int) -> Int? { offsets(of: directory)?.first { number16(at: $0) == tag } }

    private func offsets(of directory: Int) -> StrideTo<Int>? {
        guard directory >= Self.headerBytes, let count = try? reader.size(2, at: directory) else { return nil }
        let start = directory + 2
        // The last one may be cut behind its value.
        let end = start + count.upTo((reader.count - start) / Self.entryBytes + 1) * Self.entryBytes
        return stride(from: start, to: end, by: Self.entryBytes)
    }

    struct Entries {
        let offsets: StrideTo<Int>
        /// The offset of the next directory's offset.
        let nextAt: Int
    }

    /// Returns all entries of a directory; `nil` unless the block holds them and the next directory's offset.
    func entries(of directory: Int) -> Entries? {
        guard let offsets = offsets(of: directory), let count = number16(at: directory) else { return nil }
        let nextAt = directory + 2 + count * Self.entryBytes
        return nextAt <= reader.count - 4 ? Entries(offsets: offsets, nextAt: nextAt) : nil
    }

    // MARK: Values

    /// Returns where the value of an entry is; `nil` if its type is unknown or it is outside the block.
    func value(_ entry: Int) -> Range<Int>? {
        let inEntry: CheckedSize = 4
        guard let type = number16(at: entry + 2), Self.typeBytes.indices.contains(type - 1),
            let count = try? reader.size(4, at: entry + 4), let length = try? count * Self.typeBytes[type - 1],
            let start = length > inEntry ? (try? reader.size(4, at: entry + 8)) : CheckedSize(entry + 8)
        else { return nil }
        let range = try? start.range(length)
        return range.flatMap { $0.upperBound <= reader.count ? $0 : nil }
    }

    /// Returns the first integer of an entry, of any width, since writers differ; `nil` if it is negative.
    func integer(_ tag: Int, in directory: Int) -> Int? {
        guard let entry = entry(tag, in: directory), let type = number16(at: entry + 2),
            Self.integerTypes.contains(type), let value = value(entry), !value.isEmpty
        else { return nil }
        let width = Self.typeBytes[type - 1].value
        let number = try? reader.integer(width, at: value.lowerBound)
        return number.flatMap { Self.isNegative($0, type: type, width: width) ? nil : $0 }
    }

    /// Whether the bits of an integer are those of a negative one; SBYTE, SSHORT and SLONG have a sign.
    static func isNegative(_ bits: Int, type: Int, width: Int) -> Bool {
        [6, 8, 9].contains(type) && bits >> (8 * width - 1) != 0
    }

    /// Returns a single fraction above 0.
    func fraction(_ entry: Int) -> Double? {
        guard number16(at: entry + 2) == Self.rationalType, let value = value(entry),
            let numerator = number32(at: value.lowerBound), numerator > 0,
            let denominator = number32(at: value.lowerBound + 4), denominator > 0
        else { return nil }
        return Double(numerator) / Double(denominator)
    }

    /// The longest text that is read, in bytes; cameras and lenses have names of up to 60.
    private static let maxText = 128

    /// Returns a text to its first zero byte, UTF-8 in practice, without spaces around it; `nil` if it is empty.
    func text(_ entry: Int) -> String? {
        guard let value = value(entry) else { return nil }
        let stored = reader.bytes.dropFirst(value.lowerBound).prefix(min(value.count, Self.maxText))
        var text = Substring(decoding: stored.prefix { $0 != 0 }, as: UTF8.self)
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return text.isEmpty ? nil : String(text)
    }

    // MARK: Writing

    /// Makes an entry a single integer, of 16 bits if it fits.
    func set(_ entry: Int, to value: Int, in bytes: inout [UInt8]) {
        guard entry + Self.entryBytes <= bytes.count else { return }
        let isShort = value <= UInt16.max
        write(isShort ? Self.shortType : Self.longType, at: entry + 2, count: 2, to: &bytes)
        write(1, at: entry + 4, count: 4, to: &bytes)
        write(0, at: entry + 8, count: 4, to: &bytes)
        write(value, at: entry + 8, count: isShort ? 2 : 4, to: &bytes)
    }

    func write(_ value: Int, at offset: Int, count: Int, to bytes: inout [UInt8]) {
        let digits = [UInt8](value, bytes: count, isBigEndian: reader.isBigEndian)
        bytes.replaceSubrange(offset..<offset + count, with: digits)
    }
}
