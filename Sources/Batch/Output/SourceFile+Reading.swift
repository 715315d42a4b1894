internal import Glibc
internal import SpyglassCodecs

extension SourceFile {
    /// Files below this are read once, into memory, to be hashed and decoded from there.
    static let wholeLimit = 1 << 20

    /// All bytes of a file below `wholeLimit`, of another those that tell its kind (`pread`).
    ///
    /// - Returns: the bytes, and whether they are all there are.
    /// - Throws: `BatchFailure` of kind `unreadable`.
    func head() throws(BatchFailure) -> (bytes: [UInt8], isWhole: Bool) {
        let isSmall = byteCount < Self.wholeLimit
        // One byte more tells that the file has grown since it was opened.
        let most = isSmall ? byteCount + 1 : FileKind.bytesNeeded
        let descriptor = descriptor
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            while count < most, let base = buffer.baseAddress {
                let got = pread(descriptor, base + count, most - count, count)
                if got < 0, errno == EINTR { continue }
                code = got < 0 ? errno : 0
                guard got > 0 else { break }
                count += got
            }
        }
        guard code == 0 else { throw BatchFailure(.unreadable, SystemErrorText.of(code)) }
        return (bytes, isSmall && bytes.count < most)
    }
}
