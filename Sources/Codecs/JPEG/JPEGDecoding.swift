internal import SpyglassCJPEG
internal import SpyglassPixels

/// Decodes a JPEG: header, scale, scans, rows into the resampler.
struct JPEGDecoding: ~Copyable, ImageDecoding {
    private let header: JPEGHeader
    private let reader: JPEGReader
    private let input: ByteReader
    private let limits: ImageLimits
    private let windowBytes: Int

    var info: ImageInfo { header.info }
    var metadata: ImageMetadata { reader.metadata(info) }
    var colors: ImageColors { header.colors }
    var profile: EmbeddedProfile { reader.profile() }
    var thumbnail: Exif.Thumbnail? { reader.exifSegment().flatMap { Exif.thumbnail(in: Exif.block(of: $0)) } }
    var statedOrientation: Orientation? { reader.orientation() }

    /// The start-of-image marker (T.81, table B.1).
    static let signature: [UInt8] = [0xFF, 0xD8]
    static let endsInHeader = CodecError.corrupt(.jpeg, "the file ends inside its header")

    init(
        _ input: ByteReader, _ limits: ImageLimits, windowBytes: Int, _ origin: JPEGHeader.Origin = .init()
    ) throws(CodecError) {
        let reader = try JPEGReader(limits)
        var fields = sg_jpeg_header()
        while try reader.readHeader(&fields) == .needsInput {
            if input.bytesRead > limits.bodyBytes { throw limits.longHeader() }
            guard try reader.feed(from: input, atMost: windowBytes) else { throw Self.endsInHeader }
        }
        header = try JPEGHeader(fields, from: reader, limits, origin)
        self.reader = reader
        (self.input, self.limits, self.windowBytes) = (input, limits, windowBytes)
    }

    /// Coefficients, and all bytes of an arithmetic-coded file; no file is larger than the bound, which prevents an overflow.
    func workBytes(_ spec: DecodeSpec) -> Int {
        header.coefficientBytes + (header.fields.is_arithmetic ? min(max(limits.bodyBytes, 0), 1 << 48) : 0)
    }

    func decode(_ spec: DecodeSpec) throws(CodecError) -> DecodedImage {
        var output = try JPEGOutput(header, spec, limits, from: reader)
        let share = try output.reserve(work: workBytes(spec))
        if header.fields.is_arithmetic { try feedEverything() }
        guard try advance({ () throws(CodecError) in try output.prepare(reader) }) == .done else {
            throw JPEGOutput.endsTooEarly
        }
        var realRows = output.height
        if header.fields.has_several_scans {
            try readScans()
            realRows = try output.start(reader)
        }
        return try output.image(from: reader, realRows: realRows) { (progress) throws(CodecError) in
            try input.checkCancelled()
            if progress == .needsInput { _ = try feed() }
        }.holding(share)
    }

    private func readScans() throws(CodecError) {
        var haveEnded = false
        while !haveEnded {
            try input.checkCancelled()
            let progress = try advance { () throws(CodecError) in try reader.readScans(limits, &haveEnded) }
            if progress == .cut { return }
        }
    }

    private func advance(
        _ step: () throws(CodecError) -> JPEGReader.Progress
    ) throws(CodecError) -> JPEGReader.Progress {
        var hasEnded = false
        while true {
            let progress = try step()
            guard progress == .needsInput else { return progress }
            if hasEnded { return .cut }
            hasEnded = try !feed()
        }
    }

    private func feed() throws(CodecError) -> Bool { try reader.feed(from: input, atMost: windowBytes) }

    /// An arithmetic decoder cannot suspend for input.
    private func feedEverything() throws(CodecError) {
        repeat {
            if input.bytesRead > limits.bodyBytes {
                throw CodecError(.bodyBytes, "an arithmetic-coded JPEG of more than \(limits.bodyBytes) bytes")
            }
        } while try feed()
    }
}
