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
        let atOnce = Result { () throws(CodecError) in try decode(bytes, way) }
        expectPictureOrError(atOnce, way)
        expectSame(bytes, way, atOnce)
        RegionCheck.run(bytes, ImageDecoder(limits: way.limits, windowBytes: way.pieceBytes))
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

        var box: PixelSize { PixelSize(width: 32, height: 32) }
        var target: TargetSize { isOriginal ? .original : TargetSize(box: box) }

        var limits: ImageLimits {
            var limits = ImageLimits()
            limits.pixels = 1 << 20
            limits.coefficientBytes = 16 << 20
            limits.scans = 20
            return limits
        }
    }

    private static func decode(_ bytes: [UInt8], _ way: Way) throws(CodecError) -> DecodedImage {
        try ImageDecoder(limits: way.limits, windowBytes: way.pieceBytes)
            .decode(.bytes(bytes), to: way.target, isExact: way.isExact)
    }

    private static func expectPictureOrError(_ result: Result<DecodedImage, CodecError>, _ way: Way) {
        switch result {
        case .success(let image):
            let most = way.isOriginal ? image.info.size : way.box
            precondition(image.pixels.size.width <= most.width && image.pixels.size.height <= most.height)
        case .failure(let error): precondition(!error.description.isEmpty && !error.description.contains("\n"))
        }
    }

    /// Feeds the decoder of progressive files, unless it rejects the file.
    private static func decodeInPieces(_ bytes: [UInt8], _ way: Way) throws(CodecError) -> DecodedImage? {
        var decoder = try ProgressiveJPEGDecoder(target: way.target, limits: way.limits, isExact: way.isExact)
        // More chunks of a long file would take time and find no more.
        let pieceBytes = max(way.pieceBytes, bytes.count / 500)
        for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
            try decoder.append(bytes.span.extracting(start..<min(start + pieceBytes, bytes.count)))
            if decoder.kind == .other { return nil }
            guard let preview = try decoder.preview() else { continue }
            precondition(preview.completeness == .degraded && preview.info == decoder.info)
        }
        return try decoder.finish()
    }

    private static func expectSame(_ bytes: [UInt8], _ way: Way, _ atOnce: Result<DecodedImage, CodecError>) {
        switch (atOnce, Result { () throws(CodecError) in try decodeInPieces(bytes, way) }) {
        case (_, .success(nil)): return
        case (.success(let one), .success(let other?)):
            precondition(one.pixels == other.pixels, "other pixels")
            precondition(one.completeness == other.completeness, "other rows")
            precondition(one.warnings == other.warnings && one.firstWarning == other.firstWarning, "other warnings")
        case (.failure(let one), .failure(let other)): precondition(one == other, "other words")
        default: preconditionFailure("a picture or an error")
        }
    }
}
