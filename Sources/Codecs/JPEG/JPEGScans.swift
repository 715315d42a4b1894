internal import SpyglassCJPEG

/// Reads the scans of a JPEG with several.
struct JPEGScans {
    /// The current scan, from 1.
    private var current: CInt = 1
    /// Whether all scans, or all data, are read.
    private(set) var haveEnded = false

    /// Reads some of them; throws above the limit.
    mutating func read(
        from reader: borrowing JPEGReader, _ limits: ImageLimits
    ) throws(CodecError) -> JPEGReader.Progress {
        let progress = try reader.readScan(&current, &haveEnded)
        if progress == .cut { haveEnded = true }
        if progress == .done, Int(current) > limits.scans {
            throw CodecError(.scans(needing: Int(current)), "more than \(limits.scans) scans")
        }
        return progress
    }

    /// Marks the end: there are no more bytes.
    mutating func end() { haveEnded = true }
}
