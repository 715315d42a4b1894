internal import SpyglassPixels

/// A FITS file, perhaps compressed by gzip: its images, each a page, or several if it is a cube (FITS standard 4.0).
///
///     let image = try FITSFile(input, limits).image(page: 0)
struct FITSFile {
    private let bytes: FITSBytes
    private let limits: ImageLimits

    init(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        (bytes, self.limits) = (try FITSBytes(input, inflatingUpTo: limits.fileBytes), limits)
    }

    /// Whether gzip data begins like a FITS file.
    static func isCompressed(_ head: Span<UInt8>) -> Bool {
        guard head.matches(Inflater.signature, at: 0), var inflater = Inflater() else { return false }
        inflater.add(head.withUnsafeBufferPointer { Array($0) })
        var start = [UInt8](repeating: 0, count: FITSHeader.cardBytes)
        return inflater.next(into: &start) != nil && FITSHeader.signature.matches(start.span)
    }

    func countPages(upTo max: Int) throws(CodecError) -> Int {
        var pages = 0
        // A damaged end leaves the images before it.
        try? walk { _, content, _ in
            pages += min(content.pages, max - pages)
            return pages < max
        }
        return min(pages, max)
    }

    /// Returns the image of a page, from 0.
    func image(page: Int) throws(CodecError) -> FITSImage {
        var (left, primary, hasGroups) = (page, FITSHeader?.none, false)
        var image: Result<FITSImage, CodecError>?
        try walk { header, content, start in
            if primary == nil { primary = header }
            hasGroups = hasGroups || content.isGroups
            guard left < content.pages else {
                left -= content.pages
                return true
            }
            image = Result { () throws(CodecError) in
                if let method = content.compression { throw .unsupported(.fits, "tile compression \(method)") }
                let size = try limits.size(UInt32(clamping: content.axes[0]), UInt32(clamping: content.axes[1]))
                let planeBytes = size.pixelCount * content.valueBytes
                return FITSImage(
                    header: header, primary: primary ?? header, size: size, planes: content.isColor ? 3 : 1,
                    start: start + left * planeBytes, bytes: bytes)
            }
            return false
        }
        guard let image else {
            guard page == left else { throw CodecError(.corrupt, "no such page") }
            throw .unsupported(.fits, hasGroups ? "random groups" : "a file without an image")
        }
        return try image.get()
    }

    /// Files with thousands of images have as many headers, of two or three blocks each.
    private static let maxHeaderBytes = 60_000 * FITSHeader.blockBytes

    /// Calls `body` with each header, the layout of its data and their offset, until it returns false.
    private func walk(_ body: (FITSHeader, FITSContent, _ start: Int) -> Bool) throws(CodecError) {
        var (offset, count, headerBytes): (CheckedSize, Int, Int) = (0, 0, 0)
        while let (header, length) = try FITSHeader.read(bytes, at: offset.value) {
            count += 1
            try limits.check(frames: count, pixels: 0)
            headerBytes += length
            guard headerBytes <= Self.maxHeaderBytes else { throw .corrupt(.fits, "headers that are too long") }
            let content = try FITSContent(header)
            offset = try offset + CheckedSize(length)
            guard body(header, content, offset.value) else { return }
            offset = try offset + content.byteCount
        }
        if count == 0 { throw .corrupt(.fits, "the file ends inside its header") }
    }
}

/// The data that follows a header.
private struct FITSContent {
    let axes: [Int]
    let valueBytes: Int
    /// Whether three planes are red, green and blue.
    let isColor: Bool
    /// How a table contains an image, such as `RICE_1`.
    let compression: String?
    /// Whether the data are random groups (section 6), whose first axis is empty.
    let isGroups: Bool
    /// The number of images that can be shown.
    let pages: Int
    /// Whole blocks.
    let byteCount: CheckedSize

    init(_ header: FITSHeader) throws(CodecError) {
        let count = header.integer("NAXIS") ?? 0
        guard 0...999 ~= count else { throw .corrupt(.fits, "\(count) axes") }
        var axes: [Int] = []
        for axis in 0..<count {
            guard let length = header.integer("NAXIS\(axis + 1)"), length >= 0 else {
                throw .corrupt(.fits, "no length of axis \(axis + 1)")
            }
            axes.append(length)
        }
        let bits = header.integer("BITPIX") ?? 8
        guard [8, 16, 32, 64, -32, -64].contains(bits) else { throw .corrupt(.fits, "\(bits) bits a pixel") }
        valueBytes = Int(bits.magnitude) / 8
        isGroups = axes.first == 0 && header.text("GROUPS") == "T"
        func product(_ axes: some Sequence<Int>) throws(CodecError) -> CheckedSize {
            var product: CheckedSize = 1
            for length in axes { product = try product * CheckedSize(UInt64(length)) }
            return product
        }
        let stored = axes.isEmpty ? 0 : try product(isGroups ? axes[1...] : axes[...])
        let extra = try CheckedSize(UInt64(max(header.integer("PCOUNT") ?? 0, 0)))
        let groups = try CheckedSize(UInt64(max(header.integer("GCOUNT") ?? 1, 0)))
        let length = try (stored + extra) * groups * CheckedSize(valueBytes)
        let blocks = (length.value + FITSHeader.blockBytes - 1) / FITSHeader.blockBytes
        byteCount = CheckedSize(blocks * FITSHeader.blockBytes)
        let kind = header.text("XTENSION")
        compression = kind == "BINTABLE" && header.text("ZIMAGE") == "T" ? header.text("ZCMPTYPE") ?? "" : nil
        let isImage = (kind == nil || kind == "IMAGE") && axes.count >= 2 && !isGroups && stored > 0
        let planes = isImage ? try product(axes[2...]).value : 0
        isColor = planes == 3 && axes[2] == 3
        pages = compression != nil || isColor ? 1 : planes
        self.axes = axes
    }
}

/// The cards of a header by their names.
struct FITSHeader {
    private var values: [String: String] = [:]

    static let signature: FileSignature = "SIMPLE  ="
    static let blockBytes = 2880
    static let cardBytes = 80
    /// Hubble's longest headers have a few hundred blocks.
    private static let maxBlocks = 1000

    /// Reads whole blocks up to the card `END`; `nil` if there is no header.
    static func read(_ bytes: FITSBytes, at start: Int) throws(CodecError) -> (FITSHeader, length: Int)? {
        var header = FITSHeader()
        for block in 0..<maxBlocks {
            let stored = try bytes.bytes(blockBytes, at: start + block * blockBytes)
            if block == 0, !signature.matches(stored.span), !stored.starts(with: "XTENSION".utf8) { return nil }
            for at in stride(from: 0, through: stored.count - cardBytes, by: cardBytes) {
                let card = stored[at..<at + cardBytes]
                let name = Self.trimmed(card.prefix(8))
                if name == "END" { return (header, (block + 1) * blockBytes) }
                guard card.dropFirst(8).starts(with: "= ".utf8), header.values[name] == nil else { continue }
                header.values[name] = value(card.dropFirst(10))
            }
            guard stored.count == blockBytes else { throw .corrupt(.fits, "the file ends inside its header") }
        }
        throw .corrupt(.fits, "a header of more than \(maxBlocks) blocks")
    }

    /// A quoted text without its quotes, or all before a comment.
    private static func value(_ field: ArraySlice<UInt8>) -> String {
        let (quote, slash) = (UInt8(ascii: "'"), UInt8(ascii: "/"))
        let field = field.drop { $0 == 0x20 }
        guard field.first == quote else { return trimmed(field.prefix { $0 != slash }) }
        var text: [UInt8] = []
        var rest = field.dropFirst()
        while let byte = rest.popFirst() {
            // Two quotes are one.
            if byte == quote, rest.popFirst() != quote { break }
            text.append(byte)
        }
        return trimmed(text[...])
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        let end = bytes.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? bytes.startIndex
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    func text(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }
    func integer(_ name: String) -> Int? { values[name].flatMap { Int($0) } }

    /// Returns a finite number; its exponent may be written with a D.
    func number(_ name: String) -> Double? {
        let text = values[name].map { String($0.map { $0 == "D" || $0 == "d" ? "e" : $0 }) }
        return text.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
    }
}

/// The bytes of a FITS file, inflated if necessary; going back inflates from the start.
final class FITSBytes {
    private let input: ByteReader
    private var inflated: Inflated?

    convenience init(_ input: ByteReader, inflatingUpTo limit: Int) throws(CodecError) {
        let isCompressed = input.head.starts(with: Inflater.signature)
        self.init(input, isCompressed ? try Inflated(input, Inflated.Allowance(limit)) : nil)
    }

    private init(_ input: ByteReader, _ inflated: Inflated?) {
        (self.input, self.inflated) = (ByteReader(again: input), inflated)
    }

    /// Other bytes of the same file, with a place of their own.
    func again() throws(CodecError) -> FITSBytes {
        guard let inflated else { return FITSBytes(input, nil) }
        return FITSBytes(input, try inflated.again())
    }

    /// Returns where the file ends, if it is compressed only after a read has failed there.
    func end() throws(CodecError) -> Int { if let inflated { inflated.offset } else { try input.byteCount() } }

    /// Fewer at the end.
    func bytes(_ count: Int, at offset: Int) throws(CodecError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        bytes.removeLast(count - (try read(into: &bytes, at: offset)))
        return bytes
    }

    /// Fills the buffer from its start; returns how many bytes there are, fewer at the end.
    func read(into buffer: inout [UInt8], at offset: Int) throws(CodecError) -> Int {
        if let inflated {
            let start = inflated.offset > offset ? try inflated.again() : inflated
            self.inflated = start
            return try start.read(into: &buffer, at: offset)
        }
        return try buffer.withUnsafeMutableBufferPointer { (buffer) throws(CodecError) in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            var filled = 0
            while filled < bytes.count {
                let count = try input.read(into: .init(rebasing: bytes[filled...]), at: offset + filled)
                guard count > 0 else { break }
                filled += count
            }
            return filled
        }
    }

    /// Inflates once, from the start to the end.
    final class Inflated {
        /// The bytes that may be inflated, in all passes together: they cost time.
        final class Allowance {
            let limit: Int
            var left: Int

            init(_ limit: Int) { (self.limit, left) = (limit, limit) }
        }

        private let allowance: Allowance
        private let input: ByteReader
        private var inflater: Inflater
        private var window = [UInt8](repeating: 0, count: 32 << 10)
        private var (unread, readOffset) = (0..<0, 0)
        /// The place of the next byte.
        private(set) var offset = 0

        init(_ input: ByteReader, _ allowance: Allowance) throws(CodecError) {
            guard let inflater = Inflater() else { throw .outOfMemory(to: "inflate") }
            (self.input, self.allowance) = (input, allowance)
            self.inflater = inflater
        }

        func again() throws(CodecError) -> Inflated { try Inflated(input, allowance) }

        func read(into buffer: inout [UInt8], at start: Int) throws(CodecError) -> Int {
            var filled = 0
            while filled < buffer.count, try fill() {
                let skipped = min(start - offset, unread.count)
                if skipped > 0 {
                    unread = unread.lowerBound + skipped..<unread.upperBound
                    offset += skipped
                    continue
                }
                let count = min(unread.count, buffer.count - filled)
                let part = unread.lowerBound..<unread.lowerBound + count
                buffer.replaceSubrange(filled..<filled + count, with: window[part])
                unread = part.upperBound..<unread.upperBound
                (filled, offset) = (filled + count, offset + count)
            }
            return filled
        }

        /// Returns false at the end, also before damaged data.
        private func fill() throws(CodecError) -> Bool {
            while unread.isEmpty {
                if inflater.needsInput {
                    let stored = try input.bytes(window.count, at: readOffset)
                    guard !stored.isEmpty else { return false }
                    readOffset += stored.count
                    inflater.add(stored)
                }
                guard let count = inflater.next(into: &window) else { return false }
                allowance.left -= count
                guard allowance.left >= 0 else {
                    throw CodecError(
                        .bodyBytes, "reading this FITS would inflate more than the limit of \(allowance.limit) bytes")
                }
                unread = 0..<count
            }
            return true
        }
    }
}
