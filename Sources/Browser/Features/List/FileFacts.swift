internal import SpyglassCatalog
internal import SpyglassFiles
internal import SpyglassTerminalUI

// Facts of the user's own files and folders, for lists.
extension RenderContext {
    static let separator = " · "

    /// The contents of a folder: `23 photos, 2 folders`, `empty`; `nil` before it was counted.
    func contents(of photo: Photo) -> String? {
        photo.contents.map {
            counts(photos: $0.photos, folders: $0.folders, isPartial: $0.isPartial) ?? strings.folders.empty
        }
    }

    /// `23 photos, 2 folders`, without the kind that is missing; `nil` for nothing.
    func counts(photos: Int, folders: Int, isPartial: Bool = false) -> String? {
        func text(_ count: Int, _ kind: @Sendable (Int, String) -> String) -> String? {
            count > 0 ? kind(count, number(count) + (isPartial ? "+" : "")) : nil
        }
        let parts = [text(photos, strings.folders.photos), text(folders, strings.folders.folders)]
        let known = parts.compactMap(\.self)
        return known.isEmpty ? nil : known.joined(separator: strings.folders.and)
    }

    /// The photos and folders of a list that has come to its end.
    func counts(of list: PhotoList) -> String {
        let all = list.positions.upperBound
        // Folders are only in lists of files, which are read whole at the end.
        let folders = list.isLocal ? list.photos.count { $0.mediaType == .folder } : 0
        return counts(photos: all - folders, folders: folders) ?? strings.folders.photos(0, number(0))
    }

    func pixels(of photo: Photo) -> String? {
        guard let width = photo.width, let height = photo.height else { return nil }
        return pixels(width, height)
    }

    func byteCount(of photo: Photo) -> String? {
        photo.file.flatMap { $0.isFolder ? nil : size($0.byteCount) }
    }

    /// `1/250 s, f/2.8, ISO 100, 35 mm`; `nil` if the file has none of them.
    func exposure(_ exposure: Exposure, onFilm: Int? = nil) -> String? {
        // Longer times are written in seconds, as cameras do.
        let longestFraction = 0.3
        var parts: [String] = []
        if let time = exposure.time {
            let isFraction = time < longestFraction
            parts.append((isFraction ? "1/" + number(Int((1 / time).rounded())) : decimal(time)) + " s")
        }
        if let number = exposure.fNumber { parts.append("f/\(decimal(number, digits: 2))") }
        if let iso = exposure.iso { parts.append("ISO \(iso)") }
        if let length = exposure.focalLength { parts.append("\(decimal(length)) mm") }
        if let onFilm, Double(onFilm) != exposure.focalLength { parts.append(strings.info.onFilm("\(onFilm) mm")) }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    func decimal(_ value: Double, digits: Int = 1) -> String {
        let unit = (0..<digits).reduce(1) { unit, _ in unit * 10 }
        return decimal(Int((value * Double(unit)).rounded()), of: unit, keepsZeros: false)
    }

    /// The lines of an own file under its name: its measures, how it was taken, when, and its folder in a list of several.
    func facts(of photo: Photo) -> [String]? {
        guard photo.file != nil else { return nil }
        let measures = [pixels(of: photo), byteCount(of: photo), photo.format ?? photo.unsupportedFormat]
        let shot = [photo.camera, photo.exposure.flatMap { exposure($0) }]
        let lines = [[contents(of: photo)], measures, shot, [formatter.date(of: photo)], [photo.albums.first]]
        return lines.map { $0.compactMap(\.self).joined(separator: Self.separator) }.filter { !$0.isEmpty }
    }

    /// The damage of a photo, as far as its image shows it: `truncated`.
    func damage(of photo: Photo, in geometry: ListGeometry) -> String? {
        let keys = [state.thumbnailKey(of: photo, in: geometry), state.checkKey(of: photo, in: geometry)]
        for key in keys.compactMap(\.self) {
            switch state.images.picture(for: key) {
            case .shown(_, let facts, isFinal: true, _): return strings.shortText(of: facts.completeness)
            // Elsewhere the box says it.
            case .failed(let failure) where geometry.thumbnail == nil && photo.mediaType == .image:
                return strings.text(of: failure)
            default: continue
            }
        }
        return nil
    }
}

extension Photo {
    /// The name, after the folder in a list with sub-folders: `2021/berlin/IMG 1.jpg`.
    var nameInList: String { (file == nil ? nil : albums.first).map { "\($0)/\(title)" } ?? title }
}

extension [Photo] {
    /// Whether there are several photos beside folders, all of one day.
    var shareDate: Bool {
        let photos = indices.lazy.filter { self[$0].mediaType != .folder }
        guard let first = photos.first, let day = self[first].date?.prefix(10) else { return false }
        return photos.count > 1 && photos.allSatisfy { self[$0].date?.prefix(10) == day }
    }
}
