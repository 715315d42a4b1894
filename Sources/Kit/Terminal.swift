internal import Glibc
public import SpyglassPixels
internal import SpyglassCodecs
internal import SpyglassTerminalUI
internal import SpyglassThreads

/// Draws images on standard output, as `spyglass show` does: in real pixels where the terminal has them, else as characters.
///
///     let image = try await ImagePipeline().image(for: ImageRequest("photo.jpg", target: Terminal.target))
///     try Terminal.print(image.pixels)
///
/// The first use asks a local terminal what it draws, and waits for its reply, at most for a tenth of a second; nothing is asked
/// over ssh, in a pipe, and in tmux. Thread-safe; calls block.
public enum Terminal {
    private static let capabilities: TerminalCapabilities = {
        var found = TerminalCapabilities.current()
        guard found.isTerminal, found.support.needsAnswers else { return found }
        let outcome = TerminalQuery.ask(asksPalette: false) { name in getenv(name).map { String(cString: $0) } }
        if case .answered(let answers) = outcome { found.learn(answers) }
        return found
    }()
    private static let renderer = Mutex(
        ImageRenderer(
            for: capabilities,
            codecs: PixelCodecs(
                png: { try ImageEncoder(.png).encode($0) },
                jpeg: { try ImageEncoder(.jpeg(.init(quality: $1)), background: RGBA(0, 0, 0)).encode($0) })))

    /// The size of an image that fills the screen without its last row; small images are not enlarged.
    public static var target: TargetSize {
        // The window may have another size by now.
        renderer.withLock { $0.target(for: TerminalCapabilities.current().drawingBox) }
    }

    /// Draws an image that was loaded for `target`; the cursor ends below it.
    ///
    /// The pixels of `target` need not be square: characters draw two or more a cell. A larger image counts as one with square pixels,
    /// and is scaled down.
    ///
    /// Ignore SIGPIPE in a program whose output may be closed early, for example by `head`.
    ///
    /// - Throws: an error if the image cannot be encoded, or standard output cannot be written.
    public static func print(_ image: PixelBuffer) throws {
        let cells = TerminalCapabilities.current().drawingBox
        try StreamWriter.standardOutput.write(renderer.withLock { try $0.encode($0.fitted(image, to: cells)) })
    }
}
