import SpyglassCodecs
import SpyglassPixels

/// Decodes a region that the input's last bytes select: at its own size it is the crop of the whole image.
enum RegionCheck {
    /// The images whose regions are compared with the whole.
    enum Compared { case all, complete, none }

    static func run(_ bytes: [UInt8], _ decoder: ImageDecoder, _ compared: Compared = .all) {
        let choice = bytes.suffix(4).map { Double($0) / 256 } + [0, 0, 0, 0]
        let region = ImageRegion(x: choice[0], y: choice[1], width: choice[2], height: choice[3])
        let box = TargetSize(box: PixelSize(width: 32, height: 32), allowsUpscaling: true)
        switch Result(catching: { () throws(CodecError) in try decoder.decode(.bytes(bytes), region: region, to: box) })
        {
        case .success(let image): precondition(max(image.pixels.size.width, image.pixels.size.height) <= 32)
        case .failure(let error): precondition(!error.description.isEmpty && !error.description.contains("\n"))
        }
        guard let whole = try? decoder.decode(.bytes(bytes), to: .original) else { return }
        switch compared {
        case .all: break
        case .complete: guard whole.completeness == .complete, whole.warnings == 0 else { return }
        case .none: return
        }
        let part = try? decoder.decode(.bytes(bytes), region: region, to: .original)
        precondition(part?.info == whole.info, "another header, or none")
        precondition(part?.pixels == crop(whole.pixels, region.area(in: whole.info.size)), "other pixels")
        precondition(whole.completeness != .complete || part?.completeness == .complete, "incomplete")
    }

    private static func crop(_ image: PixelBuffer, _ area: PixelArea) -> PixelBuffer {
        let bytes = (area.y..<area.y + area.size.height).flatMap { y in
            let start = y * image.stride + area.x * PixelBuffer.bytesPerPixel
            return image.bytes[start..<start + area.size.width * PixelBuffer.bytesPerPixel]
        }
        return PixelBuffer(size: area.size, bytes: bytes)
    }
}
