internal import SpyglassCJPEG
internal import SpyglassCPNG

/// The C libraries that decode, and the one that converts colours, for reports.
package enum CodecLibraries {
    /// libjpeg-turbo's version is the one at compile time, libpng's the one at run time.
    package static var versions: [(name: String, version: String)] {
        [
            ("libjpeg-turbo", String(cString: sg_jpeg_library_version())),
            ("libpng", String(cString: sg_png_library_version())),
        ]
    }

    /// Loads Little CMS (`dlopen`), which decoding does only if a profile needs it; its version, `nil` if it is missing.
    package static var colorManagement: String? { (try? LCMSLibrary.system.get())?.version }
}
