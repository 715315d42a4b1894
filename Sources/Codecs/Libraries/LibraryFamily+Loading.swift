extension LibraryFamily {
    /// Opens the libraries (`dlopen`), with all that they open later by themselves; further calls cost nothing.
    ///
    /// - Throws: `CodecError` of kind `unsupported` that names the package to install.
    func load() throws(CodecError) {
        switch self {
        case .webp: _ = try WebPLibrary.system.get()
        case .heif: _ = try HEIFLibrary.system.get()
        case .avif: if AVIFLibrary.system == nil { _ = try HEIFLibrary.system.get() }
        case .tiff: _ = try TIFFLibrary.system.get()
        }
    }

    /// Whether the library needs threads; opens it.
    var usesThreads: Bool {
        switch self {
        case .heif: true
        case .avif: AVIFLibrary.system == nil
        case .webp, .tiff: false
        }
    }

    /// Opens the libraries; `false` if one is missing.
    package var isInstalled: Bool { (try? load()) != nil }

    /// Its libraries with their versions or why they are missing, for reports; opens them.
    package var libraries: [(name: String, version: Result<String, CodecError>)] {
        switch self {
        case .webp:
            let library = WebPLibrary.system
            return [("libwebp", library.map(\.version)), ("libwebpdemux", library.flatMap(\.demuxVersion))]
        case .heif: return [("libheif", HEIFLibrary.system.map(\.version))]
        case .avif: return [("libavif", AVIFLibrary.version)]
        case .tiff: return [("libtiff", TIFFLibrary.system.map(\.version))]
        }
    }

    /// The error of a missing library, with its Debian package.
    static func missing(_ package: String, for user: String) -> CodecError {
        CodecError(.unsupported, "\(user) \(package): apt install \(package)")
    }
}
