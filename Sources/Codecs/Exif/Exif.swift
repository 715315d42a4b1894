enum Exif {
    private static let orientationTag: UInt16 = 0x0112
    private static let upright = 1
    /// Entries that point to directories: Exif, GPS and, within Exif, interoperability.
    private static let directoryTags: [UInt16] = [0x8769, 0x8825, 0xA005]

    /// Unlinks the thumbnail of an untrusted block, and removes its bytes if last; `nil` if block or first directory are invalid.
    static func upright(_ block: [UInt8]) -> [UInt8]? {
        guard var tiff = TIFFBlock(block), let offset = tiff.number(at: 4, bytes: 4),
            let first = tiff.directory(at: offset), let thumbnailAt = tiff.number(at: first.nextAt, bytes: 4)
        else { return nil }
        let end = thumbnailAt > 0 ? usedEnd(of: first, in: tiff) : nil
        for entry in first.entries where entry.tag == orientationTag { tiff.set(entry, to: upright) }
        tiff.endChain(after: first)
        if let end, end <= thumbnailAt, thumbnailAt < tiff.bytes.count { tiff.cut(to: thumbnailAt) }
        return tiff.bytes
    }

    /// The end of the last value reachable from a directory; `nil` if one is invalid, so that nothing is cut.
    private static func usedEnd(of first: TIFFBlock.Directory, in tiff: TIFFBlock) -> Int? {
        var directories = [first]
        var end = 0
        var at = 0
        while at < directories.count {
            let directory = directories[at]
            at += 1
            end = max(end, directory.range.upperBound)
            for entry in directory.entries {
                guard let valueEnd = tiff.valueEnd(of: entry) else { return nil }
                end = max(end, valueEnd)
                guard directoryTags.contains(entry.tag) else { continue }
                // More would mean a malicious block.
                guard directories.count <= directoryTags.count, let offset = tiff.number(at: entry.at + 8, bytes: 4),
                    let inner = tiff.directory(at: offset)
                else { return nil }
                directories.append(inner)
            }
        }
        return end
    }
}
