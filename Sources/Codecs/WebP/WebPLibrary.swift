internal import SpyglassCWebP

/// libwebp, opened at run time.
///
/// `@unchecked Sendable`: the function table is only written before `sg_webp_open` returns.
struct WebPLibrary: @unchecked Sendable {
    let functions: UnsafePointer<sg_webp>

    static let system: Result<WebPLibrary, CodecError> = Self.open("libwebp.so.7", demux: "libwebpdemux.so.2")

    static func open(_ name: String, demux: String) -> Result<WebPLibrary, CodecError> {
        guard let functions = sg_webp_open(name, demux) else {
            return .failure(WorkerLibrary.missing("libwebp7", for: "WebP needs"))
        }
        return .success(WebPLibrary(functions: functions))
    }

    /// Its version (`WebPGetDecoderVersion`), as 1.2.4.
    var version: String { Self.text(functions.pointee.GetDecoderVersion()) }

    /// The version of libwebpdemux (`WebPGetDemuxVersion`).
    var demuxVersion: Result<String, CodecError> {
        guard functions.pointee.AnimDecoderNewInternal != nil, let version = functions.pointee.GetDemuxVersion else {
            return .failure(Self.missingDemux)
        }
        return .success(Self.text(version()))
    }

    static let missingDemux = WorkerLibrary.missing("libwebpdemux2", for: "an animated WebP needs")

    private static func text(_ version: CInt) -> String {
        let version = Int(version)
        return "\(version >> 16 & 255).\(version >> 8 & 255).\(version & 255)"
    }
}
