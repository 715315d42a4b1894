extension ImageFormat {
    /// By the last part of a name, in any case: `.jpg`, `.jpeg`, `.png`.
    package init?(extensionOf name: some Collection<UInt8>) {
        guard case .image(let format)? = FileKind(extensionOf: name) else { return nil }
        self = format
    }
}

extension FileKind {
    /// Guesses the kind from a file name's extension, in any case: `.image(.jpeg)`, `.otherImage("SVG")`; `nil` for no image.
    ///
    /// The contents may differ; `sniff` decides what can be decoded. The bytes must be contiguous.
    package init?(extensionOf name: some Collection<UInt8>) {
        let known = name.withContiguousStorageIfAvailable { Self.ofExtension(UnsafeRawBufferPointer($0)) }
        guard let kind = known ?? nil else { return nil }
        self = kind
    }

    /// Guesses from a name in memory; not generic, for speed, since folders have many names.
    package static func ofExtension(_ name: UnsafeRawBufferPointer) -> FileKind? {
        var letters: UInt64 = 0
        var position = name.count - 1
        let first = max(name.count - 1 - maxExtension, 0)
        while position >= first, name[position] != UInt8(ascii: ".") {
            let byte = name[position]
            letters = letters << 8 | UInt64((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
            position -= 1
        }
        guard position >= first, name[position] == UInt8(ascii: ".") else { return nil }
        return extensions[letters]
    }

    private static let maxExtension = 5

    /// By the letters from the last to the first, a byte each.
    private static let extensions: [UInt64: FileKind] = {
        var kinds = otherExtensions.mapValues { FileKind.otherImage($0) }
        for format in ImageFormat.allCases {
            for ending in format.entry.fileExtensions { kinds[ending] = .image(format) }
        }
        let packed = kinds.map { name, kind in (name.utf8.reversed().reduce(0) { $0 << 8 | UInt64($1) }, kind) }
        return Dictionary(uniqueKeysWithValues: packed)
    }()

    /// The formats that `sniff` names.
    private static let otherExtensions = [
        "cr2": "CR2 (camera RAW)", "cr3": "CR3 (camera RAW)", "dng": "DNG (camera RAW)",
        "exr": "OpenEXR", "hdr": "Radiance HDR", "ico": "ICO",
        "j2k": "JPEG 2000", "jp2": "JPEG 2000", "jxl": "JPEG XL", "jxr": "JPEG XR", "nef": "NEF (camera RAW)",
        "orf": "ORF (camera RAW)", "pbm": "PBM", "pgm": "PGM", "pnm": "PNM", "ppm": "PPM", "psd": "Photoshop",
        "qoi": "QOI", "raf": "RAF (camera RAW)", "arw": "ARW (camera RAW)", "svg": "SVG", "tga": "TGA",
        "xcf": "XCF",
    ]
}
