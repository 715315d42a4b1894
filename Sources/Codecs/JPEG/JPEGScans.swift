internal import SpyglassCJPEG

/// How far the scans of a JPEG of several have been read.
struct JPEGScans {
    /// The scan under way, from 1.
    private var current: CInt = 1
    /// Whether the last one is in, or the data is at its end.
    private(set) var haveEnded = false

    /// Reads some of them; the scan above the limit is an error.
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

    /// There are no more bytes, and those that were there are read.
    mutating func end() { haveEnded = true }
}
