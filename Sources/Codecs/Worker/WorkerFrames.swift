internal import SpyglassPixels
internal import SpyglassThreads

/// The frames of an animation that a worker holds; it is released there with the last reference.
final class WorkerFrames: AnimationSource {
    let info: ImageInfo
    let worker: WorkerConnection
    let cancellation: Cancellation?
    private(set) var plays: Int?
    private let pool: WorkerPool
    private let number: Int
    private let size: PixelSize
    private let share: WorkMemory.Share?
    /// `restart` cannot fail; the next frame does.
    private var mustRestart = false

    init(
        _ pool: WorkerPool, _ worker: WorkerConnection, _ number: Int, _ opened: OpenedReply,
        _ cancellation: Cancellation?, _ share: WorkMemory.Share?
    ) {
        (self.pool, self.worker, self.number, self.cancellation) = (pool, worker, number, cancellation)
        (info, size, self.share) = (opened.info, opened.size, share)
        plays = opened.plays < 0 ? nil : opened.plays
    }

    deinit { pool.release(number, of: worker) }

    func next() throws(CodecError) -> AnimationFrame? {
        guard let (duration, pixels) = try ask(.next(number), size), let pixels else { return nil }
        return AnimationFrame(pixels: pixels, duration: duration)
    }

    func skip() throws(CodecError) -> Duration? { try ask(.skip(number), nil)?.0 }

    func restart() { mustRestart = true }

    private func ask(_ request: WorkerRequest, _ size: PixelSize?) throws(CodecError) -> (Duration, PixelBuffer?)? {
        if mustRestart {
            _ = try pool.frame(.restart(number), self, size: nil)
            mustRestart = false
        }
        let (plays, duration, pixels) = try pool.frame(request, self, size: size)
        self.plays = plays < 0 ? nil : plays
        return duration < 0 ? nil : (FrameTime.shown(milliseconds: duration / 1_000_000), pixels)
    }
}
