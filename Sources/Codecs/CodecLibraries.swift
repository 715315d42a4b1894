internal import SpyglassCJPEG
internal import SpyglassCPNG

/// The C libraries that decode, for reports.
public enum CodecLibraries {
    /// Each library's name and version: libjpeg-turbo's at compile time, libpng's at run time (`png_get_libpng_ver`).
    public static var versions: [(name: String, version: String)] {
        [
            ("libjpeg-turbo", String(cString: sg_jpeg_library_version())),
            ("libpng", String(cString: sg_png_library_version())),
        ]
    }
}
