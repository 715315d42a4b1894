@testable import SpyglassCodecs

/// Writes EXIF blocks in either byte order.
struct ExifBlock {
    let isBigEndian: Bool
    var bytes: [UInt8]

    init(isBigEndian: Bool, directoryAt: Int = 8) {
        self.isBigEndian = isBigEndian
        bytes = Array((isBigEndian ? "MM" : "II").utf8)
        add(42, 2)
        add(directoryAt, 4)
        bytes += [UInt8](repeating: 0, count: directoryAt - 8)
    }

    mutating func add(_ value: Int, _ count: Int) { bytes += number(value, count) }

    private func number(_ value: Int, _ count: Int) -> [UInt8] {
        [UInt8](value, bytes: count, isBigEndian: isBigEndian)
    }

    /// Entries of tag, type, count and value, and the offset of the next directory.
    mutating func directory(_ entries: [(Int, Int, Int, Int)], next: Int = 0) {
        add(entries.count, 2)
        for (tag, type, count, value) in entries {
            entry(tag, type, count, type == 3 && count == 1 ? number(value, 2) + [0, 0] : number(value, 4))
        }
        add(next, 4)
    }

    private mutating func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) {
        bytes += number(tag, 2) + number(type, 2) + number(count, 4) + value
    }

    enum Value {
        case short(Int)
        case long(Int)
        case text(String)
        case fraction(Int, Int)
        /// UNDEFINED
        case bytes([UInt8])
    }

    /// A directory followed by its values; `hasNext` if another one follows them.
    mutating func directory(_ values: [(tag: Int, value: Value)], hasNext: Bool = false) {
        var valueAt = bytes.count + 2 + 12 * values.count + 4
        var long: [UInt8] = []
        func encoded(_ value: Value) -> (type: Int, count: Int, bytes: [UInt8]) {
            switch value {
            case .short(let value): (3, 1, number(value, 2))
            case .long(let value): (4, 1, number(value, 4))
            case .text(let text): (2, text.utf8.count + 1, Array(text.utf8) + [0])
            case .fraction(let numerator, let denominator): (5, 1, number(numerator, 4) + number(denominator, 4))
            case .bytes(let bytes): (7, bytes.count, bytes)
            }
        }
        add(values.count, 2)
        for (tag, value) in values {
            let (type, count, content) = encoded(value)
            guard content.count > 4 else {
                entry(tag, type, count, content + [UInt8](repeating: 0, count: 4 - content.count))
                continue
            }
            entry(tag, type, count, number(valueAt, 4))
            long += content
            valueAt += content.count
        }
        add(hasNext ? valueAt : 0, 4)
        bytes += long
    }

    /// Bytes that `directory` adds.
    static func byteCount(_ values: [(tag: Int, value: Value)]) -> Int {
        var block = ExifBlock(isBigEndian: true)
        block.directory(values)
        return block.bytes.count - 8
    }

    /// A block with nothing but an orientation.
    static func turned(_ orientation: Int) -> [UInt8] {
        var block = ExifBlock(isBigEndian: true)
        block.directory([(0x0112, 3, 1, orientation)])
        return block.bytes
    }

    /// A block as cameras write it: image, Exif and, with a thumbnail, its directory and file.
    static func camera(
        isBigEndian: Bool = true, main: [(tag: Int, value: Value)] = [], exif: [(tag: Int, value: Value)] = [],
        thumbnail: [UInt8]? = nil, of stated: [(tag: Int, value: Value)] = []
    ) -> [UInt8] {
        var block = ExifBlock(isBigEndian: isBigEndian)
        var second = stated
        if let thumbnail { second += [(0x0201, .long(0)), (0x0202, .long(thumbnail.count))] }
        let exifAt = 8 + byteCount(main + [(0x8769, .long(0))]) + (thumbnail == nil ? 0 : byteCount(second))
        block.directory(main + [(0x8769, .long(exifAt))], hasNext: thumbnail != nil)
        if let thumbnail {
            second[second.count - 2].value = .long(exifAt + byteCount(exif))
            block.directory(second)
            block.directory(exif)
            block.bytes += thumbnail
        } else {
            block.directory(exif)
        }
        return block.bytes
    }
}
