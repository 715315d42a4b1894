import SpyglassCodecs
import SpyglassPixels

/// Any colour profile of a JPEG: an image, converted or not, and at most one line of message.
///
/// The first byte selects the colours and whether the header is corrected, so that mutations pass the first check.
/// The system's library runs without sanitizers: only its access to our memory is checked.
enum ProfileTarget {
    static func run(_ input: [UInt8]) {
        guard input.count > 1 else { return }
        var profile = Array(input.dropFirst())
        let components = [1, 3, 4][Int(input[0] & 3) % 3]
        if input[0] & 4 == 0, profile.count >= 132 { repairHeader(&profile, components: components) }
        do {
            let image = try ImageDecoder().decode(.bytes(jpeg(components: components, profile: profile)), to: .original)
            precondition(image.pixels.size == PixelSize(width: 8, height: 8))
            precondition(image.completeness == .complete && image.warnings == 0)
            if let words = image.colorWarning {
                precondition(!words.isEmpty && words.utf8.allSatisfy { (0x20...0x7E).contains($0) })
            }
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// Adapts the profile to the image's colours.
    private static func repairHeader(_ profile: inout [UInt8], components: Int) {
        profile.replaceSubrange(36..<40, with: "acsp".utf8)
        profile.replaceSubrange(12..<16, with: "mntr".utf8)
        profile.replaceSubrange(16..<20, with: (components == 1 ? "GRAY" : components == 3 ? "RGB " : "CMYK").utf8)
    }

    /// A flat image of one block a component, with a profile in chunks.
    private static func jpeg(components: Int, profile: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xD8]
        func segment(_ marker: UInt8, _ content: [UInt8]) {
            bytes += [0xFF, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 255)] + content
        }
        let most = 65_000
        let pieces = stride(from: 0, to: profile.count, by: most).map { profile[$0..<min($0 + most, profile.count)] }
        for (index, piece) in pieces.enumerated() {
            segment(0xE2, Array("ICC_PROFILE\0".utf8) + [UInt8(index + 1), UInt8(pieces.count)] + piece)
        }
        segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        segment(0xC0, [8, 0, 8, 0, 8, UInt8(components)] + (1...components).flatMap { [UInt8($0), 0x11, 0] })
        // One code of one bit in each Huffman table: no difference of the mean, end of block (T.81, annex F.1.2).
        for table: UInt8 in [0x00, 0x10] { segment(0xC4, [table, 1] + [UInt8](repeating: 0, count: 15) + [0]) }
        segment(0xDA, [UInt8(components)] + (1...components).flatMap { [UInt8($0), 0] } + [0, 63, 0])
        // Two zero bits a block, filled up with ones.
        return bytes + [UInt8(0xFF >> (2 * components))] + [0xFF, 0xD9]
    }
}
