internal import Glibc

// What stands where a result would.
extension OutputFolder {
    /// How a JPEG ends (EOI), and a PNG (IEND with its checksum).
    private static let ends: [[UInt8]] = [[0xFF, 0xD9], [0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]]

    /// Whether a file ends as we end ours: one that was copied in part, or that lost its end with the power, does not.
    private static func hasEnd(_ descriptor: Int32, _ length: off_t) -> Bool {
        ends.contains { end in
            let tail = [UInt8](unsafeUninitializedCapacity: end.count) { buffer, count in
                count = max(0, pread(descriptor, buffer.baseAddress, end.count, max(0, length - off_t(end.count))))
            }
            return tail == end
        }
    }

    static func existing(_ file: String, in folder: Int32) -> Existing {
        // Neither a link nor a pipe is waited for.
        let opened = openat(folder, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { return errno == ENOENT ? .nothing : .foreign }
        defer { close(opened) }
        var status = stat()
        guard fstat(opened, &status) == 0, status.isPlainFile else { return .foreign }
        let head = [UInt8](unsafeUninitializedCapacity: Fingerprint.searchLength) { buffer, count in
            count = max(0, pread(opened, buffer.baseAddress, buffer.count, 0))
        }
        guard let mark = Fingerprint(inHead: head) else { return .foreign }
        return .made(hasEnd(opened, status.st_size) ? mark : mark.ofDamage, bytes: Int(status.st_size))
    }
}
