@testable import SpyglassCatalog

/// Uncompressed PNG files of a few pixels.
enum TinyPNG {
    /// One colour.
    static func solid(_ red: UInt8, _ green: UInt8, _ blue: UInt8, width: Int = 2, height: Int = 2) -> [UInt8] {
        let pixels = (0..<width * height).flatMap { _ in [red, green, blue] }
        return StoredPNG.bytes(of: pixels, width: width, height: height)
    }
}
