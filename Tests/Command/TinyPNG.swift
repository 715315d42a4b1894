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

/// Animations of 2x2 pixels, in which each frame has one colour.
enum TinyGIF {
    /// Red, green, blue; then red again.
    static let colors: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 0, 0]]

    /// `frames` of 100 ms in the order of `colors`; `loops` as stored, 0 for ever; `nil`: once.
    static func moving(_ frames: Int = 2, loops: UInt8? = 0) -> [UInt8] {
        var bytes = Array("GIF89a".utf8) + [2, 0, 2, 0, 0x81, 0, 0] + colors.flatMap { $0 }
        if let loops { bytes += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, loops, 0, 0] }
        for frame in 0..<frames {
            bytes += [0x21, 0xF9, 4, 0, 10, 0, 0, 0, 0x2C, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2, 4]
            // A clear code (4) before each pixel keeps codes at three bits; 5 is the end.
            let codes = (0..<4).flatMap { _ in [4, frame % 4] } + [5]
            let bits = codes.enumerated().reduce(0) { $0 | $1.element << ($1.offset * 3) }
            bytes += (0..<4).map { UInt8(bits >> ($0 * 8) & 0xFF) } + [0]
        }
        return bytes + [0x3B]
    }
}
