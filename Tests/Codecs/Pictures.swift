import SpyglassCodecs
import SpyglassPixels
import SpyglassThreads
import SpyglassTestSupport

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

extension TargetSize {
    static func box(_ width: Int, _ height: Int) -> TargetSize {
        TargetSize(box: PixelSize(width: width, height: height))
    }
}
