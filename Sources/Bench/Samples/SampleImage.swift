internal import SpyglassCatalog
internal import SpyglassPixels
internal import SpyglassTerminalUI

/// A generated image that costs as much as a photograph, the same on every machine.
struct SampleImage {
    let size: PixelSize
    private let seed: UInt64
    private let corners: [[Int]]
    private let discs: [(x: Int, y: Int, squaredRadius: Int, color: [Int])]

    private static let discCount = 10
    /// The amplitude of the noise, a camera's at low light.
    private static let noise = 4

    init(_ size: PixelSize, seed: UInt64) {
        var random = SplitMix64(state: seed)
        func color() -> [Int] { (0..<3).map { _ in 20 + random.below(200) } }
        self.size = size
        self.seed = seed
        corners = (0..<4).map { _ in color() }
        let radius = max(size.width / 6, 2)
        discs = (0..<Self.discCount).map { _ in
            let side = 1 + random.below(radius)
            return (random.below(size.width), random.below(size.height), side * side, color())
        }
    }

    init(filling box: CellSize, seed: UInt64) { self.init(SymbolSet.half.pixelBox(for: box), seed: seed) }

    func pixels() -> PixelBuffer {
        var random = SplitMix64(state: ~seed)
        let (width, height) = (size.width, size.height)
        let bytes = [UInt8](unsafeUninitializedCapacity: size.pixelCount * PixelBuffer.bytesPerPixel) { buffer, count in
            for y in 0..<height {
                for x in 0..<width {
                    let disc = discs.last { disc in
                        let (across, down) = (x - disc.x, y - disc.y)
                        return across * across + down * down < disc.squaredRadius
                    }
                    var noise = random.next()
                    for channel in 0..<3 {
                        let background = disc?.color[channel] ?? background(channel, x, y)
                        let value = background + Int(noise & 0xFF) * (2 * Self.noise + 1) / 256 - Self.noise
                        noise >>= 8
                        buffer.initializeElement(at: count + channel, to: UInt8(clamping: value))
                    }
                    buffer.initializeElement(at: count + 3, to: 255)
                    count += PixelBuffer.bytesPerPixel
                }
            }
        }
        return PixelBuffer(size: size, bytes: bytes)
    }

    private func background(_ channel: Int, _ x: Int, _ y: Int) -> Int {
        let (right, below) = (x * 256 / size.width, y * 256 / size.height)
        let above = corners[0][channel] * (256 - right) + corners[1][channel] * right
        let lower = corners[2][channel] * (256 - right) + corners[3][channel] * right
        return (above * (256 - below) + lower * below) / 65_536
    }
}

extension PixelBuffer {
    var rgbBytes: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(size.pixelCount * 3)
        for at in Swift.stride(from: 0, to: bytes.count, by: PixelBuffer.bytesPerPixel) {
            result += bytes[at..<at + 3]
        }
        return result
    }
}
