internal import SpyglassCJPEG
internal import SpyglassPixels

/// One JPEG that is at hand, on its way from bytes to a picture: header, scale, scans, rows into the resampler.
struct JPEGDecoding: ~Copyable {
    private let header: JPEGHeader
    private let reader: JPEGReader
    private let input: ByteReader
    private let limits: ImageLimits
    private let windowBytes: Int

    /// What the header says.
    var info: ImageInfo { header.info }

    static let endsInHeader = CodecError.corrupt(.jpeg, "the file ends inside its header")

    /// Reads the header and holds it against the limits; bytes are fed `windowBytes` at a time.
    init(_ input: ByteReader, _ limits: ImageLimits, windowBytes: Int) throws(CodecError) {
        let reader = try JPEGReader(limits)
        var fields = sg_jpeg_header()
        while try reader.readHeader(&fields) == .needsInput {
            if input.bytesRead > limits.bodyBytes { throw limits.longHeader() }
            guard try Self.feed(reader, from: input, windowBytes) else { throw Self.endsInHeader }
        }
        header = try JPEGHeader(fields, from: reader, limits)
        self.reader = reader
        self.input = input
        self.limits = limits
        self.windowBytes = windowBytes
    }

    /// Decodes to the sizes that are wanted, upright.
    func decode(_ wish: DecodeSpec) throws(CodecError) -> DecodedImage {
        var output = try JPEGOutput(header, wish, limits)
        if header.fields.is_arithmetic { try feedEverything() }
        guard try advance({ () throws(CodecError) in try output.prepare(reader) }) == .done else {
            throw JPEGOutput.endsTooEarly
        }
        var realRows = output.height
        if header.fields.has_several_scans {
            try readScans()
            realRows = try output.start(reader)
        }
        return try output.pictures(from: reader, realRows: realRows) { (progress) throws(CodecError) in
            try input.checkCancelled()
            if progress == .needsInput { _ = try feed() }
        }
    }

    private func readScans() throws(CodecError) {
        var scans = JPEGScans()
        while !scans.haveEnded {
            try input.checkCancelled()
            let progress = try advance { () throws(CodecError) in try scans.read(from: reader, limits) }
            if progress == .cut { return }
        }
    }

    // MARK: Input

    /// Takes a step, feeding the reader for as long as it asks.
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

    /// Gives the reader more bytes; false when it has been told that there are none.
    private static func feed(
        _ reader: borrowing JPEGReader, from input: ByteReader, _ windowBytes: Int
    ) throws(CodecError) -> Bool {
        try reader.feed(atMost: windowBytes) { (room) throws(CodecError) in try input.read(into: room) }
    }

    private func feed() throws(CodecError) -> Bool { try Self.feed(reader, from: input, windowBytes) }

    /// An arithmetic decoder cannot wait for bytes.
    private func feedEverything() throws(CodecError) {
        repeat {
            if input.bytesRead > limits.bodyBytes {
                throw CodecError(
                    .bodyBytes, "an arithmetic-coded JPEG of more than \(limits.bodyBytes) bytes")
            }
        } while try feed()
    }
}
