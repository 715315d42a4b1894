/// Resamples rows with either filter; a class, so that one decoder can feed several.
package final class RowResampler {
    // One of them is set; an enum of the two would be copied for each row.
    private var area: AreaResampler?
    private var lanczos: LanczosResampler?

    package init(
        _ filter: ResampleFilter, from whole: PixelSize, part: PixelArea, to target: PixelSize, layout: RowLayout,
        transfer: TransferCurve = .sRGB, step: Int = 1
    ) {
        // Without scaling both filters change nothing, and `area` is cheaper.
        switch step == 1 && part.size == target ? .area : filter {
        case .area:
            area = AreaResampler(
                from: whole, part: part, to: target, layout: layout, transfer: transfer, step: step)
        case .lanczos:
            precondition(part.x % step == 0 && part.y % step == 0, "only the area filter divides a pixel")
            lanczos = LanczosResampler(from: part.size, to: target, layout: layout, transfer: transfer, step: step)
        }
    }

    package func add(_ row: Span<UInt8>) {
        area?.add(row)
        lanczos?.add(row)
    }

    package func finish() -> PixelBuffer {
        if let area = area.take() { return area.finish() }
        if let lanczos = lanczos.take() { return lanczos.finish() }
        preconditionFailure("finish() is called once")
    }
}

/// How source pixels are combined into a target pixel, in linear light with premultiplied alpha.
@nonexhaustive
public enum ResampleFilter: String, Hashable, Sendable, CaseIterable {
    /// The mean of the covered area: for previews, and the cheaper one.
    case area
    /// A windowed sinc with three lobes (Lanczos-3): for exports, sharper and without aliasing.
    case lanczos
}

/// The channels of a decoded row: eight bits each, no padding, straight alpha.
package enum RowLayout: Int, Hashable, Sendable, CaseIterable {
    /// One byte a pixel: luminance.
    case gray = 1
    /// Two bytes a pixel: luminance, alpha.
    case grayAlpha = 2
    /// Three bytes a pixel: red, green, blue.
    case rgb = 3
    /// Four bytes a pixel: red, green, blue, alpha.
    case rgba = 4

    /// The number of channels, and of bytes a pixel.
    package var channels: Int { rawValue }

    /// Whether the last channel is alpha.
    package var hasAlpha: Bool { self == .grayAlpha || self == .rgba }
    var lightChannels: Int { hasAlpha ? channels - 1 : channels }
}
