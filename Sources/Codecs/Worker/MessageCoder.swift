internal import SpyglassPixels

/// A message that breaks the protocol.
struct MalformedMessage: Error {}

/// Writes the fields of a message, or reads them, each within its bounds: one function describes both directions.
///
///     mutating func code(_ coder: inout MessageCoder) throws(MalformedMessage) {
///         try coder.code(&width, in: 1...65_535)
///         try coder.code(&name)
///     }
///
/// A number takes eight bytes, the lowest first. A value outside its bounds is clamped when it is written and refused when
/// it is read.
struct MessageCoder {
    private(set) var bytes: [UInt8]
    private let isReading: Bool
    /// After the message's number.
    private var at = 1

    static let maxText = 400

    /// Most messages are shorter.
    private static let usualBytes = 512

    /// Starts a message that is written.
    init(number: UInt8) {
        (bytes, isReading) = ([], false)
        bytes.reserveCapacity(Self.usualBytes)
        bytes.append(number)
    }

    /// Starts behind the number of an untrusted message.
    init(reading bytes: [UInt8]) { (self.bytes, isReading) = (bytes, true) }

    /// Requires that all bytes were read.
    func finish() throws(MalformedMessage) { guard at == bytes.count || !isReading else { throw MalformedMessage() } }

    mutating func code(byte value: inout UInt8, upTo last: UInt8 = .max) throws(MalformedMessage) {
        guard isReading else { return bytes.append(value) }
        guard at < bytes.count, bytes[at] <= last else { throw MalformedMessage() }
        value = bytes[at]
        at += 1
    }

    mutating func code(_ value: inout Bool) throws(MalformedMessage) {
        var byte: UInt8 = value ? 1 : 0
        try code(byte: &byte, upTo: 1)
        value = byte == 1
    }

    private mutating func code(bits: inout UInt64) throws(MalformedMessage) {
        guard isReading else {
            return withUnsafeBytes(of: bits.littleEndian) { bytes.append(contentsOf: $0) }
        }
        guard bytes.count - at >= 8 else { throw MalformedMessage() }
        bits = 0
        for index in (at..<at + 8).reversed() { bits = bits << 8 | UInt64(bytes[index]) }
        at += 8
    }

    mutating func code(_ value: inout Int, in range: ClosedRange<Int> = 0...Int.max) throws(MalformedMessage) {
        var bits = UInt64(bitPattern: Int64(min(max(value, range.lowerBound), range.upperBound)))
        try code(bits: &bits)
        value = Int(Int64(bitPattern: bits))
        guard range.contains(value) else { throw MalformedMessage() }
    }

    mutating func code(_ value: inout Double) throws(MalformedMessage) {
        var bits = value.bitPattern
        try code(bits: &bits)
        value = Double(bitPattern: bits)
    }

    /// Codes one of the cases of an enumeration by its place.
    mutating func code<Case: CaseIterable & Equatable>(_ value: inout Case) throws(MalformedMessage)
    where Case.AllCases == [Case] {
        try code(&value, among: Case.allCases)
    }

    mutating func code<Value: Equatable>(_ value: inout Value, among values: [Value]) throws(MalformedMessage) {
        var index = UInt8(values.firstIndex(of: value) ?? 0)
        try code(byte: &index, upTo: UInt8(values.count - 1))
        value = values[Int(index)]
    }

    /// Codes text; it is read as printable ASCII, whatever was sent, unless it `isRaw`.
    mutating func code(_ text: inout String?, isRaw: Bool = false) throws(MalformedMessage) {
        var utf8 = text.map { Array($0.utf8.prefix(Self.maxText)) }
        var count = utf8?.count ?? -1
        try code(&count, in: -1...Self.maxText)
        guard isReading else { return bytes += utf8 ?? [] }
        guard count >= 0 else { return text = nil }
        guard bytes.count - at >= count else { throw MalformedMessage() }
        at += count
        utf8 = Array(bytes[at - count..<at])
        let read = String(decoding: utf8 ?? [], as: UTF8.self)
        text = isRaw ? read : String(printable: read.unicodeScalars)
    }

    mutating func code(_ text: inout String) throws(MalformedMessage) {
        var optional: String? = text
        try code(&optional)
        text = optional ?? ""
    }

    /// Codes a value that may be missing.
    mutating func code<Value>(
        _ value: inout Value?, or empty: Value,
        _ body: (inout Value, inout MessageCoder) throws(MalformedMessage) -> Void
    ) throws(MalformedMessage) {
        var isThere = value != nil
        try code(&isThere)
        var coded = value ?? empty
        if isThere { try body(&coded, &self) }
        value = isThere ? coded : nil
    }

    /// Codes a list of at most `limit` elements.
    mutating func code<Element>(
        _ list: inout [Element], upTo limit: Int, of empty: Element,
        _ body: (inout Element, inout MessageCoder) throws(MalformedMessage) -> Void
    ) throws(MalformedMessage) {
        var count = list.count
        try code(&count, in: 0...limit)
        var coded: [Element] = []
        for index in 0..<count {
            var element = isReading ? empty : list[index]
            try body(&element, &self)
            coded.append(element)
        }
        list = coded
    }

    // MARK: Values of images

    private static let maxSide = 1 << 31 - 1
    private static let onePixel = PixelSize(width: 1, height: 1)

    mutating func code(_ size: inout PixelSize) throws(MalformedMessage) {
        var (width, height) = (size.width, size.height)
        try code(&width, in: 1...Self.maxSide)
        try code(&height, in: 1...Self.maxSide)
        size = PixelSize(width: width, height: height)
    }

    mutating func code(_ region: inout ImageRegion) throws(MalformedMessage) {
        var edges = [region.x, region.y, region.width, region.height]
        for index in edges.indices { try code(&edges[index]) }
        region = ImageRegion(x: edges[0], y: edges[1], width: edges[2], height: edges[3])
    }

    mutating func code(_ target: inout TargetSize) throws(MalformedMessage) {
        var (percent, box, fit) = (0, Self.onePixel, TargetSize.Fit.contain)
        var (allowsUpscaling, pixelAspect, cell, isBox) = (false, 1.0, Self.onePixel, false)
        switch target.kind {
        case .original: break
        case .percent(let value, let enlarges): (percent, allowsUpscaling) = (value, enlarges)
        case .box(let size, let how, let enlarges, let aspect, let unit):
            (box, fit, allowsUpscaling, pixelAspect, cell, isBox) = (size, how, enlarges, aspect, unit, true)
        }
        try code(&isBox)
        try code(&percent)
        try code(&box)
        try code(&fit)
        try code(&allowsUpscaling)
        try code(&pixelAspect)
        try code(&cell)
        target =
            isBox
            ? TargetSize(box: box, fit: fit, allowsUpscaling: allowsUpscaling, pixelAspect: pixelAspect)
                .inCells(of: cell)
            : percent > 0 ? .percent(percent, allowsUpscaling: allowsUpscaling) : .original
    }

    mutating func code(_ filling: inout BoxFilling) throws(MalformedMessage) {
        var (box, focus, color): (PixelSize, String, RGBA) =
            switch filling {
            case .crop(let box, let focus): (box, focus.description, RGBA(0, 0, 0))
            case .pad(let box, let color): (box, "", color)
            }
        try code(&box)
        try code(&focus)
        try code(byte: &color.red)
        try code(byte: &color.green)
        try code(byte: &color.blue)
        try code(byte: &color.alpha)
        if focus.isEmpty {
            filling = .pad(box, color)
        } else if let focus = Focus(focus) {
            filling = .crop(box, focus)
        } else {
            throw MalformedMessage()
        }
    }

    mutating func code(_ info: inout ImageInfo) throws(MalformedMessage) {
        var (format, size, orientation) = (info.format, info.storedSize, info.orientation)
        var (isProgressive, hasAlpha, colors) = (info.isProgressive, info.hasAlpha, info.colorDescription)
        try code(&format)
        try code(&size)
        try code(&orientation)
        try code(&isProgressive)
        try code(&hasAlpha)
        try code(&colors)
        info = ImageInfo(
            format: format, storedSize: size, orientation: orientation, isProgressive: isProgressive,
            hasAlpha: hasAlpha, colorDescription: colors)
    }

    mutating func code(_ metadata: inout ImageMetadata) throws(MalformedMessage) {
        var info = metadata.info
        try code(&info)
        var coded = ImageMetadata(info: info)
        if !isReading { coded = metadata }
        for text in [\ImageMetadata.profile, \.camera, \.lens, \.software, \.date, \.object, \.filter] {
            try code(&coded[keyPath: text], isRaw: true)
        }
        for number in [\ImageMetadata.exposureTime, \.fNumber, \.focalLength, \.pixelScale] {
            try code(&coded[keyPath: number], or: 1) { (value, coder) throws(MalformedMessage) in
                try coder.code(&value)
                // Callers convert its inverse to an integer.
                guard ImageMetadata.inRange(value) != nil else { throw MalformedMessage() }
            }
        }
        for number in [\ImageMetadata.iso, \.focalLengthOn35mmFilm] {
            try code(&coded[keyPath: number], or: 0) { (value, coder) throws(MalformedMessage) in try coder.code(&value)
            }
        }
        metadata = coded
    }

    mutating func code(_ completeness: inout DecodedImage.Completeness) throws(MalformedMessage) {
        var (kind, rows, all): (UInt8, Int, Int) =
            switch completeness {
            case .complete: (0, 0, 0)
            case .truncated(let rows, let all): (1, rows, all)
            case .degraded: (2, 0, 0)
            }
        try code(byte: &kind, upTo: 2)
        try code(&rows)
        try code(&all, in: rows...Int.max)
        completeness = kind == 0 ? .complete : kind == 1 ? .truncated(rows: rows, of: all) : .degraded
    }

    mutating func code(_ limits: inout ImageLimits) throws(MalformedMessage) {
        try code(&limits.pixels)
        try code(&limits.side)
        try code(&limits.coefficientBytes)
        try code(&limits.scans)
        try code(&limits.frames)
        try code(&limits.framePixels)
        try code(&limits.warnings)
        try code(&limits.pngChunkBytes)
        try code(&limits.bodyBytes)
        try code(&limits.workBytes)
    }

    private static let errorKinds: [CodecError.Kind] = [
        .empty, .notAnImage, .unsupported, .corrupt, .limit, .unreadable, .outOfMemory, .cancelled, .library, .crashed,
    ]

    /// The limits that an error may name; the place is their number.
    private static let exceededLimits: [@Sendable (Int) -> ImageLimits.Exceeded] = [
        { .pixels(needing: $0) }, { .side(needing: $0) }, { .coefficientBytes(needing: $0) }, { .scans(needing: $0) },
        { .frames(needing: $0) }, { .framePixels(needing: $0) }, { .workMemory(needing: $0) },
        { _ in .pngChunkBytes }, { _ in .bodyBytes },
    ]

    mutating func code(_ error: inout CodecError) throws(MalformedMessage) {
        var (kind, text, format) = (error.kind, error.description, error.unsupportedFormat)
        var needed = error.exceeded?.needed ?? 0
        var number = error.exceeded.flatMap { limit in Self.exceededLimits.firstIndex { $0(needed) == limit } } ?? -1
        try code(&kind, among: Self.errorKinds)
        try code(&text)
        try code(&format)
        try code(&number, in: -1...Self.exceededLimits.count - 1)
        try code(&needed)
        let exceeded = number < 0 ? nil : Self.exceededLimits[number](needed)
        error = CodecError(exceeded == nil ? kind : .limit, text, exceeded, unsupportedFormat: format)
    }
}
