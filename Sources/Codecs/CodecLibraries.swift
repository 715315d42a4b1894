internal import SpyglassCJPEG
internal import SpyglassCPNG

/// A C library that decodes, for reports.
public struct CodecLibrary: Hashable, Sendable {
    /// As its makers write it.
    public let name: String
    /// libjpeg-turbo's at compile time, libpng's at run time (`png_get_libpng_ver`).
    public let version: String
}

/// The C libraries that decode, and the one that converts colours.
public enum CodecLibraries {
    /// Each library that decodes, and its version.
    public static var versions: [CodecLibrary] {
        [
            CodecLibrary(name: "libjpeg-turbo", version: String(cString: sg_jpeg_library_version())),
            CodecLibrary(name: "libpng", version: String(cString: sg_png_library_version())),
        ]
    }

    /// Little CMS, which applies embedded colour profiles; `nil` where liblcms2.so.2 cannot be loaded.
    ///
    /// Loads it (`dlopen`), which decoding does only for a picture that needs it. The version is that of the library that runs
    /// (`cmsGetEncodedCMMversion`).
    public static var colorManagement: CodecLibrary? {
        (try? LCMSLibrary.usual.get()).map { CodecLibrary(name: "lcms2", version: $0.version) }
    }
}
