internal import SpyglassCJPEG
package import SpyglassPixels
package import SpyglassThreads

/// Makes previews of a progressive JPEG while its bytes arrive.
///
///     var decoder = try ProgressiveJPEGDecoder(target: target)
///     for await chunk in body where decoder.kind != .other {
///         try decoder.append(chunk.span)
///         if let preview = try decoder.preview() { show(preview) }
///     }
///
/// Every byte is read once (libjpeg's buffered-image mode, `libjpeg.txt`): previews are views of the coefficients.
///
/// Memory is the coefficients, limited by `ImageLimits.coefficientBytes`, and up to 256 KiB of input. After an error
/// other than `cancelled`, every call throws it. Calls compute and block; the decoder may move between threads.
///
/// `@unchecked Sendable`: its only pointer belongs to its reader, which has one owner; libjpeg has no thread state.
package struct ProgressiveJPEGDecoder: ~Copyable, @unchecked Sendable {
    /// The kind of the bytes so far.
    package enum Kind: Hashable, Sendable {
        /// The header has not arrived.
        case unknown
        /// A progressive JPEG with Huffman codes.
        case progressive
        /// Anything else, or too little memory is free, for `ImageDecoder`; its bytes are dropped here.
        case other
    }

    package private(set) var kind = Kind.unknown
    /// The header, once it has arrived; `nil` unless a progressive JPEG.
    package private(set) var info: ImageInfo?

    private let target: TargetSize
    private let limits: ImageLimits
    private let isExact: Bool
    private let memory: WorkMemory?
    private var share: WorkMemory.Share?
    private let reader: JPEGReader
    private var output: JPEGOutput?
    private var scansShown = 0
    /// The first bytes, until there are enough to recognise a JPEG.
    private var head: [UInt8] = []
    private var bytesRead = 0
    private var failure: CodecError?

    /// Bytes that the library is given at a time, so that large chunks do not grow its buffer.
    private static let windowBytes = 64 * 1024

    /// Makes a decoder of previews of a size, within a budget for coefficients and images.
    package init(
        target: TargetSize, limits: ImageLimits = ImageLimits(), isExact: Bool = false, memory: WorkMemory? = nil
    ) throws(CodecError) {
        (self.target, self.limits, self.isExact, self.memory) = (target, limits, isExact, memory)
        reader = try JPEGReader(limits)
    }

    /// Whether the last scan is complete: further bytes are dropped.
    package private(set) var isComplete = false

    /// Appends bytes and decodes their coefficients (`jpeg_consume_input`).
    ///
    /// Costs their entropy decoding. Chunks should be of network size: an incomplete marker segment (up to 64 KiB) is
    /// parsed again with the next chunk.
    /// Throws what `ImageDecoder.decode` does at these bytes.
    package mutating func append(_ bytes: Span<UInt8>) throws(CodecError) {
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
        if head.count < JPEGDecoding.signature.count {
            for at in 0..<min(bytes.count, JPEGDecoding.signature.count - head.count) { head.append(bytes[at]) }
            guard JPEGDecoding.signature.starts(with: head) else { return kind = .other }
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
        // An arithmetic decoder cannot suspend for input.
        guard fields.is_progressive, !fields.is_arithmetic else { return kind = .other }
        var output = try JPEGOutput(header, DecodeSpec(target, isExact: isExact), limits, from: reader)
        if let memory {
            share = output.reserveIfFree(in: memory)
            guard share != nil else { return kind = .other }
        }
        guard try output.prepare(reader) == .done else { throw JPEGOutput.endsTooEarly }
        self.output = output
        info = header.info
        kind = .progressive
    }

    private mutating func readScans() throws(CodecError) {
        while !isComplete, try reader.readScans(limits, &isComplete) != .needsInput {}
    }

    /// Returns the image so far, if another scan is complete since the last preview.
    ///
    /// The image is `degraded`, with all rows and colours. Rows that the current scan has reached are finer; the library
    /// smooths between blocks where detail is missing. Costs the inverse DCT of the whole file at the target's scale: the
    /// caller limits how often. After an error of kind `cancelled` the decoder remains usable.
    ///
    /// - Returns: an image; `nil` if there is nothing new, before every component has had a scan, before the second
    ///   scan, and once `isComplete`.
    package mutating func preview(cancellation: Cancellation? = .current) throws(CodecError) -> DecodedImage? {
        if let failure { throw failure }
        guard let output, !isComplete, reader.coveredScans > scansShown else { return nil }
        let covered = reader.coveredScans
        var image: DecodedImage?
        try attempt { (decoder) throws(CodecError) in
            let rows = try output.start(decoder.reader)
            do throws(CodecError) {
                image = try output.image(from: decoder.reader, realRows: rows) { (_) throws(CodecError) in
                    if cancellation.isCancelled { throw .cancelled }
                }
            } catch {
                if error.kind == .cancelled { try decoder.endPreview() }
                throw error
            }
            try decoder.endPreview()
        }
        scansShown = covered
        image?.completeness = .degraded
        if image?.warnings == 0 { image?.firstWarning = "the file is still arriving" }
        return image
    }

    private func endPreview() throws(CodecError) {
        guard try reader.finishOutput() == .done else { throw JPEGOutput.endsTooEarly }
    }

    private mutating func attempt(_ body: (inout Self) throws(CodecError) -> Void) throws(CodecError) {
        if let failure { throw failure }
        do throws(CodecError) {
            try body(&self)
        } catch {
            if error.kind != .cancelled { failure = error }
            throw error
        }
    }
}
