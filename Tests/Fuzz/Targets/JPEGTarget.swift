import SpyglassCodecs
import SpyglassPixels

/// Any content after the first bytes of a JPEG: an image of the requested size, or an error in one line.
///
/// The same for a progressive one while its bytes arrive, with previews, and for a region. The first byte selects the chunk size, the
/// fidelity and the original size.
enum JPEGTarget {
    static func run(_ input: [UInt8]) {
        guard !input.isEmpty else { return }
        let bytes = [0xFF, 0xD8] + input.dropFirst(2)
        let way = Way(input[0])
        let decoder = ImageDecoder(limits: way.limits, windowBytes: way.pieceBytes)
        let box = way.isOriginal ? nil : Way.box
        expectImageOrError(within: box) { () throws(CodecError) in
            try decoder.decode(.bytes(bytes), to: way.target, isExact: way.isExact)
        }
        expectImageOrError(within: box) { () throws(CodecError) in try lastPreview(bytes, way) }
        RegionCheck.run(bytes, decoder)
    }

    private struct Way {
        let pieceBytes: Int
        let isExact: Bool
        let isOriginal: Bool

        init(_ byte: UInt8) {
            pieceBytes = [65_536, 1, 7, 100][Int(byte & 3)]
            isExact = byte & 4 != 0
            isOriginal = byte & 8 != 0
        }

        static let box = PixelSize(width: 32, height: 32)
        var target: TargetSize { isOriginal ? .original : TargetSize(box: Self.box) }

        var limits: ImageLimits {
            var limits = ImageLimits()
            limits.pixels = 1 << 20
            limits.coefficientBytes = 16 << 20
            limits.scans = 20
            return limits
        }
    }

    /// Feeds the decoder of progressive files, unless it rejects the file; returns the last preview.
    private static func lastPreview(_ bytes: [UInt8], _ way: Way) throws(CodecError) -> DecodedImage? {
        var decoder = try ProgressiveJPEGDecoder(target: way.target, limits: way.limits, isExact: way.isExact)
        var last: DecodedImage?
        // More chunks of a long file would take time and find no more.
        let pieceBytes = max(way.pieceBytes, bytes.count / 500)
        for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
            try decoder.append(bytes.span.extracting(start..<min(start + pieceBytes, bytes.count)))
            if decoder.kind == .other { return nil }
            guard let preview = try decoder.preview() else { continue }
            precondition(preview.completeness == .degraded && preview.info == decoder.info)
            last = preview
        }
        return last
    }
}
