package import SpyglassCodecs
internal import SpyglassPixels

/// A picture file in memory, and of which kind it is.
package struct SampleFile: Sendable {
    /// What decoders treat differently.
    enum Kind: Hashable, Sendable, CaseIterable {
        case jpeg, progressiveJPEG, png8, png16, interlacedPNG
    }

    let bytes: [UInt8]
    let kind: Kind
    /// As it is displayed.
    let size: PixelSize
    /// Within which it is decoded.
    let limits: ImageLimits

    /// A file of which everything is known.
    init(_ bytes: [UInt8], _ kind: Kind, _ size: PixelSize) {
        self.bytes = bytes
        self.kind = kind
        self.size = size
        limits = ImageLimits()
    }

    /// A file that can be decoded, which is tried.
    ///
    /// - Throws: `DecodeError`, as `ImageDecoder` does.
    package init(_ bytes: [UInt8], limits: ImageLimits = ImageLimits()) throws(DecodeError) {
        let decoder = ImageDecoder(limits: limits)
        let small = TargetSize(box: PixelSize(width: 8, height: 8))
        let info = try decoder.decode(.bytes(bytes), to: small, isCancelled: { false }).info
        self.bytes = bytes
        self.limits = limits
        size = info.size
        kind =
            switch (info.format, info.isProgressive) {
            case (.jpeg, false): .jpeg
            case (.jpeg, true): .progressiveJPEG
            case (.png, true): .interlacedPNG
            case (.png, false): info.colorDescription.hasSuffix("16 bits") ? .png16 : .png8
            }
    }
}

extension SampleFile {
    /// Some different files of one kind, of our own making.
    ///
    /// - Parameters:
    ///   - kind: how they are stored.
    ///   - size: of their pictures.
    ///   - count: how many.
    /// - Returns: files that are the same every time.
    /// - Throws: `BenchError` when a library cannot write them.
    static func made(_ kind: Kind, _ size: PixelSize, count: Int) throws(BenchError) -> [SampleFile] {
        var files: [SampleFile] = []
        for seed in 1...UInt64(count) {
            let picture = SamplePicture(size, seed: seed).pixels()
            do {
                files.append(try SampleFile(try encoded(picture, kind)))
            } catch {
                throw BenchError("a sample picture could not be made: \(error)")
            }
        }
        return files
    }

    private static func encoded(_ picture: PixelBuffer, _ kind: Kind) throws -> [UInt8] {
        switch kind {
        case .jpeg: try ImageEncoder(.jpeg(.init())).encode(picture)
        case .progressiveJPEG: try ImageEncoder(.jpeg(.init(isProgressive: true))).encode(picture)
        case .png8: try PlainLibrary.png(picture.rgbBytes, picture.size, depth: 8, isInterlaced: false)
        case .png16: try PlainLibrary.png(deep(picture.rgbBytes), picture.size, depth: 16, isInterlaced: false)
        case .interlacedPNG: try PlainLibrary.png(picture.rgbBytes, picture.size, depth: 8, isInterlaced: true)
        }
    }

    /// Sixteen bits for each eight; the low ones are those of a neighbour, so that they do not compress to nothing.
    private static func deep(_ bytes: [UInt8]) -> [UInt8] {
        var deep: [UInt8] = []
        deep.reserveCapacity(bytes.count * 2)
        for at in bytes.indices {
            deep.append(bytes[at])
            deep.append(bytes[bytes.count - 1 - at])
        }
        return deep
    }
}
