internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassTerminalUI

extension Photo {
    /// What is saved: the file that the source calls the original, else the largest picture, else the preview.
    var original: WebAddress? {
        let pictures = renditions.filter(\.isPicture)
        let canonical = pictures.first { $0.rel == "canonical" } ?? pictures.first { $0.isNamedOriginal }
        let largest = pictures.filter { $0.pixels > 0 }.max { $0.pixels < $1.pixels }
        return (canonical ?? largest ?? pictures.last)?.address ?? thumbnail
    }

    /// The smallest file that need not be enlarged to fill a box of half-block pixels; where there is none, the largest whose size is
    /// known; else the preview.
    ///
    /// A photo without any of them has no picture.
    func rendition(for box: CellSize) -> WebAddress? {
        let pictures = renditions.filter { $0.isPicture && $0.pixels > 0 }
        let enough = pictures.filter { ($0.width ?? 0) >= box.columns || ($0.height ?? 0) >= 2 * box.rows }
        let best = enough.min { $0.pixels < $1.pixels } ?? pictures.max { $0.pixels < $1.pixels }
        return best?.address ?? thumbnail
    }

    /// What can be looked at elsewhere: the page for people, else the file.
    var shareable: WebAddress? { page ?? original }
}

extension Rendition {
    /// The endings of what can be decoded here; a file without one may be anything.
    private static let pictureEndings: Set<String> = ["jpg", "jpeg", "png"]

    /// Whether its name does not say that it is something else.
    fileprivate var isPicture: Bool { address.fileEnding.map(Self.pictureEndings.contains) ?? true }

    /// NASA names its files `id~orig.jpg`, `id~large.jpg`, ...
    fileprivate var isNamedOriginal: Bool {
        let stem = address.path.split(separator: "/").last?.split(separator: ".").first ?? ""
        return stem.hasSuffix("~orig")
    }

    /// How many there are, as far as the source says; 0 when it does not, and for nonsense.
    fileprivate var pixels: Int {
        let (pixels, overflow) = max(width ?? 0, 0).multipliedReportingOverflow(by: max(height ?? 0, 0))
        return overflow ? 0 : pixels
    }
}

extension WebAddress {
    /// What stands behind the last dot of the file's name, in small letters; `nil` for what no file ends in.
    var fileEnding: String? {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        let ending = name[name.index(after: dot)...]
        guard (1...5).contains(ending.utf8.count), ending.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        else { return nil }
        return ending.lowercased()
    }
}
