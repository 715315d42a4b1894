internal import SpyglassCodecs
internal import SpyglassPixels
internal import SpyglassTerminalUI

extension PixelCodecs {
    /// The encoders of this program's libraries.
    static let standard = PixelCodecs(
        png: { try ImageEncoder(.png).encode($0) },
        jpeg: { try ImageEncoder(.jpeg(.init(quality: $1)), background: RGBA(0, 0, 0)).encode($0) })
}
