internal import SpyglassPixels
internal import SpyglassTerminalUI
internal import SpyglassThreads

/// Pictures as cells, a few for each size, made when they are first wanted.
final class CellImagePool: Sendable {
    private let count: Int
    private let made = Mutex<[CellSize: [CellImage]]>([:])

    init(count: Int) { self.count = count }

    /// The picture of a number for a box.
    func picture(_ number: Int, _ box: CellSize) -> CellImage {
        made.withLock { made in
            if let images = made[box] { return images[number % count] }
            var blocks = HalfBlock(depth: .truecolor)
            let images = (0..<count).map { seed in
                blocks.cells(of: SampleImage(HalfBlock.pixelBox(for: box), seed: UInt64(seed + 1)).pixels())
            }
            made[box] = images
            return images[number % count]
        }
    }
}
