internal import SpyglassCTIFF
internal import SpyglassPixels

/// libtiff, opened at run time.
///
/// `@unchecked Sendable`: the function table is only written before `sg_tiff_open` returns.
struct TIFFLibrary: @unchecked Sendable {
    let functions: OpaquePointer

    /// 4.5 or later, else 4.0.10 or later.
    static let system = Self.open("libtiff.so.6").flatMapError { _ in Self.open("libtiff.so.5") }

    static func open(_ name: String) -> Result<TIFFLibrary, CodecError> {
        guard let functions = sg_tiff_open(name) else {
            return .failure(WorkerLibrary.missing("libtiff6", for: "TIFF needs"))
        }
        return .success(TIFFLibrary(functions: functions))
    }

    /// Its version (`TIFFGetVersion`), as 4.5.0.
    var version: String {
        let line = String(libraryMessage: sg_tiff_version(functions)).prefix { $0 != "?" }
        return String(line.drop { !("0"..."9").contains($0) })
    }
}

/// Reads rows, tiles and converted strips through libtiff; not thread-safe.
struct TIFFReader: ~Copyable {
    let handle: OpaquePointer
    let layout: sg_tiff_layout
    /// The library reads bytes from it through a pointer.
    private let source: Source

    private final class Source {
        let input: ByteReader
        var error: CodecError?

        init(_ input: ByteReader) { self.input = input }

        func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
            guard error == nil, let offset = Int(exactly: offset) else { return 0 }
            do throws(CodecError) { return try input.read(into: buffer, at: offset) } catch { self.error = error }
            return -1
        }
    }

    init(_ input: ByteReader, _ limits: ImageLimits, pixels: Int) throws(CodecError) {
        let library = try TIFFLibrary.system.get()
        let source = Source(input)
        let read: sg_tiff_reader = { context, buffer, count, offset in
            Unmanaged<Source>.fromOpaque(context).takeUnretainedValue()
                .read(UnsafeMutableRawBufferPointer(start: buffer, count: count), at: offset)
        }
        // One strip with 16 bits a channel may hold all pixels.
        let maxAllocation = min(pixels * 8 + Self.tableBytes, max(limits.workBytes, Self.tableBytes))
        var message = [CChar](repeating: 0, count: 256)
        guard
            let handle = sg_tiff_file_open(
                library.functions, read, Unmanaged.passUnretained(source).toOpaque(), UInt64(try input.byteCount()),
                maxAllocation, &message, message.count)
        else {
            if let error = source.error { throw error }
            throw .corrupt(.tiff, String(libraryMessage: message))
        }
        var layout = sg_tiff_layout()
        sg_tiff_layout_read(handle, &layout)
        (self.handle, self.layout, self.source) = (handle, layout, source)
    }

    deinit { sg_tiff_file_close(handle) }

    /// Directories, tables of strips, padding of tiles.
    private static let tableBytes = 64 << 20

    var message: String { String(libraryMessage: sg_tiff_message(handle)) }
    var errorCount: Int { sg_tiff_error_count(handle) }

    /// Throws what reading the file has thrown, which is not a fault of the image.
    func checkSource() throws(CodecError) { if let error = source.error { throw error } }
}

/// Converts stored pixels to the pixels of a row: grey, palette and RGB of 1 to 16 bits, in one plane.
struct TIFFPixels {
    let layout: RowLayout
    private let bits: Int
    private let samples: Int
    private let isInverted: Bool
    private let isPremultiplied: Bool
    /// Red, green and blue of each index; empty without a palette.
    private var palette: [UInt8] = []

    /// `nil` for pixels that the library must convert.
    init?(_ reader: borrowing TIFFReader, hasAlpha: Bool) {
        let stored = reader.layout
        (bits, samples) = (Int(stored.bits), Int(stored.samples))
        isInverted = stored.photometric == 0
        isPremultiplied = hasAlpha && stored.extra_samples > 0 && stored.first_extra == 1
        // Unsigned integers, or nothing stated.
        guard [1, 4].contains(stored.sample_format), stored.is_separate == 0 || samples == 1 else { return nil }
        switch stored.photometric {
        case 0, 1:
            guard samples >= 1, (samples == 1 ? [1, 2, 4, 8, 16] : [8, 16]).contains(bits) else { return nil }
            layout = hasAlpha && samples > 1 ? .grayAlpha : .gray
        case 2:
            guard samples >= 3, [8, 16].contains(bits) else { return nil }
            layout = hasAlpha && samples > 3 ? .rgba : .rgb
        case 3:
            guard samples == 1, [1, 2, 4, 8].contains(bits) else { return nil }
            layout = .rgb
            var columns: (UnsafePointer<UInt16>?, UnsafePointer<UInt16>?, UnsafePointer<UInt16>?)
            guard sg_tiff_palette(reader.handle, &columns.0, &columns.1, &columns.2), let red = columns.0,
                let green = columns.1, let blue = columns.2
            else { return nil }
            // Some writers state eight bits.
            let isWide = (0..<1 << bits).contains { red[$0] > 255 || green[$0] > 255 || blue[$0] > 255 }
            for index in 0..<1 << bits {
                for column in [red, green, blue] {
                    palette.append(UInt8(truncatingIfNeeded: isWide ? column[index] >> 8 : column[index]))
                }
            }
        default: return nil
        }
    }

    /// Whether stored bytes are the row's.
    private var isPlain: Bool {
        bits == 8 && samples == layout.channels && !isInverted && !isPremultiplied && palette.isEmpty
    }

    /// Bytes of stored pixels that lie side by side.
    func storedBytes(_ count: Int) -> Int { (count * samples * bits + 7) / 8 }

    /// Converts `count` pixels to `row` from its pixel `x` on.
    func convert(_ stored: UnsafeRawBufferPointer, count: Int, to row: inout [UInt8], at x: Int) {
        let channels = layout.channels
        precondition(stored.count >= storedBytes(count) && row.count >= (x + count) * channels, "room for the pixels")
        row.withUnsafeMutableBytes { row in
            let output = UnsafeMutableRawBufferPointer(rebasing: row[x * channels..<(x + count) * channels])
            if isPlain { return output.copyMemory(from: UnsafeRawBufferPointer(rebasing: stored[..<output.count])) }
            for pixel in 0..<count {
                if !palette.isEmpty {
                    let index = 3 * Int(sample(stored, pixel))
                    for channel in 0..<3 { output[pixel * 3 + channel] = palette[index + channel] }
                    continue
                }
                for channel in 0..<channels {
                    let value = level(sample(stored, pixel * samples + channel))
                    let isColor = !layout.hasAlpha || channel < channels - 1
                    output[pixel * channels + channel] = isInverted && isColor ? 255 - value : value
                }
            }
            if isPremultiplied { layout.makeStraight(output, pixels: count) }
        }
    }

    /// A stored number; 16 bits are in the order of this machine.
    private func sample(_ stored: UnsafeRawBufferPointer, _ index: Int) -> UInt16 {
        switch bits {
        case 8: return UInt16(stored[index])
        case 16: return stored.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)
        default:
            let place = index * bits
            return UInt16(stored[place / 8]) >> (8 - bits - place % 8) & (1 << bits - 1)
        }
    }

    private func level(_ value: UInt16) -> UInt8 {
        switch bits {
        case 8: UInt8(truncatingIfNeeded: value)
        case 16: UInt8((UInt32(value) * 255 + 32_767) / 65_535)
        default: UInt8(truncatingIfNeeded: Int(value) * 255 / (1 << bits - 1))
        }
    }
}

extension RowLayout {
    func makeStraight(_ bytes: UnsafeMutableRawBufferPointer, pixels: Int) {
        for start in stride(from: 0, to: pixels * channels, by: channels) {
            let alpha = Int(bytes[start + channels - 1])
            guard alpha > 0, alpha < 255 else { continue }
            for at in start..<start + channels - 1 {
                bytes[at] = UInt8(min((Int(bytes[at]) * 255 + alpha / 2) / alpha, 255))
            }
        }
    }
}
