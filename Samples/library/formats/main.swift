// A decoder for PPM, a processor, and a header field on every request: `formats FILE.ppm`.

import SpyglassKit

/// Netpbm's PPM with 8 bits (netpbm.sourceforge.net/doc/ppm.html), without comments.
struct PPM: ImageFormatDecoding {
    var name: String { "PPM" }

    func recognizes(_ head: Span<UInt8>) -> Bool {
        head.count > 2 && head[0] == UInt8(ascii: "P") && head[1] == UInt8(ascii: "6")
    }

    func decode(_ bytes: [UInt8], _ limits: ImageLimits) throws(CodecError) -> PixelBuffer {
        var at = 2
        func number() throws(CodecError) -> Int {
            var digits = ""
            while at < bytes.count, bytes[at] == 0x20 || bytes[at] == 0x0A { at += 1 }
            while at < bytes.count, digits.count < 9, (0x30...0x39).contains(bytes[at]) {
                digits.append(Character(Unicode.Scalar(bytes[at])))
                at += 1
            }
            guard let value = Int(digits) else { throw CodecError(.corrupt, "a number is missing") }
            return value
        }
        let size = try limits.size(width: try number(), height: try number())
        guard try number() == 255 else { throw CodecError(.unsupported, "more than 8 bits") }
        let start = at + 1
        guard bytes.count - start >= 3 * size.width * size.height else {
            throw CodecError(.corrupt, "the file ends early")
        }
        var pixels = PixelBuffer(size: size)
        for y in 0..<size.height {
            pixels.withMutableRow(y) { row in
                for x in 0..<size.width {
                    let from = start + 3 * (y * size.width + x)
                    for channel in 0..<3 { row[4 * x + channel] = bytes[from + channel] }
                    row[4 * x + 3] = 255
                }
            }
        }
        return pixels
    }
}

struct Negative: ImageProcessing {
    var identifier: String { "negative" }

    func process(_ image: consuming PixelBuffer, _ context: ProcessingContext) throws -> PixelBuffer {
        var image = image
        for y in 0..<image.size.height {
            image.withMutableRow(y) { row in
                for at in row.indices where at % 4 != 3 { row[at] = 255 - row[at] }
            }
        }
        return image
    }
}

var configuration = ImagePipeline.Configuration()
configuration.decoder.formats = [PPM()]
configuration.willLoad = { request in request.headers["Authorization"] = "Bearer 7" }
guard CommandLine.arguments.count == 2 else { fatalError("usage: formats FILE.ppm") }
do {
    let target = TargetSize(box: PixelSize(width: 4, height: 4))
    var request = ImageRequest(try ImageSource(file: CommandLine.arguments[1]), target: target)
    request.processors = [Negative()]
    let pixels = try await ImagePipeline(configuration).image(for: request).pixels
    print(pixels.size, pixels[0, 0])
} catch {
    print("\(error)")
}
