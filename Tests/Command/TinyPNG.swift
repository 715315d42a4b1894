@testable import SpyglassCatalog

/// Uncompressed PNG files of a few pixels.
enum TinyPNG {
    /// One colour.
    static func solid(_ red: UInt8, _ green: UInt8, _ blue: UInt8, width: Int = 2, height: Int = 2) -> [UInt8] {
        let pixels = (0..<width * height).flatMap { _ in [red, green, blue] }
        return StoredPNG.bytes(of: pixels, width: width, height: height)
    }

    /// Pixels that no encoder makes smaller: a linear congruential generator.
    static func noise(width: Int, height: Int) -> [UInt8] {
        var state: UInt32 = 1
        let pixels = (0..<width * height * 3).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
        return StoredPNG.bytes(of: pixels, width: width, height: height)
    }
}
