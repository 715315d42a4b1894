package import SpyglassCatalog
package import SpyglassFetching
internal import SpyglassFiles
package import SpyglassPipeline
internal import SpyglassPixels
internal import SpyglassTerminalUI

extension Photo {
    /// The file to save: the source's original, else the largest image, else the preview.
    package var original: WebAddress? {
        let pictures = ownRenditions.filter(\.isPicture)
        let canonical = pictures.first { $0.rel == "canonical" } ?? pictures.first { $0.isNamedOriginal }
        return (canonical ?? largestPicture ?? pictures.last)?.address ?? thumbnail
    }

    package var preview: ImageSource? {
        guard unsupportedFormat == nil else { return nil }
        return file.map { $0.isFolder ? .folder($0) : .localFile($0) } ?? thumbnail.map { .address($0, trust) }
    }

    package var sparePreview: ImageSource? { spareThumbnail.map { .address($0, trust) } }

    /// The smallest file that fills a box of pixels, else the largest of known size, else the preview.
    ///
    /// The preview, too, until the source has named files smaller than the original.
    func rendition(filling box: PixelSize) -> ImageSource? {
        if file != nil || lacksFiles { return preview }
        let enough = sizedPictures.first { ($0.width ?? 0) >= box.width || ($0.height ?? 0) >= box.height }
        return ((enough ?? largestPicture)?.address ?? thumbnail).map { .address($0, trust) }
    }

    /// The smallest file of at least one side of `size`, else the original, else the largest; none of the `lost` ones.
    func rendition(enlargedTo size: PixelSize, except lost: Set<ImageSource>) -> ImageSource? {
        if let file { return lost.contains(.localFile(file)) ? nil : .localFile(file) }
        let pictures = sizedPictures
        let enough = pictures.filter { ($0.width ?? 0) >= size.width || ($0.height ?? 0) >= size.height }
        let others = [original] + pictures.reversed().map(\.address) + [thumbnail]
        return (enough.map(\.address) + others.compactMap(\.self)).lazy.map { .address($0, trust) }
            .first { !lost.contains($0) }
    }

    /// The size of the local file, else of the largest one; `nil` if the source states none.
    var largestSize: PixelSize? {
        let largest = largestPicture
        return PixelSize(checking: width ?? largest?.width ?? 0, height ?? largest?.height ?? 0)
    }

    /// The first of the largest ones.
    private var largestPicture: Rendition? { sizedPictures.max { $0.pixels < $1.pixels } }

    /// The smallest first.
    private var sizedPictures: [Rendition] {
        ownRenditions.filter { $0.isPicture && $0.pixels > 0 }.sorted { $0.pixels < $1.pixels }
    }

    /// Without those of other pictures.
    private var ownRenditions: [Rendition] { renditions.filter { !$0.isOtherPicture } }

    var sources: [ImageSource] {
        ownRenditions.map { .address($0.address, trust) } + [preview].compactMap(\.self)
    }

    var shareable: WebAddress? { page ?? original }
}

extension Rendition {
    private static let pictureEndings: Set<String> = ["jpg", "jpeg", "png", "pnj", "gif", "webp"]

    fileprivate var isPicture: Bool { address.fileEnding.map(Self.pictureEndings.contains) ?? true }

    /// NASA names its files `id~orig.jpg`, `id~large.jpg`, ...
    fileprivate var isNamedOriginal: Bool {
        let stem = address.path.split(separator: "/").last?.split(separator: ".").first ?? ""
        return stem.hasSuffix("~orig")
    }

    /// The number of pixels, or 0 if unknown or out of range.
    fileprivate var pixels: Int {
        let (pixels, overflow) = max(width ?? 0, 0).multipliedReportingOverflow(by: max(height ?? 0, 0))
        return overflow ? 0 : pixels
    }
}

extension WebAddress {
    /// The file extension in lower case; `nil` unless it is 1 to 5 letters and digits.
    var fileEnding: String? {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        let ending = name[name.index(after: dot)...]
        guard (1...5).contains(ending.utf8.count), ending.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        else { return nil }
        return ending.lowercased()
    }
}

/// A photo's id within its source, compared by bytes: names of files may be canonically equal strings.
package struct PhotoID: Hashable, Sendable, ExpressibleByStringLiteral {
    private let bytes: [UInt8]

    package init(_ id: String) { bytes = Array(id.utf8) }
    var text: String { String(decoding: bytes, as: UTF8.self) }
    package init(stringLiteral id: String) { self.init(id) }
}

extension Photo {
    package var key: PhotoID { PhotoID(id) }
}
