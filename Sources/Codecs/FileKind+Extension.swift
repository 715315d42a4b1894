extension ImageFormat {
    /// By the last part of a name, in any case: `.jpg .jpeg .jpe .jfif .png`.
    package init?(extensionOf name: some BidirectionalCollection<UInt8>) {
        guard case .image(let format)? = FileKind(extensionOf: name) else { return nil }
        self = format
    }
}

extension FileKind {
    /// What the last part of a name promises, in any case: `.image(.jpeg)`, `.otherImage("GIF")`; `nil` for no image.
    ///
    /// The contents may differ; `sniff` decides what can be decoded.
    package init?(extensionOf name: some BidirectionalCollection<UInt8>) {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let ending = name[name.index(after: dot)...]
        guard (1...Self.maxExtension).contains(ending.count) else { return nil }
        let lower = ending.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        switch String(decoding: lower, as: UTF8.self) {
        case "jpg", "jpeg", "jpe", "jfif": self = .image(.jpeg)
        case "png": self = .image(.png)
        case let ending:
            guard let name = Self.otherExtensions[ending] else { return nil }
            self = .otherImage(name)
        }
    }

    private static let maxExtension = 5

    /// The formats that `sniff` names.
    private static let otherExtensions = [
        "avif": "AVIF", "bmp": "BMP", "cr2": "CR2 (camera RAW)", "cr3": "CR3 (camera RAW)", "dng": "DNG (camera RAW)",
        "exr": "OpenEXR", "gif": "GIF", "hdr": "Radiance HDR", "heic": "HEIF", "heif": "HEIF", "ico": "ICO",
        "j2k": "JPEG 2000", "jp2": "JPEG 2000", "jxl": "JPEG XL", "jxr": "JPEG XR", "nef": "NEF (camera RAW)",
        "orf": "ORF (camera RAW)", "pbm": "PBM", "pgm": "PGM", "pnm": "PNM", "ppm": "PPM", "psd": "Photoshop",
        "qoi": "QOI", "raf": "RAF (camera RAW)", "arw": "ARW (camera RAW)", "svg": "SVG", "tga": "TGA", "tif": "TIFF",
        "tiff": "TIFF", "webp": "WebP", "xcf": "XCF",
    ]
}
