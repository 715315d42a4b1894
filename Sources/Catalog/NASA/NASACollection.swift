internal import SpyglassFetching
internal import SpyglassJSON

/// The Collection+JSON envelope of every page and file list: `{"collection": {"items": […], "metadata": …, "links": …}}`.
struct NASACollection {
    let items: [JSONValue]
    /// Whether the service says that another page follows.
    let hasNextLink: Bool
    /// `metadata.total_hits`, whatever its type.
    private let totalHits: JSONValue?
    private let address: WebAddress
    private let trust: AddressTrust

    /// Reads the body of a successful answer.
    ///
    /// A bare `collection` object, as some mirrors store it, will do.
    init(_ response: FetchResponse) throws(CatalogError) {
        address = response.address
        trust = .named(in: response)
        let root = try Self.json(of: response)
        let collection = root["collection"] ?? root
        guard case .array(let items)? = collection["items"] else {
            throw CatalogError(
                .invalidResponse,
                "\(address.host) answered with JSON that has no list of items", at: .endpoint)
        }
        self.items = items
        totalHits = collection["metadata"]?["total_hits"]
        hasNextLink = (collection["links"]?.elements ?? []).contains { $0["rel"]?.text?.lowercased() == "next" }
    }

    /// The photos, in the answer's order; without those that have no id, and without repeated ids.
    ///
    /// - Throws: `CatalogError` when there are items, but not one of them is an object with data.
    func photos(from source: String) throws(CatalogError) -> [Photo] {
        guard items.isEmpty || items.contains(where: { $0["data"] != nil }) else {
            throw CatalogError(.invalidResponse, "\(address.host) answered with \(items.count) items that hold no data")
        }
        var seen: Set<String> = []
        // No page can hold more than the whole search may show.
        return items.prefix(NASASource.resultCeiling).compactMap { item in
            guard var photo = NASAItem(item, in: address)?.photo(source: source), seen.insert(photo.id).inserted else {
                return nil
            }
            photo.trust = trust
            return photo
        }
    }

    /// The items of `/asset/{id}`: one `href` each; the asset host's own lists are bare strings.
    var files: [NASAFile] {
        var seen: Set<WebAddress> = []
        return items.prefix(NASASource.resultCeiling).compactMap { NASAFile($0, in: address) }.filter {
            seen.insert($0.rendition.address).inserted
        }
    }

    /// How many results there are; `number` is this page's.
    ///
    /// A count that NASA wrote as an integer is exact, unless this page alone holds more; anything else that reads as a
    /// number is an estimate. Without a count, a single page counts itself.
    func total(page number: Int) -> PhotoPage.Total? {
        guard let count = totalHits?.integer, count >= 0 else {
            return number == 1 && !hasNextLink ? .exact(items.count) : nil
        }
        guard case .number(let digits) = totalHits, Int(digits) != nil, count >= items.count else {
            return .estimate(max(count, items.count))
        }
        return .exact(count)
    }

    private static func json(of response: FetchResponse) throws(CatalogError) -> JSONValue {
        let host = response.address.host
        let body = response.body
        guard body.count <= NASASource.answerLimit else {
            throw CatalogError(
                .invalidResponse, "\(host) answered with more than \(NASASource.answerLimitInWords)")
        }
        switch body.first(where: { $0 > 0x20 }) {
        case nil:
            throw CatalogError(
                .invalidResponse, "\(host) answered with nothing (HTTP \(response.status)); try again later")
        case UInt8(ascii: "<"):
            throw CatalogError(
                .invalidResponse,
                "\(host) answered with a web page instead of JSON; is a proxy or a log-in page in between?")
        default: break
        }
        do {
            return try JSONValue(parsing: body)
        } catch {
            throw CatalogError(
                .invalidResponse, "\(host) answered with broken JSON: \(error) (byte \(error.offset)); try again later")
        }
    }
}
