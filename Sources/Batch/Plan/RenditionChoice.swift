internal import SpyglassCatalog
internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassFiles

enum RenditionChoice {
    static func item(_ photo: Photo, number: Int, for sizes: [OutputSize]) throws(BatchError) -> BatchItem {
        if let file = photo.file, !file.isFolder {
            var item = BatchItem(
                file: file.path, name: file.path.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? [])
            item.number = number
            // Files of other folders have the same name.
            item.id = item.shownSource
            return item
        }
        guard let address = address(of: photo, for: sizes) else {
            throw BatchError(.notFound, "no image of this photo that can be decoded")
        }
        var item = BatchItem(
            number: number, id: photo.id, source: .address(address), shownSource: address.description, stem: photo.id)
        item.trust = photo.trust
        item.rights.credit = photo.credit
        item.rights.license = photo.license
        item.rights.licenseURL = photo.licenseURL?.description
        return item
    }

    /// The smallest rendition that covers the largest size, else the largest; an original of unknown size counts as the largest.
    ///
    /// A percentage is one of the largest.
    static func address(of photo: Photo, for sizes: [OutputSize]) -> WebAddress? {
        let isShare = sizes.contains { $0.percent != nil }
        let width = isShare ? .max : sizes.compactMap(\.width).max() ?? 1
        let height = isShare ? .max : sizes.compactMap(\.height).max() ?? 1
        let images = photo.renditions.filter { !$0.isOtherPicture && mayBeImage($0.address) }
        let known = images.compactMap { rendition -> (address: WebAddress, isEnough: Bool, area: Int)? in
            guard let across = rendition.width, let down = rendition.height, across > 0, down > 0 else { return nil }
            let (area, overflows) = across.multipliedReportingOverflow(by: down)
            return (rendition.address, across >= width && down >= height, overflows ? .max : area)
        }
        if let smallest = known.filter(\.isEnough).min(by: { $0.area < $1.area }) { return smallest.address }
        let isUnknown = { (rendition: Rendition) in rendition.width == nil || rendition.height == nil }
        // The original, in NASA's terms.
        if let original = images.first(where: { isUnknown($0) && $0.rel == "canonical" }) { return original.address }
        if let largest = known.max(by: { $0.area < $1.area }) { return largest.address }
        return images.first { $0.rel != "preview" }?.address ?? images.first?.address
            ?? photo.thumbnail.flatMap { mayBeImage($0) ? $0 : nil }
    }

    /// Whether a URL has the extension of an image, or none; those of originals as TIFF are left out, being large.
    private static func mayBeImage(_ address: WebAddress) -> Bool {
        let name = address.path[(address.path.lastIndex(of: "/") ?? address.path.startIndex)...].utf8
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return true }
        let ending = name[dot...].dropFirst()
        // Other endings are not extensions.
        let isWord = ending.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) }
        let isEnding = isWord && (2...4).contains(ending.count)
        return !isEnding || ImageFormat(extensionOf: name).map { !$0.needsWorker } ?? false
    }
}
