import Glibc
import SpyglassCodecs
import SpyglassPixels
import SpyglassThreads
import SpyglassTestSupport

/// The bytes of a file of the tests; empty if it is missing, which the test then reports.
func contents(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "rb") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece[..<count] }
    return bytes
}

/// Names in a folder, sorted.
func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
}

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
