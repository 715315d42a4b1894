internal import SpyglassCTIFF
internal import SpyglassPixels

/// Converts stored samples to bytes of a row: grey, palette, RGB and CMYK, as integers of up to 64 bits or floating point.
///
/// Integers of up to 16 bits show their whole range, from black to white. Wider ones and floating-point numbers show the range
/// from the least to the greatest colour value in the image. NaN is transparent.
struct TIFFPixels {
    let layout: RowLayout
    /// Bytes per pixel of the output of `convert`: four inks, and alpha, for CMYK; otherwise the channels of `layout`.
    let channels: Int
    /// Samples a pixel that are converted, colours first; separate ones are in planes of their own.
    let usedSamples: Int
    let isPlanar: Bool
    /// The range of colour values, once measured; `nil` if the type's whole range is shown.
    let range: TIFFRange?
    /// Whether `convert` measures samples instead of converting them.
    var isMeasuring = false
    /// Whether colours are L*, a* and b*; 128 is then no colour if `isICCLab`, else 0.
    let isLab: Bool
    private let isICCLab: Bool
    private let colors: Int
    private let kind: Kind
    private let bits: Int
    private let samples: Int
    private let isInverted: Bool
    private let isPremultiplied: Bool
    /// Whether colours are divided by alpha before they are measured; separate planes are not together for that.
    private var dividesFirst: Bool { isPremultiplied && range != nil && !isPlanar }
    /// Red, green and blue of each index; empty without a palette.
    private var palette: [UInt8] = []

    private enum Kind { case unsigned, signed, float }

    /// `nil` for pixels that the library must convert.
    init?(_ reader: borrowing TIFFReader, hasAlpha: Bool) {
        let stored = reader.layout
        (bits, samples) = (Int(stored.bits), Int(stored.samples))
        (isLab, isICCLab) = ([8, 9].contains(stored.photometric), stored.photometric == 9)
        switch isLab ? 1 : stored.sample_format {
        case 1, 4: kind = .unsigned
        case 2: kind = .signed
        case 3: kind = .float
        default: return nil
        }
        guard (kind == .float ? [16, 32, 64] : Array(1...16) + [24, 32, 64]).contains(bits) else { return nil }
        isPlanar = stored.is_separate != 0 && samples > 1
        switch stored.photometric {
        case 0, 1: (colors, layout) = (1, hasAlpha || kind == .float ? .grayAlpha : .gray)
        case 2: (colors, layout) = (3, hasAlpha || kind == .float ? .rgba : .rgb)
        case 3: (colors, layout) = (1, hasAlpha ? .rgba : .rgb)
        case 5: (colors, layout) = (4, hasAlpha ? .rgba : .rgb)
        // The library shows their white, D50, as yellow.
        case 8 where bits == 8, 9 where bits == 8: (colors, layout) = (3, .rgb)
        default: return nil
        }
        let isCMYK = stored.photometric == 5
        usedSamples = colors + (hasAlpha ? 1 : 0)
        guard samples >= usedSamples else { return nil }
        channels = isCMYK ? usedSamples : layout.channels
        isInverted = stored.photometric == 0
        isPremultiplied = hasAlpha && stored.extra_samples > 0 && stored.first_extra == 1
        range = !isCMYK && (kind == .float || bits > 16) ? TIFFRange() : nil
        if stored.photometric == 3 {
            guard kind == .unsigned, bits <= 16, !isPlanar, let colors = Self.palette(of: reader, bits) else {
                return nil
            }
            palette = colors
        }
    }

    private static func palette(of reader: borrowing TIFFReader, _ bits: Int) -> [UInt8]? {
        var columns: (UnsafePointer<UInt16>?, UnsafePointer<UInt16>?, UnsafePointer<UInt16>?)
        guard sg_tiff_palette(reader.handle, &columns.0, &columns.1, &columns.2), let red = columns.0,
            let green = columns.1, let blue = columns.2
        else { return nil }
        // Some writers state eight bits.
        let isWide = (0..<1 << bits).contains { red[$0] > 255 || green[$0] > 255 || blue[$0] > 255 }
        return (0..<1 << bits).flatMap { index in
            [red, green, blue].map { UInt8(truncatingIfNeeded: isWide ? $0[index] >> 8 : $0[index]) }
        }
    }

    /// Whether stored bytes are the row's.
    private var isPlain: Bool {
        bits == 8 && kind == .unsigned && samples == channels && !isPlanar && !isInverted && !isPremultiplied
            && palette.isEmpty
    }

    /// Bytes of stored pixels that lie side by side, of one plane or of all samples.
    func storedBytes(_ count: Int) -> Int { (count * (isPlanar ? 1 : samples) * bits + 7) / 8 }

    /// Converts `count` pixels, or their samples in `plane`, to `row` from its pixel `x` on; planes come in order.
    func convert(_ stored: UnsafeRawBufferPointer, plane: Int = 0, count: Int, to row: inout [UInt8], at x: Int) {
        precondition(stored.count >= storedBytes(count) && row.count >= (x + count) * channels, "room for the pixels")
        if isMeasuring { return measure(stored, plane, count) }
        row.withUnsafeMutableBytes { row in
            let output = UnsafeMutableRawBufferPointer(rebasing: row[x * channels..<(x + count) * channels])
            if isPlain { return output.copyMemory(from: UnsafeRawBufferPointer(rebasing: stored[..<output.count])) }
            if !palette.isEmpty { return look(up: stored, count, output) }
            for sample in isPlanar ? plane..<plane + 1 : 0..<usedSamples {
                for pixel in 0..<count {
                    let value = level(stored, isPlanar ? pixel : pixel * samples + sample, isColor: sample < colors)
                    let at = pixel * channels + sample
                    guard kind == .float, layout.hasAlpha else {
                        output[at] = value ?? 0
                        continue
                    }
                    let alphaAt = (pixel + 1) * channels - 1
                    let alpha = sample == 0 ? 255 : output[alphaAt]
                    if sample < colors { output[at] = value ?? 0 }
                    output[alphaAt] = value.map { sample < colors ? alpha : min(alpha, $0) } ?? 0
                }
            }
            if isPremultiplied, !dividesFirst, !isPlanar || plane == usedSamples - 1 {
                output.makeStraight(pixels: count, channels: channels)
            }
        }
    }

    /// Converts a row of inks, perhaps with alpha, to one of `layout`.
    func convertInks(_ row: Span<UInt8>, count: Int, to output: inout [UInt8]) {
        guard layout.hasAlpha else { return CMYK.convert(row, isInverted: false, pixels: count, into: &output) }
        let inks = (0..<count * CMYK.bytesIn).map { row[$0 / CMYK.bytesIn * channels + $0 % CMYK.bytesIn] }
        CMYK.convert(inks.span, isInverted: false, pixels: count, into: &output)
        // From the last pixel on, since both are in one row.
        for pixel in (0..<count).reversed() {
            for channel in (0..<CMYK.bytesOut).reversed() {
                output[pixel * layout.channels + channel] = output[pixel * CMYK.bytesOut + channel]
            }
            output[pixel * layout.channels + CMYK.bytesOut] = row[pixel * channels + CMYK.bytesIn]
        }
    }

    /// XYZ of D50.
    private static let white = [0.96420, 1, 0.82491]

    /// Converts a row of L*, a* and b* (CIE 15, section 8.2.1), whose white becomes that of sRGB.
    func convertLab(_ row: Span<UInt8>, count: Int, to output: inout [UInt8]) {
        func light(_ value: Double) -> Double {
            value > 6.0 / 29 ? value * value * value : 108.0 / 841 * (value - 4.0 / 29)
        }
        func ab(_ byte: UInt8) -> Double { isICCLab ? Double(byte) - 128 : Double(Int8(bitPattern: byte)) }
        for at in stride(from: 0, to: count * 3, by: 3) {
            let level = (Double(row[at]) * 100 / 255 + 16) / 116
            let xyz = [
                Self.white[0] * light(level + ab(row[at + 1]) / 500), Self.white[1] * light(level),
                Self.white[2] * light(level - ab(row[at + 2]) / 200),
            ]
            for (channel, factors) in CodePoints.fromD50.enumerated() {
                let sum = factors[0] * xyz[0] + factors[1] * xyz[1] + factors[2] * xyz[2]
                output[at + channel] = LinearLight.sRGB(Int((sum * Double(LinearLight.maximum)).rounded()))
            }
        }
    }

    private func look(up stored: UnsafeRawBufferPointer, _ count: Int, _ output: UnsafeMutableRawBufferPointer) {
        for pixel in 0..<count {
            let index = 3 * Int(integer(stored, pixel * samples))
            for channel in 0..<3 { output[pixel * channels + channel] = palette[index + channel] }
            guard layout.hasAlpha else { continue }
            output[pixel * channels + 3] = level(stored, pixel * samples + 1, isColor: false) ?? 0
        }
    }

    private func measure(_ stored: UnsafeRawBufferPointer, _ plane: Int, _ count: Int) {
        for sample in isPlanar ? plane..<plane + 1 : 0..<colors where sample < colors {
            for pixel in 0..<count { range?.add(color(stored, isPlanar ? pixel : pixel * samples + sample)) }
        }
    }

    // MARK: Samples

    /// Returns 0 to 255; `nil` for NaN.
    private func level(_ stored: UnsafeRawBufferPointer, _ index: Int, isColor: Bool) -> UInt8? {
        let level: UInt8
        if kind != .float, bits <= 16 {
            let (number, max) = (integer(stored, index), UInt64(1) << bits - 1)
            level = UInt8(truncatingIfNeeded: bits == 8 ? number : (number * 255 + max / 2) / max)
        } else {
            let number = isColor ? color(stored, index) : number(stored, index)
            guard !number.isNaN else { return nil }
            let share = isColor ? range?.share(of: number) ?? number / whole : number / whole
            level = UInt8((min(Swift.max(share, 0), 1) * 255).rounded())
        }
        return isInverted && isColor ? 255 - level : level
    }

    /// The number of an opaque alpha.
    private var whole: Double { kind == .float ? 1 : Double(UInt64.max >> (64 - bits)) }

    /// Returns a colour's number, with straight alpha if it can be measured; NaN where alpha rounds to nothing, since such a
    /// pixel is not seen, and may be any multiple of the others.
    private func color(_ stored: UnsafeRawBufferPointer, _ index: Int) -> Double {
        guard dividesFirst else { return number(stored, index) }
        let alpha = number(stored, index / samples * samples + colors) / whole
        return alpha * 255 >= 0.5 ? number(stored, index) / min(alpha, 1) : .nan
    }

    private func number(_ stored: UnsafeRawBufferPointer, _ index: Int) -> Double {
        func bits<Value>(_: Value.Type) -> Value {
            stored.loadUnaligned(fromByteOffset: index * MemoryLayout<Value>.size, as: Value.self)
        }
        return switch (kind, self.bits) {
        case (.float, 16): Double(Float16(bitPattern: bits(UInt16.self)))
        case (.float, 32): Double(Float(bitPattern: bits(UInt32.self)))
        case (.float, _): Double(bitPattern: bits(UInt64.self))
        // Counted from the least, small numbers would lose their digits.
        case (.signed, 64): Double(bits(Int64.self))
        default: Double(integer(stored, index))
        }
    }

    /// Returns an integer; signed ones count from the least.
    ///
    /// The library has put whole bytes in the order of this machine.
    private func integer(_ stored: UnsafeRawBufferPointer, _ index: Int) -> UInt64 {
        let sign: UInt64 = kind == .signed ? 1 << (bits - 1) : 0
        switch bits {
        case 8: return UInt64(stored[index]) ^ sign
        case 16: return UInt64(stored.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)) ^ sign
        case 24: return (0..<3).reduce(0) { $0 | UInt64(stored[3 * index + $1]) << (8 * $1) } ^ sign
        case 32: return UInt64(stored.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)) ^ sign
        case 64: return stored.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self) ^ sign
        default:
            let (start, end) = (index * bits, (index + 1) * bits)
            var value: UInt64 = 0
            for byte in start / 8...(end - 1) / 8 { value = value << 8 | UInt64(stored[byte]) }
            return value >> ((8 - end % 8) % 8) & (1 << bits - 1) ^ sign
        }
    }
}

/// The least and the greatest number of an image's colours; shared by the copies of a `TIFFPixels`.
final class TIFFRange {
    private var least = Double.infinity
    private var greatest = -Double.infinity

    func add(_ number: Double) {
        guard number.isFinite else { return }
        (least, greatest) = (min(least, number), max(greatest, number))
    }

    /// Returns 0 for the least number, 1 for the greatest; halves do not overflow.
    func share(of number: Double) -> Double {
        greatest > least ? (number / 2 - least / 2) / (greatest / 2 - least / 2) : 0
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Divides the channels of pixels by the last one, which is alpha.
    func makeStraight(pixels: Int, channels: Int) {
        for start in stride(from: 0, to: pixels * channels, by: channels) {
            let alpha = Int(self[start + channels - 1])
            guard alpha > 0, alpha < 255 else { continue }
            for at in start..<start + channels - 1 {
                self[at] = UInt8(Swift.min((Int(self[at]) * 255 + alpha / 2) / alpha, 255))
            }
        }
    }
}
