internal import SpyglassCJPEG
internal import SpyglassCPNG

/// A C library that decodes, for reports.
public struct CodecLibrary: Hashable, Sendable {
    /// As its makers write it.
    public let name: String
    /// libjpeg-turbo's at compile time, libpng's at run time (`png_get_libpng_ver`).
    public let version: String
}

/// The C libraries that decode.
public enum CodecLibraries {
    /// Each library and its version.
    public static var versions: [CodecLibrary] {
        [
            CodecLibrary(name: "libjpeg-turbo", version: String(cString: sg_jpeg_library_version())),
            CodecLibrary(name: "libpng", version: String(cString: sg_png_library_version())),
        ]
    }
}
