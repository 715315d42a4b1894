internal import SpyglassCatalog
internal import SpyglassFetching

/// Which file of a photo results are made of.
enum RenditionChoice {
    /// A photo as an item.
    ///
    /// - Throws: `BatchError` of kind `notFound` where it has no picture that can be read.
    static func item(_ photo: Photo, number: Int, for sizes: [OutputSize]) throws(BatchError) -> BatchItem {
        guard let address = address(of: photo, for: sizes) else {
            throw BatchError(.notFound, "the source has no JPEG or PNG of it")
        }
        var item = BatchItem(
            number: number, id: photo.id, source: .address(address), shownSource: address.description, stem: photo.id)
        item.trust = photo.trust
        return item
    }

    /// The smallest rendition that is at least as large as the largest size in both directions, else the largest.
    ///
    /// Of renditions whose size nobody says, the original counts as larger than all that are known, others as smaller.
    static func address(of photo: Photo, for sizes: [OutputSize]) -> WebAddress? {
        let width = sizes.compactMap(\.width).max() ?? 1
        let height = sizes.compactMap(\.height).max() ?? 1
        let pictures = photo.renditions.filter { isPicture($0.address) }
        let known = pictures.compactMap { rendition -> (address: WebAddress, isEnough: Bool, area: Int)? in
            guard let across = rendition.width, let down = rendition.height, across > 0, down > 0 else { return nil }
            let (area, overflows) = across.multipliedReportingOverflow(by: down)
            return (rendition.address, across >= width && down >= height, overflows ? .max : area)
        }
        if let smallest = known.filter(\.isEnough).min(by: { $0.area < $1.area }) { return smallest.address }
        let isUnknown = { (rendition: Rendition) in rendition.width == nil || rendition.height == nil }
        // NASA calls it so.
        if let original = pictures.first(where: { isUnknown($0) && $0.rel == "canonical" }) { return original.address }
        if let largest = known.max(by: { $0.area < $1.area }) { return largest.address }
        return pictures.first { $0.rel != "preview" }?.address ?? pictures.first?.address
            ?? photo.thumbnail.flatMap { isPicture($0) ? $0 : nil }
    }

    /// Whether an address may lead to a picture that is read, going by its end; one that does not say may.
    private static func isPicture(_ address: WebAddress) -> Bool {
        let name = address.path[(address.path.lastIndex(of: "/") ?? address.path.startIndex)...].utf8
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return true }
        let ending = name[dot...].dropFirst()
        // What is longer, or no word, is no extension.
        let isWord = ending.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) }
        let isEnding = isWord && (2...4).contains(ending.count)
        return !isEnding || PictureEnding(name) != nil
    }
}
