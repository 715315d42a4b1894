internal import SpyglassPixels

/// The orientation, the copy and the thumbnail of an untrusted EXIF block (CIPA DC-008, section 4.6).
enum Exif {
    private static let orientationTag = 0x0112
    private static let upright = 1
    static let exifDirectory = 0x8769
    /// Entries that point to directories: Exif, GPS and, within Exif, interoperability.
    private static let directoryTags = [exifDirectory, 0x8825, 0xA005]

    /// Returns the bytes without the name that a JPEG's segment starts with.
    static func block(of segment: [UInt8]) -> ArraySlice<UInt8> {
        let name = Array("Exif\0\0".utf8)
        return segment.dropFirst(segment.starts(with: name) ? name.count : 0)
    }

    /// Returns the orientation of the image.
    static func orientation(in block: ArraySlice<UInt8>) -> Orientation? {
        guard let tiff = TIFFBlock(block), let first = tiff.firstDirectory else { return nil }
        return orientation(tiff, in: first)
    }

    private static func orientation(_ tiff: TIFFBlock, in directory: Int) -> Orientation? {
        tiff.entry(orientationTag, in: directory).flatMap(tiff.integer).flatMap(Orientation.init)
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
        guard let tiff = TIFFBlock(block), let first = tiff.firstDirectory,
            let second = tiff.directory(after: first)
        else { return nil }
        func integer(_ tag: Int) -> Int? { tiff.entry(tag, in: second).flatMap(tiff.integer) }
        // JPEGInterchangeFormat and its length.
        guard let start = integer(0x0201), let count = integer(0x0202),
            let file = try? tiff.reader.part(CheckedSize(count), at: start)
        else { return nil }
        return Thumbnail(
            file: Array(file.bytes), width: integer(0x0100), height: integer(0x0101),
            orientation: orientation(tiff, in: second))
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
                guard let value = tiff.value(entry), let tag = tiff.number16(at: entry) else {
                    return nil
                }
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
