import SpyglassCodecs
import SpyglassPixels

/// Expects an image inside a box, or of its own size, or an error in one line.
func expectImageOrError(within box: PixelSize?, _ decode: () throws(CodecError) -> DecodedImage?) {
    do throws(CodecError) {
        guard let image = try decode() else { return }
        let most = box ?? image.info.size
        precondition(image.pixels.size.width <= most.width && image.pixels.size.height <= most.height)
    } catch {
        expectOneLine(error)
    }
}

func expectOneLine(_ error: some Error) {
    let message = "\(error)"
    precondition(!message.isEmpty && !message.contains("\n"))
}

/// Decodes a region that the input's last bytes select: at its own size it is the crop of the whole image.
enum RegionCheck {
    /// The images whose regions are compared with the whole.
    enum Compared { case all, complete, none }

    static func run(_ bytes: [UInt8], _ decoder: ImageDecoder, _ compared: Compared = .all) {
        let choice = bytes.suffix(4).map { Double($0) / 256 } + [0, 0, 0, 0]
        let region = ImageRegion(x: choice[0], y: choice[1], width: choice[2], height: choice[3])
        let box = PixelSize(width: 32, height: 32)
        expectImageOrError(within: box) { () throws(CodecError) in
            try decoder.decode(.bytes(bytes), region: region, to: TargetSize(box: box, allowsUpscaling: true))
        }
        guard let whole = try? decoder.decode(.bytes(bytes), to: .original) else { return }
        switch compared {
        case .all: break
        case .complete: guard whole.completeness == .complete, whole.warnings == 0 else { return }
        case .none: return
        }
        let part = try? decoder.decode(.bytes(bytes), region: region, to: .original)
        precondition(part?.info == whole.info, "another header, or none")
        precondition(part?.pixels == whole.pixels.cropped(to: region.area(in: whole.info.size)), "other pixels")
        precondition(whole.completeness != .complete || part?.completeness == .complete, "incomplete")
    }
}
