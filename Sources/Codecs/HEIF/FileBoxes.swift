/// A box of a file (ISO 14496-12, section 4.2), and where its content is; the file may end before that does.
struct FileBox {
    let name: FourCC
    let content: Range<Int>
}

extension ByteReader {
    /// More boxes than cameras and encoders write side by side.
    private static let maxBoxes = 256

    /// Returns the boxes of a range, which damage ends.
    func boxes(in range: Range<Int>) throws(CodecError) -> [FileBox] {
        var (at, boxes) = (range.lowerBound, [FileBox]())
        while boxes.count < Self.maxBoxes, at < range.upperBound {
            var head = BinaryReader(try bytes(16, at: at))
            guard let box = try? HEIFBoxHeader(&head), at + head.offset <= range.upperBound else { break }
            let start = at + head.offset
            let left = range.upperBound - start
            at = start + (box.count?.upTo(left) ?? left)
            boxes.append(FileBox(name: box.name, content: start..<at))
        }
        return boxes
    }
}
