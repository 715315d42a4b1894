internal import SpyglassPixels

/// The orientation, the copy and the thumbnail of an untrusted EXIF block (CIPA DC-008, section 4.6).
enum Exif {
    private static let orientationTag = 0x0112
    private static let upright = 1
    static let exifDirectory = 0x8769
    /// Entries that point to directories: Exif, GPS and, within Exif, interoperability.
    private static let directoryTags = [exifDirectory, 0x8825, 0xA005]

    /// Calls `body` with the bytes without the name that a JPEG's segment starts with.
    static func withBlock<Value>(of segment: Span<UInt8>, _ body: (Span<UInt8>) -> Value?) -> Value? {
        // "Exif\0\0"; a literal here is on the stack.
        let name: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]
        let isNamed = segment.count >= name.count && name.indices.allSatisfy { segment[$0] == name[$0] }
        return body(segment.extracting((isNamed ? name.count : 0)...))
    }

    /// The orientation of the image; allocates nothing.
    static func orientation(in bytes: Span<UInt8>) -> Orientation? {
        guard let tiff = TIFFBlock(bytes), let first = tiff.firstDirectory(of: bytes) else { return nil }
        return orientation(tiff, in: first, of: bytes)
    }

    private static func orientation(_ tiff: TIFFBlock, in directory: Int, of bytes: Span<UInt8>) -> Orientation? {
        guard let entry = tiff.entry(orientationTag, in: directory, of: bytes) else { return nil }
        return tiff.integer(entry, of: bytes).flatMap(Orientation.init)
    }

    /// A copy; `nil` unless it starts like a TIFF file.
    static func copy(_ bytes: Span<UInt8>) -> [UInt8]? {
        TIFFBlock(bytes).map { _ in bytes.withUnsafeBufferPointer { Array($0) } }
    }

    // MARK: Thumbnail

    struct Thumbnail {
        let file: [UInt8]
        var width: Int?
        var height: Int?
        var orientation: Orientation?
    }

    /// The JPEG file of the second directory (IFD1), and what that states of it.
    static func thumbnail(in bytes: Span<UInt8>) -> Thumbnail? {
        guard let tiff = TIFFBlock(bytes), let first = tiff.firstDirectory(of: bytes),
            let second = tiff.directory(after: first, of: bytes)
        else { return nil }
        func integer(_ tag: Int) -> Int? {
            tiff.entry(tag, in: second, of: bytes).flatMap { tiff.integer($0, of: bytes) }
        }
        // JPEGInterchangeFormat and its length.
        guard let start = integer(0x0201), let count = integer(0x0202), start <= bytes.count,
            count <= bytes.count - start
        else { return nil }
        let file = bytes.extracting(start..<start + count).withUnsafeBufferPointer { Array($0) }
        return Thumbnail(
            file: file, width: integer(0x0100), height: integer(0x0101),
            orientation: orientation(tiff, in: second, of: bytes))
    }

    // MARK: Rewriting

    /// Unlinks the thumbnail of an untrusted block, and removes its bytes if last; `nil` if block or first directory are invalid.
    static func upright(_ block: [UInt8]) -> [UInt8]? {
        guard let tiff = TIFFBlock(block.span), let first = tiff.firstDirectory(of: block.span),
            let entries = tiff.entries(of: first, in: block.span),
            let thumbnailAt = tiff.number32(block.span, at: entries.nextAt)
        else { return nil }
        let end = thumbnailAt > 0 ? usedEnd(of: first, tiff, block.span) : nil
        var bytes = block
        for entry in entries.offsets where tiff.number16(block.span, at: entry) == orientationTag {
            tiff.set(entry, to: upright, in: &bytes)
        }
        tiff.write(0, at: entries.nextAt, count: 4, to: &bytes)
        if let end, end <= thumbnailAt, thumbnailAt < bytes.count { bytes.removeLast(bytes.count - thumbnailAt) }
        return bytes
    }

    /// The end of the last value reachable from a directory; `nil` if one is invalid, so that nothing is cut.
    private static func usedEnd(of first: Int, _ tiff: TIFFBlock, _ bytes: Span<UInt8>) -> Int? {
        var directories = [first]
        var end = 0
        var next = 0
        while next < directories.count {
            guard let entries = tiff.entries(of: directories[next], in: bytes) else { return nil }
            next += 1
            end = max(end, entries.nextAt + 4)
            for entry in entries.offsets {
                guard let value = tiff.value(entry, of: bytes), let tag = tiff.number16(bytes, at: entry) else {
                    return nil
                }
                end = max(end, value.upperBound)
                guard directoryTags.contains(tag) else { continue }
                // More would mean a malicious block.
                guard directories.count <= directoryTags.count, let offset = tiff.number32(bytes, at: entry + 8) else {
                    return nil
                }
                directories.append(offset)
            }
        }
        return end
    }
}
