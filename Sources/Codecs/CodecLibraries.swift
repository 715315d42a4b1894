internal import SpyglassCJPEG
internal import SpyglassCPNG

/// A C library, for reports.
package struct CodecLibrary: Hashable, Sendable {
    /// The name that its authors use.
    package let name: String
    /// libjpeg-turbo's at compile time, libpng's at run time (`png_get_libpng_ver`).
    package let version: String
}

/// The C libraries that decode, and the one that converts colours.
package enum CodecLibraries {
    /// The decoding libraries and their versions.
    package static var versions: [CodecLibrary] {
        [
            CodecLibrary(name: "libjpeg-turbo", version: String(cString: sg_jpeg_library_version())),
            CodecLibrary(name: "libpng", version: String(cString: sg_png_library_version())),
        ]
    }

    /// Little CMS, which applies embedded colour profiles; `nil` if liblcms2.so.2 cannot be loaded.
    ///
    /// Loads it (`dlopen`), which decoding does only if needed. The version is that of the loaded library
    /// (`cmsGetEncodedCMMversion`).
    package static var colorManagement: CodecLibrary? {
        (try? LCMSLibrary.system.get()).map { CodecLibrary(name: "lcms2", version: $0.version) }
    }
}
