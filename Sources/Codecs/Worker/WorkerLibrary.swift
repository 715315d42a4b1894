/// The library that a worker opens before it locks itself; one process opens one.
package enum WorkerLibrary: String, Hashable, Sendable, CaseIterable {
    /// None: libjpeg-turbo and libpng are linked, GIF and BMP are decoded in Swift. Every worker has these.
    case builtIn
    /// libwebp and libwebpdemux.
    case webp
    /// libheif.
    case heif
    /// libavif.
    case avif
    /// libtiff.
    case tiff

    /// Opens the library (`dlopen`), with all that it opens later by itself; further calls cost nothing.
    ///
    /// - Throws: `CodecError` of kind `unsupported` that names the package to install.
    func load() throws(CodecError) {
        switch self {
        case .builtIn: break
        case .webp: _ = try WebPLibrary.system.get()
        case .heif: _ = try HEIFLibrary.system.get()
        case .avif: _ = try AVIFLibrary.version.get()
        case .tiff: _ = try TIFFLibrary.system.get()
        }
    }

    /// Opens the library; false if it cannot be opened.
    package var isInstalled: Bool { (try? load()) != nil }

    /// Whether the library starts threads: libde265 and dav1d within libheif wait for ever without.
    var usesThreads: Bool { self == .heif }

    /// The libraries with their versions, or why they are missing, for reports; opens them.
    package var versions: [(name: String, version: Result<String, CodecError>)] {
        switch self {
        case .builtIn: []
        case .webp:
            [
                ("libwebp", WebPLibrary.system.map(\.version)),
                ("libwebpdemux", WebPLibrary.system.flatMap(\.demuxVersion)),
            ]
        case .heif: [("libheif", HEIFLibrary.system.map(\.version))]
        case .avif: [("libavif", AVIFLibrary.version)]
        case .tiff: [("libtiff", TIFFLibrary.system.map(\.version))]
        }
    }

    /// The error of a missing library, with its Debian package.
    static func missing(_ package: String, for user: String) -> CodecError {
        CodecError(.unsupported, "\(user) \(package): apt install \(package)")
    }
}
