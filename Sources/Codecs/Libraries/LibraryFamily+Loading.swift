extension LibraryFamily {
    /// Opens the libraries (`dlopen`), with all that they open later by themselves; further calls cost nothing.
    ///
    /// - Throws: `CodecError` of kind `library` that names the package to install.
    func load() throws(CodecError) {
        switch self {
        case .webp: _ = try WebPLibrary.system.get()
        case .heif: _ = try HEIFLibrary.system.get()
        case .tiff: _ = try TIFFLibrary.system.get()
        }
    }

    /// Opens the libraries; `false` if one is missing.
    package var isInstalled: Bool { (try? load()) != nil }

    /// The libraries and their versions, for reports; opens them, and is empty if they are missing.
    package var versions: [CodecLibrary] {
        switch self {
        case .webp: (try? WebPLibrary.system.get()).map { [CodecLibrary(name: "libwebp", version: $0.version)] } ?? []
        case .tiff: (try? TIFFLibrary.system.get()).map { [CodecLibrary(name: "libtiff", version: $0.version)] } ?? []
        case .heif: (try? HEIFLibrary.system.get()).map { [CodecLibrary(name: "libheif", version: $0.version)] } ?? []
        }
    }

    /// The error of a missing library, with its Debian package.
    static func missing(_ format: String, _ package: String) -> CodecError {
        CodecError(.library, "\(format) needs \(package): apt install \(package)")
    }
}
