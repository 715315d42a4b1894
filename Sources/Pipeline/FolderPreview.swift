internal import SpyglassCodecs
internal import SpyglassFiles
internal import SpyglassPixels
internal import SpyglassThreads

/// Composes the first pictures of a folder, in the order of their names, into one image.
///
/// A folder with fewer than four pictures lends those of its folders, and they of theirs, three levels down. Reads 10,000 names
/// at most, and follows no link. Calls block.
struct FolderPreview {
    let folder: LocalFile
    let target: TargetSize
    let decoder: ImageDecoder

    private static let maxPictures = 4
    private static let maxNames = 10_000
    private static let maxDepth = 3
    /// Files that are opened: some may be damaged.
    private static let maxAttempts = 12
    /// The size for a target without a box.
    private static let defaultBox = PixelSize(width: 256, height: 256)
    /// The shorter side of the box by the distance between two pictures.
    private static let gapRatio = 32

    func image() throws(CodecError) -> DecodedImage {
        let files = try pictureFiles()
        let layout = Layout(target.box?.size ?? Self.defaultBox, count: min(files.count, Self.maxPictures))
        var pictures: [PixelBuffer] = []
        for file in files where pictures.count < layout.columns * layout.rows {
            do throws(CodecError) {
                pictures.append(try picture(file, in: layout.tile))
            } catch {
                guard error.kind != .cancelled else { throw error }
            }
        }
        guard !pictures.isEmpty else { throw CodecError(.empty, "no images in this folder") }
        // No decode of this thread holds a share now.
        let share = try decoder.reserve(layout.size)
        var sheet = [UInt8](repeating: 0, count: layout.size.pixelCount * PixelBuffer.bytesPerPixel)
        for (number, picture) in pictures.enumerated() { layout.put(picture, at: number, in: &sheet) }
        withExtendedLifetime(share) {}
        let info = ImageInfo(
            format: .png, storedSize: layout.size, hasAlpha: true, colorDescription: "contact sheet")
        return DecodedImage(pixels: PixelBuffer(size: layout.size, bytes: sheet), info: info)
    }

    /// The middle of a picture, in the shape of its tile.
    private func picture(_ file: LocalFile, in tile: PixelSize) throws(CodecError) -> PixelBuffer {
        let size = try decoder.probe(.localFile(file)).size
        let shape = Double(tile.width) * (target.box?.pixelAspect ?? 1) / Double(tile.height)
        let ratio = Double(size.width) / Double(size.height) / shape
        let (width, height) = ratio > 1 ? (1 / ratio, 1) : (1, ratio)
        let middle = ImageRegion(x: (1 - width) / 2, y: (1 - height) / 2, width: width, height: height)
        let target = TargetSize(box: tile, fit: .fill)
        return try decoder.decode(.localFile(file), region: middle, to: target).pixels
    }

    private func pictureFiles() throws(CodecError) -> [LocalFile] {
        do throws(FileError) {
            let opened = try Folder(opening: folder.path)
            // Otherwise the path leads to another folder now.
            if try opened.descriptor.status.identity == folder.identity {
                var search = Search()
                try search.look(in: opened, path: folder.path, depth: 0)
                return search.found
            }
        } catch {
            throw CodecError(.unreadable, "cannot open: \(error.reason)")
        }
        throw CodecError(.unreadable, "changed since it was found")
    }

    /// Pictures in the order in which they are found: those of a folder before those of the folders inside.
    private struct Search {
        var found: [LocalFile] = []
        private var count = 0

        mutating func look(in opened: borrowing Folder, path: [UInt8], depth: Int) throws(FileError) {
            var (pictures, folders) = (FirstNames(), FirstNames())
            try opened.forEachEntry { name, kind in
                count += 1
                let isFolder = opened.isFolder(name, kind) { FolderPreview.isPicture($0) }
                if isFolder == false { pictures.add(name) } else if isFolder == true { folders.add(name) }
                return count < maxNames && !Cancellation.current.isCancelled
            }
            for name in pictures.names where found.count < maxAttempts {
                // The status of a link is its own.
                guard let status = try? opened.status(of: name), status.isRegular else { continue }
                found.append(LocalFile(path + [UInt8(ascii: "/")] + name, status))
            }
            guard depth < maxDepth else { return }
            for name in folders.names where found.count < maxPictures && count < maxNames {
                guard let inner = try? opened.openFolder(name) else { continue }
                try? look(in: inner, path: path + [UInt8(ascii: "/")] + name, depth: depth + 1)
            }
        }
    }

    /// The first names in natural order.
    private struct FirstNames {
        private(set) var names: [[UInt8]] = []

        mutating func add(_ name: UnsafeRawBufferPointer) {
            let name = Array(name)
            if names.count == maxAttempts, let last = names.last, !NaturalOrder.precedes(name, last) { return }
            names.insert(name, at: names.firstIndex { NaturalOrder.precedes(name, $0) } ?? names.endIndex)
            if names.count > maxAttempts { names.removeLast() }
        }
    }

    private static func isPicture(_ name: UnsafeRawBufferPointer) -> Bool {
        guard name.first != UInt8(ascii: "."), case .image? = FileKind.ofExtension(name) else { return false }
        return true
    }

    /// The positions of images: one, two side by side, or two rows of two.
    private struct Layout {
        let size: PixelSize
        let columns: Int
        let rows: Int
        let tile: PixelSize
        private let gap: Int

        init(_ box: PixelSize, count: Int) {
            size = box
            gap = max(min(box.width, box.height) / gapRatio, 1)
            columns = count > 1 && box.width > gap + 1 ? 2 : 1
            rows = count > 2 && box.height > gap + 1 ? 2 : 1
            tile = PixelSize(
                width: (box.width - gap * (columns - 1)) / columns, height: (box.height - gap * (rows - 1)) / rows)
        }

        /// In the centre of its tile.
        func put(_ picture: PixelBuffer, at number: Int, in sheet: inout [UInt8]) {
            let left = number % columns * (tile.width + gap) + (tile.width - picture.size.width) / 2
            let top = number / columns * (tile.height + gap) + (tile.height - picture.size.height) / 2
            for y in 0..<picture.size.height {
                let start = ((top + y) * size.width + left) * PixelBuffer.bytesPerPixel
                sheet.replaceSubrange(
                    start..<start + picture.stride, with: picture.bytes[y * picture.stride..<(y + 1) * picture.stride])
            }
        }
    }
}
