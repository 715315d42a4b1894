/// Light as Lanczos sums it: 16-bit numbers with headroom for overshoot.
struct LanczosLight: Sendable {
    /// White; twice as much still fits, and sums with 16-bit weights fit 32 bits.
    static let white = 1 << 14

    let decoded: [Int16]

    /// The byte of every 16-bit pattern, so that nothing needs clamping; negative light is black.
    static let encoded: [UInt8] = {
        let encoder = LinearLight.encoder
        let positive = (0...Int(Int16.max)).map { encoder.encode(($0 * LinearLight.maximum + white / 2) / white) }
        return positive + [UInt8](repeating: 0, count: positive.count)
    }()
    static let alpha: [Int16] = (0...255).map { Int16(($0 * white + 127) / 255) }

    init(_ transfer: TransferCurve) {
        decoded = transfer.light().map { Int16((Int($0) * Self.white + LinearLight.maximum / 2) / LinearLight.maximum) }
    }

    /// Writes the premultiplied light of a row's pixels; samples are `spacing` apart, planes `plane`.
    func decode(
        _ row: UnsafePointer<UInt8>, _ layout: RowLayout, _ pixels: Int, into output: UnsafeMutablePointer<Int16>,
        plane: Int, spacing: Int
    ) {
        decoded.withUnsafeBufferPointer { light in
            guard let light = light.baseAddress else { return }
            switch layout {
            case .gray: for pixel in 0..<pixels { output[pixel &* spacing] = light[Int(row[pixel])] }
            case .rgb:
                var (input, output) = (row, output)
                // Four at a time: loop overhead would be a quarter of the work.
                for _ in 0..<pixels / 4 {
                    for _ in 0..<4 {
                        output[0] = light[Int(input[0])]
                        output[plane] = light[Int(input[1])]
                        output[2 &* plane] = light[Int(input[2])]
                        input += 3
                        output += spacing
                    }
                }
                for _ in 0..<pixels % 4 {
                    output[0] = light[Int(input[0])]
                    output[plane] = light[Int(input[1])]
                    output[2 &* plane] = light[Int(input[2])]
                    input += 3
                    output += spacing
                }
            case .grayAlpha, .rgba:
                Self.alpha.withUnsafeBufferPointer { alpha in
                    let lights = layout.lightChannels
                    var (input, output) = (row, output)
                    for _ in 0..<pixels {
                        let opacity = alpha[Int(input[lights])]
                        for channel in 0..<lights {
                            let product = Int32(light[Int(input[channel])]) &* Int32(opacity)
                            output[channel &* plane] = Int16(
                                truncatingIfNeeded: (product &+ Int32(Self.white / 2)) / Int32(Self.white))
                        }
                        output[lights &* plane] = opacity
                        input += lights + 1
                        output += spacing
                    }
                }
            }
        }
    }

    static func encode(
        _ row: UnsafePointer<Int16>, _ layout: RowLayout, _ pixels: Int, plane: Int,
        into output: inout OutputSpan<UInt8>
    ) {
        output.withUnsafeMutableBufferPointer { output, count in
            encoded.withUnsafeBufferPointer { values in
                guard let start = output.baseAddress, let values = values.baseAddress else { return }
                precondition(output.count - count >= pixels * PixelBuffer.bytesPerPixel, "room for the row")
                let bytes = UnsafeMutableRawPointer(start + count)
                let (second, third) = (row + plane, row + 2 * plane)
                func value(_ light: Int16) -> UInt8 { values[Int(UInt16(bitPattern: light))] }
                switch layout {
                case .gray: store(pixels, to: bytes) { UInt32(value(row[$0])) &* 0x01_01_01 | opaque }
                case .rgb:
                    store(pixels, to: bytes) {
                        UInt32(value(row[$0])) | UInt32(value(second[$0])) &<< 8
                            | UInt32(value(third[$0])) &<< 16 | opaque
                    }
                case .grayAlpha:
                    store(pixels, to: bytes) { pixel(row[$0], row[$0], row[$0], alpha: second[$0], values) }
                case .rgba:
                    let alpha = row + 3 * plane
                    store(pixels, to: bytes) { pixel(row[$0], second[$0], third[$0], alpha: alpha[$0], values) }
                }
                count += pixels * PixelBuffer.bytesPerPixel
            }
        }
    }

    private static let opaque: UInt32 = 0xFF00_0000

    /// Stores pixels with red in the lowest byte and alpha in the highest.
    @inline(__always)
    private static func store(_ count: Int, to bytes: UnsafeMutableRawPointer, _ pixel: (Int) -> UInt32) {
        for index in 0..<count {
            bytes.storeBytes(
                of: pixel(index).littleEndian, toByteOffset: index &* PixelBuffer.bytesPerPixel, as: UInt32.self)
        }
    }

    @inline(__always)
    private static func pixel(
        _ red: Int16, _ green: Int16, _ blue: Int16, alpha: Int16, _ values: UnsafePointer<UInt8>
    ) -> UInt32 {
        let white = Int32(white)
        let coverage = min(max(Int32(alpha), 0), white)
        let opacity = UInt32((coverage &* 255 &+ white / 2) / white)
        guard opacity > 0 else { return 0 }
        func value(_ light: Int16) -> UInt32 {
            let light = min(max(Int32(light), 0), coverage)
            return UInt32(values[Int(coverage == white ? light : (light &* white &+ coverage / 2) / coverage)])
        }
        return value(red) | value(green) &<< 8 | value(blue) &<< 16 | opacity &<< 24
    }
}
