import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads

@testable import SpyglassCodecs

/// The bytes of a file of the tests; empty if it is missing, which the test then reports.
func contents(_ path: String) -> [UInt8] { TestData.bytes(of: path) }

/// Names in a folder, sorted.
func names(in folder: String) -> [String] { TestData.names(in: folder).filter { !$0.hasPrefix(".") } }

extension ImageDecoder {
    /// The error of decoding, if any.
    func failure(
        _ source: EncodedImage, to target: TargetSize = .original, cancellation: Cancellation? = nil
    ) -> CodecError? {
        do throws(CodecError) {
            _ = try decode(source, to: target, cancellation: cancellation)
            return nil
        } catch {
            return error
        }
    }
}

/// Reads a file that is cancelled at a check for it; returns the number of checks, and the error.
func cancelling(
    at check: Int, _ file: [UInt8], _ read: (ByteReader) throws(CodecError) -> Void
) -> (checks: Int, error: CodecError?) {
    var checks = 0
    do throws(CodecError) {
        let input = try ByteReader(.bytes(file)) {
            checks += 1
            return checks >= check
        }
        try read(input)
        return (checks, nil)
    } catch {
        return (checks, error)
    }
}

extension DecodedImage {
    /// Stored rows that have image data.
    var rows: Int {
        switch completeness {
        case .complete, .degraded: info.storedSize.height
        case .truncated(let rows, _): rows
        }
    }

    /// The bytes of the image's first rows.
    func bytes(ofRows rows: Int) -> ArraySlice<UInt8> { pixels.bytes[..<(rows * pixels.stride)] }
}

extension PixelBuffer {
    /// All pixels, row by row.
    var colors: [RGBA] {
        (0..<size.height).flatMap { y in (0..<size.width).map { x in self[x, y] } }
    }
}

extension TargetSize {
    static func box(_ width: Int, _ height: Int) -> TargetSize {
        TargetSize(box: PixelSize(width: width, height: height))
    }
}
