/// The channels of a decoded row: eight bits each, no padding, straight alpha.
public enum RowLayout: Int, Hashable, Sendable, CaseIterable {
    /// One byte a pixel: luminance.
    case gray = 1
    /// Two bytes a pixel: luminance, alpha.
    case grayAlpha = 2
    /// Three bytes a pixel: red, green, blue.
    case rgb = 3
    /// Four bytes a pixel: red, green, blue, alpha.
    case rgba = 4

    /// The number of channels, and of bytes a pixel.
    public var channels: Int { rawValue }

    /// Whether the last channel is alpha.
    public var hasAlpha: Bool { self == .grayAlpha || self == .rgba }
    var lightChannels: Int { hasAlpha ? channels - 1 : channels }
}
