import SpyglassPixels

@testable import SpyglassCodecs

/// Writes small GIF files, with a simple LZW encoder.
struct GIFFile {
    var bytes: [UInt8]

    /// Four colours: black, red, green, blue; or those given.
    static let colors: [[UInt8]] = [[0, 0, 0], [255, 0, 0], [0, 255, 0], [0, 0, 255]]

    init(width: Int, height: Int, colors: [[UInt8]]? = Self.colors) {
        bytes = Array("GIF89a".utf8) + Self.littleEndian(width) + Self.littleEndian(height)
        bytes += [Self.flags(colors), 0, 0] + (colors ?? []).flatMap { $0 }
    }

    /// How an image is shown.
    struct Control {
        var disposal: UInt8 = 0
        /// In hundredths of a second.
        var delay = 10
        var transparent: UInt8?
    }

    mutating func control(_ control: Control) {
        let flags = control.disposal << 2 | (control.transparent == nil ? 0 : 1)
        bytes += [0x21, 0xF9, 4, flags] + Self.littleEndian(control.delay) + [control.transparent ?? 0, 0]
    }

    mutating func loop(_ count: Int, name: String = "NETSCAPE2.0") {
        bytes += [0x21, 0xFF, 11] + Array(name.utf8) + [3, 1] + Self.littleEndian(count) + [0]
    }

    /// An image of `indices`, one row after the other as they are to be stored.
    mutating func image(
        x: Int = 0, y: Int = 0, width: Int, height: Int, _ indices: [UInt8], colors: [[UInt8]]? = nil,
        interlaced: Bool = false, codeSize: Int = 2, clears: Bool = true
    ) {
        let fields = [x, y, width, height].flatMap(Self.littleEndian)
        bytes += [0x2C] + fields + [Self.flags(colors) | (interlaced ? 0x40 : 0)] + (colors ?? []).flatMap { $0 }
        bytes.append(UInt8(codeSize))
        let data = Self.lzw(indices, codeSize: codeSize, clears: clears)
        for start in stride(from: 0, to: data.count, by: 255) {
            let block = data[start..<min(start + 255, data.count)]
            bytes += [UInt8(block.count)] + block
        }
        bytes.append(0)
    }

    func ended() -> [UInt8] { bytes + [0x3B] }

    /// LZW codes (GIF89a specification, appendix F), with a clear code when the table is full, or none after the first.
    static func lzw(_ indices: [UInt8], codeSize: Int, clears: Bool = true) -> [UInt8] {
        let clear = 1 << codeSize
        var output: [UInt8] = []
        var (bits, bitCount, width) = (0, 0, codeSize + 1)
        func emit(_ code: Int) {
            bits |= code << bitCount
            bitCount += width
            while bitCount >= 8 {
                output.append(UInt8(bits & 255))
                (bits, bitCount) = (bits >> 8, bitCount - 8)
            }
        }
        var table: [[UInt8]: Int] = [:]
        var next = clear + 2
        func reset() {
            emit(clear)
            table = Dictionary(uniqueKeysWithValues: (0..<min(clear, 256)).map { ([UInt8($0)], $0) })
            (next, width) = (clear + 2, codeSize + 1)
        }
        reset()
        var string: [UInt8] = []
        for index in indices {
            guard table[string + [index]] == nil else {
                string.append(index)
                continue
            }
            emit(table[string] ?? 0)
            if next < 4096 {
                table[string + [index]] = next
                next += 1
                if next > 1 << width, width < 12 { width += 1 }
            } else if clears {
                reset()
            }
            string = [index]
        }
        if !string.isEmpty { emit(table[string] ?? 0) }
        // The decoder adds one code more before it reads the next.
        if next == 1 << width, width < 12 { width += 1 }
        emit(clear + 1)
        if bitCount > 0 { output.append(UInt8(bits & 255)) }
        return output
    }

    private static func flags(_ colors: [[UInt8]]?) -> UInt8 {
        guard let colors else { return 0 }
        return 0x80 | UInt8((0..<8).first { 2 << $0 == colors.count } ?? 0)
    }

    private static func littleEndian(_ number: Int) -> [UInt8] { [UInt8](number, bytes: 2, isBigEndian: false) }
}

extension PixelBuffer {
    /// The index of each pixel's colour in `GIFFile.colors`, row by row.
    var gifIndices: [Int?] {
        let palette = GIFFile.colors.map { RGBA($0[0], $0[1], $0[2]) }
        return colors.map { palette.firstIndex(of: $0) }
    }
}
