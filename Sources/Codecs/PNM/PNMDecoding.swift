internal import SpyglassPixels

/// Decodes the first image of a PBM, PGM, PPM or PAM by rows (netpbm.sourceforge.net/doc).
struct PNMDecoding: ~Copyable, RowDecoding {
    let info: ImageInfo
    let input: ByteReader
    let limits: ImageLimits
    private let header: PNMHeader
    private let window: ByteWindow

    init(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        (self.input, self.limits, window) = (input, limits, ByteWindow(input))
        header = try PNMHeader(window, limits)
        info = header.info
    }

    var colors: ImageColors { header.layout.channels < 3 ? .gray : .rgb }
    func start() throws(CodecError) -> RowLayout { header.layout }

    func readRows(
        of area: PixelArea, _ layout: RowLayout, _ spec: DecodeSpec, _ take: (Span<UInt8>) -> Void
    ) throws(CodecError) -> RowsRead {
        let count = info.storedSize.width * layout.channels
        let values = (0...header.maxValue).map { UInt8(($0 * 255 + header.maxValue / 2) / header.maxValue) }
        func value(_ sample: Int) -> UInt8 { values[min(sample, header.maxValue)] }
        let sampleBytes = header.maxValue > 255 ? 2 : 1
        let rowBytes = header.storage == .bits ? (count + 7) / 8 : count * sampleBytes
        var stored: [UInt8] = []
        var row = [UInt8](repeating: 0, count: count)
        func readRow() throws(CodecError) -> Bool {
            if header.storage == .text {
                for at in 0..<count {
                    guard let sample = try window.number(maxDigits: header.isBilevel ? 1 : .max) else { return false }
                    row[at] = header.isBilevel ? (sample == 0 ? 255 : 0) : value(sample)
                }
                return true
            }
            stored.removeAll(keepingCapacity: true)
            try window.append(rowBytes, to: &stored)
            guard stored.count == rowBytes else { return false }
            switch (header.storage, sampleBytes) {
            case (.bits, _): for at in 0..<count { row[at] = stored[at / 8] << UInt8(at % 8) & 128 == 0 ? 255 : 0 }
            case (_, 2): for at in 0..<count { row[at] = value(Int(stored[2 * at]) << 8 | Int(stored[2 * at + 1])) }
            default: for at in 0..<count { row[at] = value(Int(stored[at])) }
            }
            return true
        }
        for y in 0..<area.endY {
            guard try readRow() else { return try endEarly(after: y) }
            if y >= area.y { take(row.span) }
        }
        return RowsRead()
    }
}

/// The header of a Netpbm file: two letters, width, height and the largest value, or the lines of a PAM.
struct PNMHeader {
    enum Storage {
        /// Decimal numbers; the digits 0 and 1 of a PBM need no space between them.
        case text
        /// Eight pixels a byte, 1 for black.
        case bits
        /// Samples of one byte, or of two where the largest value needs them.
        case bytes
    }

    let size: PixelSize
    let storage: Storage
    /// Whether a 1 is black.
    let isBilevel: Bool
    let layout: RowLayout
    let maxValue: Int

    init(_ window: ByteWindow, _ limits: ImageLimits) throws(CodecError) {
        guard try window.byte() == UInt8(ascii: "P"), let kind = try window.byte() else { throw Self.endsEarly }
        isBilevel = kind == UInt8(ascii: "1") || kind == UInt8(ascii: "4")
        storage = kind < UInt8(ascii: "4") ? .text : isBilevel ? .bits : .bytes
        var (width, height, depth) = (0, 0, 1)
        if kind == UInt8(ascii: "7") {
            (width, height, depth, maxValue) = try Self.arbitrary(window)
        } else {
            (width, height) = (try Self.number(window), try Self.number(window))
            maxValue = isBilevel ? 1 : try Self.number(window)
            if kind == UInt8(ascii: "3") || kind == UInt8(ascii: "6") { depth = 3 }
        }
        size = try limits.size(UInt32(clamping: width), UInt32(clamping: height))
        guard 1...65_535 ~= maxValue else { throw .corrupt(.pnm, "values up to \(maxValue)") }
        guard let layout = RowLayout(rawValue: depth) else { throw .unsupported(.pnm, "\(depth) channels") }
        self.layout = layout
    }

    /// Lines of a PAM are a few words each.
    private static let maxHeaderBytes = 64 << 10

    /// Reads the lines of a PAM up to `ENDHDR`.
    private static func arbitrary(
        _ window: ByteWindow
    ) throws(CodecError) -> (width: Int, height: Int, depth: Int, maxValue: Int) {
        var (width, height, depth, maxValue) = (0, 0, 0, 0)
        var left = maxHeaderBytes
        while let line = try window.line(&left) {
            let words = line.split(whereSeparator: \.isSpace).map { String(decoding: $0, as: UTF8.self) }
            guard let name = words.first, !name.hasPrefix("#") else { continue }
            func number() throws(CodecError) -> Int {
                guard words.count > 1, let number = Int(words[1]) else { throw noNumber }
                return number
            }
            switch name {
            case "WIDTH": width = try number()
            case "HEIGHT": height = try number()
            case "DEPTH": depth = try number()
            case "MAXVAL": maxValue = try number()
            case "TUPLTYPE":
                // Programs have names of their own; the number of channels decides.
                if words.dropFirst().first == "CMYK" { throw .unsupported(.pnm, "CMYK") }
            case "ENDHDR": return (width, height, depth, maxValue)
            default: throw .corrupt(.pnm, "an unknown header line \(String(printable: name.unicodeScalars))")
            }
        }
        throw endsEarly
    }

    private static func number(_ window: ByteWindow) throws(CodecError) -> Int {
        guard let number = try window.number() else { throw noNumber }
        return number
    }

    private static let endsEarly = CodecError.corrupt(.pnm, "the file ends inside its header")
    private static let noNumber = CodecError.corrupt(.pnm, "its header has no number where it needs one")

    var info: ImageInfo {
        let bits = Int.bitWidth - maxValue.leadingZeroBitCount
        let space = layout.channels < 3 ? "grey" : "RGB"
        return ImageInfo(
            format: .pnm, storedSize: size, hasAlpha: layout.hasAlpha,
            colorDescription: "\(space)\(layout.hasAlpha ? " and alpha" : ""), \(bits) bit\(bits == 1 ? "" : "s")")
    }
}

extension ByteWindow {
    /// Reads a byte after white space and comments, which reach to the end of their line; `nil` at the end.
    private func visibleByte() throws(CodecError) -> UInt8? {
        while let byte = try byte() {
            if byte == Self.commentStart {
                try skipComment()
            } else if !byte.isSpace {
                return byte
            }
        }
        return nil
    }

    private static let commentStart = UInt8(ascii: "#")
    private func skipComment() throws(CodecError) { while let byte = try byte(), byte != 0x0A, byte != 0x0D {} }

    /// Reads a decimal number and the byte or the comment after it, unless it has `maxDigits`; `nil` for anything else.
    fileprivate func number(maxDigits: Int = .max) throws(CodecError) -> Int? {
        guard let first = try visibleByte(), var number = first.digit else { return nil }
        var digits = 1
        while digits < maxDigits, let next = try byte() {
            guard let digit = next.digit else {
                if next == Self.commentStart { try skipComment() }
                break
            }
            number = min(10 * number + digit, Int(Int32.max))
            digits += 1
        }
        return number
    }

    /// Reads a line and the byte that ends it, and returns its first bytes; `nil` at the end.
    ///
    /// Counts down the bytes that the header may still have.
    fileprivate func line(_ left: inout Int) throws(CodecError) -> [UInt8]? {
        guard var byte = try byte() else { return nil }
        var line: [UInt8] = []
        left -= 1
        while byte != 0x0A, left > 0 {
            left -= 1
            if line.count < 256 { line.append(byte) }
            guard let next = try self.byte() else { break }
            byte = next
        }
        guard left > 0 else { throw .corrupt(.pnm, "a header that is too long") }
        return line
    }
}

extension UInt8 {
    fileprivate var digit: Int? { (0x30...0x39).contains(self) ? Int(self) - 0x30 : nil }
}
