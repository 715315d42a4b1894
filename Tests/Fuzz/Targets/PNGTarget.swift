import SpyglassCodecs
import SpyglassPixels

/// Any content after the first bytes of a PNG: an image of the requested size, or an error in one line.
///
/// The same for a region. The first byte selects the original size, and whether checksums are corrected, so that mutations pass the
/// library's first check.
enum PNGTarget {
    static func run(_ input: [UInt8]) {
        guard !input.isEmpty else { return }
        var bytes = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + input.dropFirst(8)
        if input[0] & 2 == 0 { repairChecksums(&bytes) }
        expectPictureOrError(bytes, atItsOwnSize: input[0] & 1 == 0)
    }

    private static func expectPictureOrError(_ bytes: [UInt8], atItsOwnSize isOriginal: Bool) {
        var limits = ImageLimits()
        limits.pixels = 1 << 20
        let decoder = ImageDecoder(limits: limits)
        let box = isOriginal ? nil : PixelSize(width: 32, height: 32)
        expectImageOrError(within: box) { () throws(CodecError) in
            try decoder.decode(.bytes(bytes), to: box.map { TargetSize(box: $0) } ?? .original)
        }
        RegionCheck.run(bytes, decoder)
    }

    /// Corrects the checksum of every complete chunk (PNG specification, section 5.3).
    static func repairChecksums(_ bytes: inout [UInt8]) {
        var start = 8
        while bytes.count - start >= 12 {
            let length = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length <= bytes.count - start - 12 else { return }
            let end = start + 8 + length
            let sum = checksum(bytes[start + 4..<end])
            for at in 0..<4 { bytes[end + at] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * UInt32(at))) }
            start = end + 4
        }
    }

    static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        ~bytes.reduce(.max) { sum, byte in table[Int((sum ^ UInt32(byte)) & 255)] ^ sum >> 8 }
    }

    private static let table = (0..<256).map { (index: UInt32) in
        (0..<8).reduce(index) { sum, _ in sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
}
