internal import SpyglassFetching
internal import SpyglassJSON

/// The Collection+JSON of pages and file lists: `{"collection": {"items": […], "metadata": …, "links": …}}`.
struct NASACollection {
    let items: [JSONValue]
    let hasNextLink: Bool
    private let totalHits: JSONValue?
    private let address: WebAddress
    private let trust: AddressTrust

    /// Parses the body of a successful response, with or without the outer object.
    init(_ response: FetchResponse) throws(CatalogError) {
        address = response.address
        trust = .named(in: response)
        let root = try response.json(limit: NASASource.bodyLimit)
        let collection = root["collection"] ?? root
        guard case .array(let items)? = collection["items"] else {
            throw .invalid(from: address.host, "no list of items", at: .endpoint)
        }
        self.items = items
        totalHits = collection["metadata"]?["total_hits"]
        hasNextLink = (collection["links"]?.elements ?? []).contains { $0["rel"]?.text?.lowercased() == "next" }
    }

    func photos(from source: String) throws(CatalogError) -> [Photo] {
        guard items.isEmpty || items.contains(where: { $0["data"] != nil }) else {
            throw .invalid(from: address.host, "\(items.count) items without data")
        }
        var seen: Set<String> = []
        return items.prefix(NASASource.resultCeiling).compactMap { item in
            guard var photo = NASAItem(item, in: address)?.photo(source: source), seen.insert(photo.id).inserted else {
                return nil
            }
            photo.trust = trust
            return photo
        }
    }

    var files: [NASAFile] {
        var seen: Set<WebAddress> = []
        return items.prefix(NASASource.resultCeiling).compactMap { NASAFile($0, in: address) }.filter {
            seen.insert($0.rendition.address).inserted
        }
    }

    /// An integer is exact unless this page holds more, another number an estimate; a single page counts itself.
    func total(page number: Int) -> PhotoPage.Total? {
        guard let count = totalHits?.integer, count >= 0 else {
            return number == 1 && !hasNextLink ? .exact(items.count) : nil
        }
        guard case .number(let digits) = totalHits, Int(digits) != nil, count >= items.count else {
            return .estimate(max(count, items.count))
        }
        return .exact(count)
    }
}
