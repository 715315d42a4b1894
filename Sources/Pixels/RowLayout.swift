/// What the bytes of a decoded row mean: eight bits a channel, no padding, straight alpha.
public enum RowLayout: Int, Hashable, Sendable, CaseIterable {
    /// One byte a pixel: luminance.
    case gray = 1
    /// Two bytes a pixel: luminance, alpha.
    case grayAlpha = 2
    /// Three bytes a pixel: red, green, blue.
    case rgb = 3
    /// Four bytes a pixel: red, green, blue, alpha.
    case rgba = 4

    /// Bytes a pixel, which is the number of channels.
    public var channels: Int { rawValue }

    /// Whether the last channel is alpha.
    public var hasAlpha: Bool { self == .grayAlpha || self == .rgba }

    /// Channels that carry light: one or three.
    var lightChannels: Int { hasAlpha ? channels - 1 : channels }
}
