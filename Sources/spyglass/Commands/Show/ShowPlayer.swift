import Glibc
import SpyglassBrowser
import SpyglassFetching
import SpyglassPipeline
import SpyglassPixels
import SpyglassTerminalUI
import SpyglassThreads

/// Plays the animations of `show` over the whole screen, one at a time, each until its end or a key.
final class ShowPlayer: Sendable {
    private let system: SystemServices
    private let player: AnimationPlayer
    private let options: ImageRenderer.Options
    private let size: CellSize
    private let renderer: Mutex<ImageRenderer>

    private enum Event: Sendable {
        case terminal(TerminalSession.Event)
        case frame(PixelBuffer, CellImage)
        case ended((any Error)?)
    }

    init(_ settings: Settings, _ system: SystemServices, _ threads: ThreadPool) {
        self.system = system
        player = AnimationPlayer(threads: threads, clock: ElapsedClock(system.clock))
        options = ImageRenderer.Options(settings, settings.pixels.value)
        size = settings.terminal.size.value
        renderer = Mutex(ImageRenderer(options))
    }

    /// Plays `loops` times, or as often as the file states; returns the frame that was last on the screen.
    func play(_ animation: AnimationReader, caption: TerminalText?, loops: Int?) async throws -> PixelBuffer {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        guard let terminal = system.outputScreen({ continuation.yield(.terminal($0)) }) else {
            throw TerminalError.noTerminal
        }
        try terminal.start(.init(usesMouse: false, queries: TerminalBytes(), needsInput: false))
        let playing = Task { [self] in
            do {
                try await player.play(animation, loops: loops) { [self] pixels in
                    (pixels, try renderer.withLock { try $0.image(of: pixels) })
                } show: {
                    continuation.yield(.frame($0.0, $0.1))
                }
                continuation.yield(.ended(nil))
            } catch { continuation.yield(.ended(error)) }
        }
        var screen = PlayedScreen(terminal, size: size, caption, options)
        var problem: any Error = CancellationError()
        loop: for await event in events {
            switch event {
            case .frame(let pixels, let image): screen.show(image, of: pixels)
            case .ended(let error):
                problem = error ?? problem
                break loop
            case .terminal(let event): if screen.ends(by: event) { break loop }
            }
        }
        playing.cancel()
        terminal.end()
        // Releases the animation's thread before the next item needs it.
        await playing.value
        guard let last = screen.last else { throw problem }
        return last
    }
}

/// The screen while an animation plays: sends a frame only after the terminal has received the last one.
private struct PlayedScreen {
    private let terminal: any FullScreenTerminal
    private let caption: TerminalText?
    private var painter: Painter
    private var image: CellImage?
    /// The last frame that was sent.
    private(set) var last: PixelBuffer?
    private var waiting: PixelBuffer?
    private var pendingReplies = 0
    private var hasReplied = false

    /// Image memory in frames: kitty holds the one on the screen, the one before, and the next.
    private static let keptFrames = 4

    init(
        _ terminal: any FullScreenTerminal, size: CellSize, _ caption: TerminalText?, _ options: ImageRenderer.Options
    ) {
        self.terminal = terminal
        self.caption = caption
        let box = options.pixelBox(for: size)
        painter = Painter(
            size: size, depth: options.depth, usesScrollRegion: false,
            imageMemory: Self.keptFrames * box.pixelCount * PixelBuffer.bytesPerPixel)
    }

    mutating func show(_ image: CellImage, of pixels: PixelBuffer) {
        (self.image, waiting) = (image, pixels)
        draw()
    }

    /// Returns whether the event ends the animation.
    mutating func ends(by event: TerminalSession.Event) -> Bool {
        switch event {
        case .input(.reply(.status)):
            hasReplied = true
            pendingReplies = max(pendingReplies - 1, 0)
            draw()
        case .drained: draw()
        case .input(.key(let key)):
            if key == Key(.character("z"), .control) {
                terminal.suspend()
                return false
            }
            if key == Key(.character("c"), .control) { terminal.terminate(bySignal: SIGINT) }
            return true
        case .input(.paste), .closed: return true
        case .input: break
        case .resized(let report):
            let found = TerminalCapabilities.detect(environment: { _ in nil }, isTerminal: true, window: report)
            repaint(size: found.size.value)
        case .continued: repaint(size: painter.size)
        case .ended(let signal):
            terminal.terminate(bySignal: signal)
            return true
        }
        return false
    }

    private mutating func repaint(size: CellSize) {
        painter.forget(size: size)
        pendingReplies = 0
        waiting = waiting ?? last
        draw()
    }

    private mutating func draw() {
        guard let waiting, let image, !terminal.isWriting, !hasReplied || pendingReplies == 0 else { return }
        var grid = CellGrid(size: painter.size)
        grid.put(image, at: CellPosition(column: 0, row: 0))
        if let caption { grid.put(caption, at: CellPosition(column: 0, row: image.rows)) }
        let frame = painter.paint(grid)
        // Kitty's images are sent after the screen frame that clears the screen.
        self.waiting = frame.isComplete || frame.bytes.isEmpty ? nil : waiting
        last = waiting
        guard !frame.bytes.isEmpty else { return }
        pendingReplies += 1
        terminal.write(frame.bytes)
    }
}
