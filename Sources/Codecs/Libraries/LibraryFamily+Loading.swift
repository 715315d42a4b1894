extension LibraryFamily {
    /// Opens the libraries (`dlopen`), with all that they open later by themselves; further calls cost nothing.
    ///
    /// - Throws: `CodecError` of kind `unsupported` that names the package to install.
    func load() throws(CodecError) {
        switch self {
        case .webp: _ = try WebPLibrary.system.get()
        case .heif: _ = try HEIFLibrary.system.get()
        case .tiff: _ = try TIFFLibrary.system.get()
        }
    }

    /// Opens the libraries; `false` if one is missing.
    package var isInstalled: Bool { (try? load()) != nil }

    /// The library and its version, for reports; opens it, and is empty if it is missing.
    package var versions: [CodecLibrary] {
        let version: String? =
            switch self {
            case .webp: try? WebPLibrary.system.get().version
            case .heif: try? HEIFLibrary.system.get().version
            case .tiff: try? TIFFLibrary.system.get().version
            }
        return version.map { [CodecLibrary(name: "lib\(rawValue)", version: $0)] } ?? []
    }

    /// The error of a missing library, with its Debian package.
    static func missing(_ package: String, for user: String) -> CodecError {
        CodecError(.unsupported, "\(user) \(package): apt install \(package)")
    }
}
