internal import SpyglassCodecs
internal import SpyglassFiles
internal import SpyglassPixels

/// Composes the first pictures of a folder, in the order of their names, into one image.
///
/// Reads some hundred names, no folder inside, and follows no link. Calls block.
struct ContactSheet {
    let folder: LocalFile
    let target: TargetSize
    let decoder: ImageDecoder

    private static let maxPictures = 4
    private static let maxNames = 500
    /// Files that are opened: some may be damaged.
    private static let maxAttempts = 12
    private static let endings: Set<String> = ["jpg", "jpeg", "png"]
    /// Of a target without a box.
    private static let defaultBox = PixelSize(width: 256, height: 256)
    /// The shorter side of the box by the distance between two pictures.
    private static let gapRatio = 32

    func image(isCancelled: () -> Bool) throws(CodecError) -> DecodedImage {
        let files = try pictureFiles()
        let layout = Layout(target.box?.size ?? Self.defaultBox, count: min(files.count, Self.maxPictures))
        var sheet = [UInt8](repeating: 0, count: layout.size.pixelCount * PixelBuffer.bytesPerPixel)
        var count = 0
        for file in files where count < layout.columns * layout.rows {
            let picture: PixelBuffer
            do throws(CodecError) {
                picture = try self.picture(file, in: layout.tile, isCancelled)
            } catch {
                guard error.kind != .cancelled else { throw error }
                continue
            }
            layout.put(picture, at: count, in: &sheet)
            count += 1
        }
        guard count > 0 else { throw CodecError(.empty, "no pictures in this folder") }
        let info = ImageInfo(
            format: .png, storedSize: layout.size, hasAlpha: true, colorDescription: "contact sheet")
        return DecodedImage(pixels: PixelBuffer(size: layout.size, bytes: sheet), info: info)
    }

    /// The middle of a picture, in the shape of its tile.
    private func picture(
        _ file: LocalFile, in tile: PixelSize, _ isCancelled: () -> Bool
    ) throws(CodecError) -> PixelBuffer {
        let size = try decoder.probe(.localFile(file), isCancelled: isCancelled).size
        let shape = Double(tile.width) * (target.box?.pixelAspect ?? 1) / Double(tile.height)
        let ratio = Double(size.width) / Double(size.height) / shape
        let (width, height) = ratio > 1 ? (1 / ratio, 1) : (1, ratio)
        let middle = ImageRegion(x: (1 - width) / 2, y: (1 - height) / 2, width: width, height: height)
        let target = TargetSize(box: tile, fit: .fill)
        return try decoder.decode(.localFile(file), region: middle, to: target, isCancelled: isCancelled).pixels
    }

    private func pictureFiles() throws(CodecError) -> [LocalFile] {
        do throws(FileError) {
            let opened = try Folder(opening: folder.path)
            var names: [[UInt8]] = []
            var count = 0
            try opened.forEachEntry { name, kind in
                if kind == .regular || kind == .unknown, Self.isPicture(name) { names.append(Array(name)) }
                count += 1
                return count < Self.maxNames
            }
            names.sort { NaturalOrder.precedes($0, $1) }
            return names.prefix(Self.maxAttempts).compactMap { name in
                // The status of a link is its own.
                guard let status = try? opened.status(of: name), status.isRegular else { return nil }
                return LocalFile(folder.path + [UInt8(ascii: "/")] + name, status)
            }
        } catch {
            throw CodecError(.unreadable, "cannot open: \(error.reason)")
        }
    }

    private static func isPicture(_ name: UnsafeRawBufferPointer) -> Bool {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0, name.first != UInt8(ascii: ".") else {
            return false
        }
        return endings.contains(String(decoding: name[(dot + 1)...], as: UTF8.self).lowercased())
    }

    /// The places of pictures: one, two beside each other, or two rows of two.
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
