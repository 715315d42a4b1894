internal import SpyglassCTIFF
internal import SpyglassPixels

/// libtiff, opened at run time.
///
/// `@unchecked Sendable`: the function table is only written before `sg_tiff_open` returns.
struct TIFFLibrary: @unchecked Sendable {
    let functions: OpaquePointer

    /// 4.5 or later, else 4.0.10 or later.
    static let system = Self.open("libtiff.so.6").flatMapError { _ in Self.open("libtiff.so.5") }

    static func open(_ name: String) -> Result<TIFFLibrary, CodecError> {
        guard let functions = sg_tiff_open(name) else {
            return .failure(WorkerLibrary.missing("libtiff6", for: "TIFF needs"))
        }
        return .success(TIFFLibrary(functions: functions))
    }

    /// Its version (`TIFFGetVersion`), as 4.5.0.
    var version: String {
        let line = String(libraryMessage: sg_tiff_version(functions)).prefix { $0 != "?" }
        return String(line.drop { !("0"..."9").contains($0) })
    }
}

/// Reads rows, tiles and converted strips through libtiff; not thread-safe.
struct TIFFReader: ~Copyable {
    let handle: OpaquePointer
    let layout: sg_tiff_layout
    /// The library reads bytes from it through a pointer.
    private let source: Source

    private final class Source {
        let input: ByteReader
        var error: CodecError?

        init(_ input: ByteReader) { self.input = input }

        func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
            guard error == nil, let offset = Int(exactly: offset) else { return 0 }
            do throws(CodecError) { return try input.read(into: buffer, at: offset) } catch { self.error = error }
            return -1
        }
    }

    init(_ input: ByteReader, _ limits: ImageLimits, _ header: TIFFHeader) throws(CodecError) {
        let library = try TIFFLibrary.system.get()
        let source = Source(input)
        let read: sg_tiff_reader = { context, buffer, count, offset in
            Unmanaged<Source>.fromOpaque(context).takeUnretainedValue()
                .read(UnsafeMutableRawBufferPointer(start: buffer, count: count), at: offset)
        }
        // One strip may hold all pixels, often of up to 16 bits a channel.
        let imageBytes = max(8 * header.size.pixelCount, header.partBytes)
        let maxAllocation = min(imageBytes + Self.tableBytes, max(limits.workBytes, Self.tableBytes))
        var message = [CChar](repeating: 0, count: 256)
        guard
            let handle = sg_tiff_file_open(
                library.functions, read, Unmanaged.passUnretained(source).toOpaque(), UInt64(try input.byteCount()),
                UInt64(header.directoryAt ?? 0), maxAllocation, &message, message.count)
        else {
            if let error = source.error { throw error }
            throw .corrupt(.tiff, String(libraryMessage: message))
        }
        var layout = sg_tiff_layout()
        sg_tiff_layout_read(handle, &layout)
        (self.handle, self.layout, self.source) = (handle, layout, source)
    }

    deinit { sg_tiff_file_close(handle) }

    /// Directories, tables of strips, padding of tiles.
    private static let tableBytes = 64 << 20

    var message: String { String(libraryMessage: sg_tiff_message(handle)) }
    var errorCount: Int { sg_tiff_error_count(handle) }

    /// Throws what reading the file has thrown, which is not a fault of the image.
    func checkSource() throws(CodecError) { if let error = source.error { throw error } }
}
