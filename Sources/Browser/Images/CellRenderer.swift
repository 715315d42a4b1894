internal import SpyglassPipeline
internal import SpyglassPixels
internal import SpyglassTerminalUI
internal import SpyglassThreads

/// Converts pixels to cells: in one way for lists, in another for one photo in full.
///
/// Thread-safe; locks guard the palettes' tables of nearest colours.
final class CellRenderer: Sendable {
    private let list: Mutex<ImageRenderer>
    private let full: Mutex<ImageRenderer>
    /// For enlarged thumbnails, and for previews in characters; without diffusion, which would change cells that stay.
    private let characters: Mutex<ImageRenderer>
    private let listOptions: ImageRenderer.Options
    private let fullOptions: ImageRenderer.Options

    init(_ traits: TerminalTraits, _ codecs: PixelCodecs? = nil) {
        var list = ImageRenderer.Options(traits, isFull: false)
        var full = ImageRenderer.Options(traits, isFull: true)
        list.codecs = codecs
        full.codecs = codecs
        listOptions = list
        fullOptions = full
        self.list = Mutex(ImageRenderer(list))
        self.full = Mutex(ImageRenderer(full))
        full.dithers = false
        if full.mode.symbols == nil { full.mode = .half }
        characters = Mutex(ImageRenderer(full))
    }

    /// Whether the image is encoded in pixels, which takes longer than a frame may.
    func encodes(_ key: PictureKey) -> Bool { key.isDrawn && options(for: key).mode.symbols == nil }
    private func options(for key: PictureKey) -> ImageRenderer.Options { key.isFull ? fullOptions : listOptions }

    /// `focus` is what a crop keeps; the frames of an animation need the same.
    func preview(of pixels: PixelBuffer, for key: PictureKey, on focus: Focus = .center) -> CellImage {
        if key.isFull, !encodes(key) { return characters.withLock { $0.preview(of: pixels.turned(key.turns)) } }
        return characterImage(of: pixels, for: key, on: focus)
    }

    /// The image in pixels, where the terminal draws them; characters where they cannot be encoded.
    func image(of pixels: PixelBuffer, for key: PictureKey, on focus: Focus = .center) -> CellImage {
        adding(pixels, to: characterImage(of: pixels, for: key, on: focus), for: key, on: focus)
    }

    func adding(
        _ pixels: PixelBuffer, to preview: CellImage, for key: PictureKey, on focus: Focus = .center
    ) -> CellImage {
        guard encodes(key) else { return preview }
        return (try? options(for: key).adding(fitted(pixels, for: key, on: focus), to: preview)) ?? preview
    }

    /// Whether the terminal plays the image's animation, once it has all frames.
    func isPlayedByTerminal(_ key: PictureKey) -> Bool {
        let options = options(for: key)
        return options.mode == .kitty && options.playsAnimations && options.codecs != nil
    }

    /// The size of the frames that the terminal plays: it enlarges small ones.
    func playedTarget(for key: PictureKey) -> TargetSize {
        let box = options(for: key).pixelBox(for: key.box).turned(key.turns)
        return TargetSize(box: box, fit: key.isCropped ? .cover : .contain)
    }

    /// A frame that the terminal plays, of an animation of this size.
    func playedFrame(
        _ pixels: PixelBuffer, number: Int, lasting duration: Duration, of size: PixelSize, for key: PictureKey
    ) throws -> PlayedFrame {
        let pixels = fitted(pixels, for: key, on: .center)
        let shown = key.isFull && !key.isCropped ? target(for: key).size(for: size).turned(key.turns) : pixels.size
        return try options(for: key).frame(pixels, number: number, lasting: duration, shownAt: shown)
    }

    func animation(of frames: [PlayedFrame], plays: Int?, for key: PictureKey) -> CellImage? {
        options(for: key).animation(of: frames, plays: plays)
    }

    private func characterImage(of pixels: PixelBuffer, for key: PictureKey, on focus: Focus) -> CellImage {
        let pixels = fitted(pixels, for: key, on: focus)
        return key.isFull ? full.withLock { $0.preview(of: pixels) } : list.withLock { $0.preview(of: pixels) }
    }

    /// The image as its box shows it: a small one enlarged, and a window of one that covers it.
    private func fitted(_ pixels: PixelBuffer, for key: PictureKey, on focus: Focus) -> PixelBuffer {
        let pixels = pixels.turned(key.turns)
        guard key.isCropped || !key.isFull else { return pixels }
        let box = options(for: key).pixelBox(for: key.box)
        let scales = (Double(box.width) / Double(pixels.size.width), Double(box.height) / Double(pixels.size.height))
        guard key.isCropped else { return enlarged(pixels, by: min(scales.0, scales.1), for: key) }
        let scale = max(scales.0, scales.1, 1)
        let part = PixelSize(
            width: max(Int((Double(box.width) / scale).rounded()), 1),
            height: max(Int((Double(box.height) / scale).rounded()), 1))
        let window = pixels.cropped(to: part, on: focus)
        return window.size == box ? window : window.enlarged(to: box)
    }

    /// A larger image would be a blur.
    private static let maxEnlargement = 3.0
    /// The longest side of an icon, in pixels.
    private static let maxIconSide = 64

    /// An image that is smaller than its box, up to three times as large; an icon of a folder keeps its pixels, as squares.
    private func enlarged(_ pixels: PixelBuffer, by scale: Double, for key: PictureKey) -> PixelBuffer {
        let (width, height) = (pixels.size.width, pixels.size.height)
        if max(width, height) <= Self.maxIconSide, case .localFile = key.source {
            return scale >= 2 ? pixels.repeated(Int(scale)) : pixels
        }
        let scale = min(scale, Self.maxEnlargement)
        var size = PixelSize(
            width: Int((Double(width) * scale).rounded()), height: Int((Double(height) * scale).rounded()))
        if let grid = options(for: key).mode.symbols?.grid { size = size.rounded(to: grid) }
        return scale > 1 && size != pixels.size ? pixels.enlarged(to: size) : pixels
    }

    /// The size to decode to; a large image is enlarged to fill its box.
    func target(for key: PictureKey) -> TargetSize {
        if let size = key.partSize {
            return TargetSize(box: size.turned(key.turns), fit: .fill, allowsUpscaling: true)
        }
        guard key.turns.isMultiple(of: 2) else {
            let options = options(for: key)
            return TargetSize(
                box: options.pixelBox(for: key.box).turned(key.turns), allowsUpscaling: true,
                pixelAspect: 1 / options.pixelAspect)
        }
        return options(for: key).target(
            for: key.box, fit: key.isCropped ? .cover : .contain, allowsUpscaling: key.isFull)
    }

    /// The key's region of a whole image, made for another key, as characters that fill the key's box.
    func enlarged(_ whole: PixelBuffer, of other: PictureKey, for key: PictureKey) -> CellImage {
        let whole = whole.turned(key.turns)
        return characters.withLock { renderer in
            let room = renderer.pixelBox(for: key.box)
            let aspect = options(for: other).pixelAspect / renderer.pixelAspect
            // Fractions of pixels count: a thumbnail has few.
            var width = Double(whole.size.width) * key.region.width * aspect
            var height = Double(whole.size.height) * key.region.height
            var factor = min(Double(room.width) / width, Double(room.height) / height)
            if let size = key.partSize {
                let box = fullOptions.pixelBox(for: key.box)
                width = Double(size.width * room.width) / Double(box.width)
                height = Double(size.height * room.height) / Double(box.height)
                factor = 1
            }
            func side(_ exact: Double, _ limit: Int) -> Int {
                exact.isFinite ? Int(min(max(exact.rounded(), 1), Double(limit))) : 1
            }
            let size = PixelSize(width: side(width * factor, room.width), height: side(height * factor, room.height))
            return renderer.preview(of: whole.enlarged(key.region, to: size))
        }
    }
}

extension ImageRenderer.Options {
    init(_ traits: TerminalTraits, isFull: Bool) {
        self.init(mode: traits.pixels, depth: traits.depth)
        glyphs = traits.glyphs
        background = traits.background ?? .black
        drawsBackground = traits.drawsBackground
        dithers = isFull && mode.symbols != nil
        palette = traits.palette
        aspect = traits.aspect
        cellPixels = traits.cellPixels
        maxSixelSide = traits.maxSixelSide
        // A placeholder's colour is its 24-bit image id. Inside tmux, kitty images need placeholders.
        usesPlaceholders = traits.usesPlaceholders && (depth == .truecolor || traits.isInsideTmux)
        isInsideTmux = traits.isInsideTmux
        // A terminal that shares memory is on this machine; another line may be slow, whatever it is.
        addsHalfSize = !traits.sharesMemory
        (playsAnimations, sharesMemory) = (traits.playsAnimations, traits.sharesMemory)
    }
}
