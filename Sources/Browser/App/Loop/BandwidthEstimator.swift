internal import SpyglassTerminalUI

/// Measures how fast a terminal takes frames, and limits their size.
///
/// A pure value; times are durations since some start. Measures the round trip of a frame and its reply, or the time to write it if
/// the terminal does not reply.
struct BandwidthEstimator {
    /// The largest chunk of rows on a slow terminal: two rows of half-blocks at 160 columns.
    static let chunkBytes = 9000
    /// The first chunk on an unknown terminal: enough to measure, and less than a second at 2 KB/s.
    static let firstChunkBytes = 1536
    /// The time of a chunk where rows are short enough, which delays every key.
    private static let chunkTime = Duration.milliseconds(600)
    /// A line becomes slow when a full repaint takes longer than `slow`, and stops being slow below `quick`.
    ///
    /// Until the latency is known it counts as transfer time, so the first estimate of it replaces the verdict.
    private static let slow = Duration.milliseconds(200)
    private static let quick = Duration.milliseconds(100)
    /// Mean bytes of a cell of a list: a quarter are images with 35 bytes, the rest text (measured).
    private static let bytesPerCell = 10
    /// Shorter frames measure the latency, not the bandwidth.
    private static let minSampleBytes = 1024
    private var minSampleBytes: Int {
        isSlow ? min(Self.minSampleBytes, (byteLimit ?? 0) / 4) : Self.minSampleBytes
    }

    private(set) var isSlow = false
    private(set) var isMeasured = false
    /// The least time of a frame, nearly all of it the latency, and the least bytes that took no longer.
    private var quickest: (bytes: Int, time: Duration)?
    /// Bytes and time of long frames, as an exponential average; until there is one, of the longest.
    private var sample = (bytes: 0, time: Duration.zero)
    private var wasLatencyKnown = false
    private var pending: (bytes: Int, since: Duration)?
    private var cells = 0

    /// The limit of a frame's rows; `nil` on a fast terminal.
    var byteLimit: Int? {
        guard isMeasured else { return Self.firstChunkBytes }
        return isSlow ? Int(min(Self.chunkTime / timePerByte, Double(Self.chunkBytes))) : nil
    }

    /// The time of kitty's images in a frame, which delays every key, and of an inline picture, which nothing can
    /// interrupt: a slower line shows half-blocks.
    private static let imageTime = Duration.milliseconds(150)
    /// The time of images while keys are pressed, but at least one part: a key's frame waits behind them unnoticed.
    private static let busyImageTime = Duration.milliseconds(12)
    private static let maxImageBytes = 64 << 10
    private static let inlineTime = Duration.seconds(2)
    /// The time of an inline picture at rest on this machine, where a busy processor makes a terminal look slow.
    private static let localInlineTime = Duration.seconds(10)
    /// Bytes per second below which images are pixels only while no key moves them.
    private static let minRate = 200_000
    /// Bytes per second from which all pixels are sent at once, with the text.
    private static let fastRate = 1_000_000
    /// The time after a key until pixels may follow on such a line.
    static let restTime = Duration.milliseconds(300)
    /// The length of a sequence that tmux takes (`input-buffer-size`).
    static let maxTmuxSequence = 1 << 20

    /// The limits of pictures in pixels; a part of one measures an unknown line, if the text was too short for that.
    ///
    /// Slow lines, and remote ones until they are measured, get none while keys are pressed; other lines that are not
    /// fast get kitty's at half the size. Images that keys lead to follow at rest.
    func pictureLimits(isResting: Bool, isRemote: Bool) -> PictureLimits {
        let inlineTime = isResting && !isRemote ? Self.localInlineTime : Self.inlineTime
        guard isMeasured else {
            // Short texts tell roughly how large an inline picture may be, which then measures the line.
            let inline = isResting && sample.bytes > 0 ? bytes(in: inlineTime) : 0
            return isResting || !isRemote
                ? PictureLimits(frame: PictureLimits.minFrame, inline: inline) : .charactersOnly
        }
        guard isResting || bytes(in: .seconds(1)) >= Self.minRate else { return .charactersOnly }
        let frame = min(bytes(in: isResting || isFast ? Self.imageTime : Self.busyImageTime), Self.maxImageBytes)
        // A part at least, if that takes no longer than rows may.
        let part = bytes(in: Self.chunkTime) >= PictureLimits.minFrame ? PictureLimits.minFrame : 0
        var limits = PictureLimits(frame: max(frame, part), inline: bytes(in: inlineTime))
        (limits.halves, limits.halvesFirst) = (!isResting && !isFast, isResting && !isFast)
        limits.sendsAhead = isResting
        return limits
    }

    /// Whether pixels take so little time that they need not follow the text.
    var isFast: Bool { isMeasured && bytes(in: .seconds(1)) >= Self.fastRate }

    private func bytes(in time: Duration) -> Int { timePerByte > .zero ? Int(min(time / timePerByte, 1e9)) : .max }

    /// Bytes of an animation in flight: what a line takes in 20 ms, so that a key waits no longer behind them.
    private static let animationTime = Duration.milliseconds(20)
    static let maxAnimationBytes = 16 << 10

    var animationBytes: Int {
        let limit = min(byteLimit ?? .max, Self.maxAnimationBytes - FrameGate.overhead)
        guard isMeasured, timePerByte > .zero else { return limit }
        // Less would measure only the latency: a line that is not slow takes at least these bytes in the time.
        let least = isSlow ? 0 : Int(Self.animationTime / Self.slow * Double(cells * Self.bytesPerCell))
        return min(max(Int(min(Self.animationTime / timePerByte, 1e9)), least), limit)
    }

    /// Includes the latency until frames of different sizes tell it.
    private var timePerByte: Duration {
        guard let latency else { return sample.time / max(sample.bytes, 1) }
        return max(sample.time - latency.time, .zero) / (sample.bytes - latency.bytes)
    }

    private var latency: (bytes: Int, time: Duration)? {
        quickest.flatMap { $0.bytes <= sample.bytes / 2 ? $0 : nil }
    }

    /// The time in which the line carries some bytes; `nil` on a slow or unknown line.
    func time(of bytes: Int) -> Duration? { isMeasured && !isSlow ? timePerByte * bytes : nil }

    /// Records what was written; a frame that follows others before their replies came measures nothing.
    mutating func sent(bytes: Int, at now: Duration, follows: Bool = false) {
        pending = follows ? nil : ((pending?.bytes ?? 0) + bytes, pending?.since ?? now)
    }

    /// Records that the terminal has shown or taken everything written.
    mutating func arrived(at now: Duration, cells: Int) {
        guard let (bytes, since) = pending else { return }
        pending = nil
        let time = max(now - since, .zero)
        let isSample = bytes >= minSampleBytes
        if let quickest, time > quickest.time {
            // Rises by an eighth: one late reply must not make the line look fast.
            if !isSample { self.quickest = (bytes, (quickest.time * 7 + time) / 8) }
        } else {
            quickest = (min(bytes, quickest?.bytes ?? bytes), time)
        }
        if isSample {
            sample = isMeasured ? ((sample.bytes + bytes) / 2, (sample.time + time) / 2) : (bytes, time)
            isMeasured = true
        }
        guard isMeasured else {
            if bytes > sample.bytes { sample = (bytes, time) }
            return
        }
        self.cells = cells
        let repaint = timePerByte * (cells * Self.bytesPerCell)
        isSlow = repaint > Self.slow || isSlow && wasLatencyKnown && repaint >= Self.quick
        wasLatencyKnown = latency != nil
    }

    /// Drops the frame in flight, which gets no reply.
    mutating func reset() { pending = nil }
}
