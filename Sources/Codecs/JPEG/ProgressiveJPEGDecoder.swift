internal import SpyglassCJPEG
public import SpyglassPixels

/// Decodes a progressive JPEG while its bytes arrive: previews of what is there, and at the end the picture itself.
///
///     var decoder = try ProgressiveJPEGDecoder(target: target)
///     for await piece in body where decoder.kind != .other {
///         try decoder.append(piece.span)
///         if let preview = try decoder.preview() { show(preview) }
///     }
///     let image = try decoder.finish()
///
/// Every byte is read once (libjpeg's buffered-image mode, `libjpeg.txt`): a preview is another look at the coefficients that
/// have come, and so is the picture. What `finish` gives is what `ImageDecoder.decode` gives of the same bytes, whatever pieces
/// they came in and however many previews were taken.
///
/// Memory is the file's coefficients, held against `ImageLimits.coefficientBytes`, and at most 256 KiB of bytes. A decoder that
/// has thrown an error other than `cancelled` throws it from then on. Every call computes and blocks; the decoder may move
/// from thread to thread.
///
/// `@unchecked Sendable`: the only pointer in it is its reader's, which has one owner; libjpeg knows nothing of threads.
public struct ProgressiveJPEGDecoder: ~Copyable, @unchecked Sendable {
    /// What the bytes so far are.
    public enum Kind: Hashable, Sendable {
        /// Not known before the header has come.
        case unknown
        /// A progressive JPEG with Huffman codes.
        case progressive
        /// Anything else: another kind of JPEG, another format, no picture. It is for `ImageDecoder`; bytes are dropped here.
        case other
    }

    /// What the bytes so far are.
    public private(set) var kind = Kind.unknown
    /// What the header says, as soon as it has come; `nil` of what is not a progressive JPEG.
    public private(set) var info: ImageInfo?

    private let target: TargetSize
    private let limits: ImageLimits
    private let isExact: Bool
    private let reader: JPEGReader
    private var output: JPEGOutput?
    private var scans = JPEGScans()
    private var scansShown = 0
    /// The first bytes of a file whose kind is not known, as many as tell a JPEG.
    private var head: [UInt8] = []
    private var bytesRead = 0
    private var failure: CodecError?

    /// Bytes that the library is given at once: a piece of any size must not grow its buffer by as much.
    private static let windowBytes = 64 * 1024

    /// A decoder that waits for its first byte.
    ///
    /// - Parameters:
    ///   - target: the size that is wanted, of previews and of the picture.
    ///   - limits: what the file may ask for.
    ///   - isExact: as for `ImageDecoder.decode`, for previews too.
    /// - Throws: `CodecError` of kind `outOfMemory`.
    public init(target: TargetSize, limits: ImageLimits = ImageLimits(), isExact: Bool = false) throws(CodecError) {
        self.target = target
        self.limits = limits
        self.isExact = isExact
        reader = try JPEGReader(limits)
    }

    /// Whether the file's last scan is in: bytes that still come are dropped, and `finish` is due.
    public var isComplete: Bool { scans.haveEnded }

    // MARK: Bytes

    /// Takes the next bytes and reads all that can be read of them (`jpeg_consume_input`).
    ///
    /// Costs the entropy decoding of the bytes. Pieces should be those of a network: what ends within a marker segment, which
    /// has 64 KiB at the most, is read anew with the next piece.
    ///
    /// - Throws: `CodecError`, as `ImageDecoder.decode` does when it comes to these bytes.
    public mutating func append(_ bytes: Span<UInt8>) throws(CodecError) {
        try attempt { (decoder) throws(CodecError) in
            var start = 0
            while start < bytes.count, decoder.kind != .other, !decoder.isComplete {
                let count = min(Self.windowBytes, bytes.count - start)
                try decoder.take(bytes.extracting(start..<start + count))
                start += count
            }
        }
    }

    private mutating func take(_ bytes: Span<UInt8>) throws(CodecError) {
        if head.count < FileKind.jpegSignature.count {
            for at in 0..<min(bytes.count, FileKind.jpegSignature.count - head.count) { head.append(bytes[at]) }
            guard FileKind.jpegSignature.starts(with: head) else {
                kind = .other
                return
            }
        }
        if kind == .unknown, bytesRead > limits.bodyBytes { throw limits.longHeader() }
        try reader.feed(bytes)
        bytesRead += bytes.count
        if kind == .unknown { try readHeader() }
        if kind == .progressive { try readScans() }
    }

    private mutating func readHeader() throws(CodecError) {
        var fields = sg_jpeg_header()
        guard try reader.readHeader(&fields) == .done else { return }
        let header = try JPEGHeader(fields, from: reader, limits)
        // An arithmetic decoder cannot wait for bytes.
        guard fields.is_progressive, !fields.is_arithmetic else {
            kind = .other
            return
        }
        var output = try JPEGOutput(header, DecodeSpec(target, isExact: isExact), limits)
        guard try output.prepare(reader) == .done else { throw JPEGOutput.endsTooEarly }
        self.output = output
        info = header.info
        kind = .progressive
    }

    private mutating func readScans() throws(CodecError) {
        while !scans.haveEnded, try scans.read(from: reader, limits) != .needsInput {}
    }

    // MARK: Pictures

    /// The picture as far as it has come, if another scan has become whole since the last preview.
    ///
    /// Its completeness is `incomplete`, and it has all its rows and colours. Rows that the scan under way has reached are finer than those below; where fine
    /// detail is still to come, the library smooths between blocks.
    /// Costs the inverse DCT of the whole file at the scale of the target, however few bytes have come: how often is the
    /// caller's to bound.
    ///
    /// - Parameter isCancelled: asked after every few rows.
    /// - Returns: a picture; `nil` where there is nothing new, before every component has had a scan, before the second scan,
    ///   and when `isComplete`.
    /// - Throws: `CodecError`; of kind `cancelled` when `isCancelled` said so, after which the decoder can still be used.
    public mutating func preview(
        isCancelled: () -> Bool = { Task.isCancelled }
    ) throws(CodecError) -> DecodedImage? {
        if let failure { throw failure }
        guard let output, !isComplete, reader.coveredScans > scansShown else { return nil }
        let covered = reader.coveredScans
        var image: DecodedImage?
        try attempt { (decoder) throws(CodecError) in
            let rows = try output.start(decoder.reader)
            do throws(CodecError) {
                image = try output.picture(from: decoder.reader, realRows: rows, isCancelled: isCancelled)
            } catch {
                if error.kind == .cancelled { try decoder.endPreview() }
                throw error
            }
            try decoder.endPreview()
        }
        scansShown = covered
        return image.map { $0.stillArriving }
    }

    private func endPreview() throws(CodecError) {
        guard try reader.finishOutput() == .done else { throw JPEGOutput.endsTooEarly }
    }

    /// The picture, of all bytes that were appended: there are no more.
    ///
    /// Costs one more inverse DCT of the whole file.
    ///
    /// - Parameter isCancelled: asked after every few rows.
    /// - Returns: what `ImageDecoder.decode` returns for the same bytes, byte for byte, with the same words.
    /// - Throws: what `ImageDecoder.decode` throws; of kind `unsupported` for what is not a progressive JPEG.
    public consuming func finish(isCancelled: () -> Bool = { Task.isCancelled }) throws(CodecError) -> DecodedImage {
        if let failure { throw failure }
        guard let output else {
            if kind == .other { throw .unsupported(.jpeg, "not progressive") }
            let head = head
            _ = try FileKind.sniff(head.span).decodable()
            throw JPEGDecoding.endsInHeader
        }
        if !scans.haveEnded { reader.endInput() }
        while !scans.haveEnded {
            if try scans.read(from: reader, limits) == .needsInput { scans.end() }
        }
        let rows = try output.start(reader)
        return try output.picture(from: reader, realRows: rows, isCancelled: isCancelled)
    }

    /// Does what may fail for good.
    private mutating func attempt(
        _ body: (inout Self) throws(CodecError) -> Void
    ) throws(CodecError) {
        if let failure { throw failure }
        do throws(CodecError) {
            try body(&self)
        } catch {
            if error.kind != .cancelled { failure = error }
            throw error
        }
    }
}

extension JPEGOutput {
    /// The one picture that is wanted of what has come.
    fileprivate func picture(
        from reader: borrowing JPEGReader, realRows: Int, isCancelled: () -> Bool
    ) throws(CodecError) -> DecodedImage {
        try pictures(from: reader, realRows: realRows) { (_) throws(CodecError) in
            if isCancelled() { throw .cancelled }
        }
    }
}

extension DecodedImage {
    /// The same picture of a file that has not come to its end.
    fileprivate var stillArriving: DecodedImage {
        DecodedImage(
            pixels: pixels, info: info, completeness: .degraded, warnings: warnings,
            firstWarning: warnings > 0 ? firstWarning : "the file is still arriving", colorWarning: colorWarning)
    }
}
