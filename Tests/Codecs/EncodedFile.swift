import SpyglassCodecs
import SpyglassPixels

/// The parts of an encoded file, by the formats' specifications.
enum EncodedFile {
    /// A marker segment or a chunk, without its length, name and checksum.
    struct Part {
        let name: String
        let content: [UInt8]
    }

    /// The segments of a JPEG up to the first scan, named by their marker: `C0` for `SOF0`.
    static func segments(_ file: [UInt8]) -> [Part] {
        var parts: [Part] = []
        var at = 2
        while at + 4 <= file.count, file[at] == 0xFF {
            let length = Int(file[at + 2]) << 8 | Int(file[at + 3])
            guard at + 2 + length <= file.count else { break }
            let name = String(file[at + 1], radix: 16, uppercase: true)
            parts.append(Part(name: name, content: Array(file[at + 4..<at + 2 + length])))
            if name == "DA" { break }
            at += 2 + length
        }
        return parts
    }

    /// The chunks of a PNG.
    static func chunks(_ file: [UInt8]) -> [Part] {
        var parts: [Part] = []
        var at = 8
        while at + 12 <= file.count {
            let length = file[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
            guard at + 12 + length <= file.count else { break }
            let name = String(decoding: file[at + 4..<at + 8], as: UTF8.self)
            parts.append(Part(name: name, content: Array(file[at + 8..<at + 8 + length])))
            at += 12 + length
        }
        return parts
    }
}

extension [EncodedFile.Part] {
    var names: [String] { map(\.name) }
    /// The content of the first part of a name.
    subscript(name: String) -> [UInt8]? { first { $0.name == name }?.content }
}

extension PixelBuffer {
    /// An image whose pixels are `color(x, y)`.
    init(_ width: Int, _ height: Int, color: (Int, Int) -> RGBA) {
        self.init(size: PixelSize(width: width, height: height))
        for y in 0..<height { for x in 0..<width { self[x, y] = color(x, y) } }
    }

    /// Gradients of three colours, like a sky.
    static func slopes(_ width: Int, _ height: Int) -> PixelBuffer {
        PixelBuffer(width, height) { x, y in
            RGBA(
                UInt8(40 + 160 * x / width), UInt8(200 - 120 * y / height),
                UInt8(90 + 60 * x / width + 60 * y / height))
        }
    }

    /// `count` colours, all visible if there are as many pixels.
    static func colors(_ count: Int, _ width: Int, _ height: Int, alpha: (Int) -> UInt8 = { _ in 255 }) -> PixelBuffer {
        PixelBuffer(width, height) { x, y in
            let number = (y * width + x) % count
            return RGBA(UInt8(number % 256), UInt8(255 - number % 256), UInt8(7 + number / 256), alpha(number))
        }
    }

    /// The greatest difference of a byte.
    func greatestDifference(to other: PixelBuffer) -> Int {
        zip(bytes, other.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }
}

extension ImageEncoder {
    /// The image after encoding and decoding.
    func roundTrip(_ picture: PixelBuffer) throws -> PixelBuffer {
        try ImageDecoder().decode(.bytes(encode(picture)), to: .original, isExact: true).pixels
    }

    /// The error of encoding, if any.
    func failure(_ picture: PixelBuffer) -> CodecError? {
        do throws(CodecError) {
            _ = try encode(picture)
            return nil
        } catch {
            return error
        }
    }
}
