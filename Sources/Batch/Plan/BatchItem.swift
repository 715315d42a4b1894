package import SpyglassFetching
package import SpyglassJSON
package import SpyglassPixels

package struct BatchItem: Hashable, Sendable {
    package enum Source: Hashable, Sendable {
        case file(String)
        case address(WebAddress)
    }

    /// Its position in the order of the inputs, from 0.
    package var number: Int
    /// The path relative to its operand, the URL, or the id of a manifest or a search.
    package var id: String
    package var source: Source
    /// The path of a file whose name is not UTF-8; else `nil`.
    package var pathBytes: [UInt8]?
    /// The last components of the path that a walk has found; no link among them is followed.
    package var walkedParts = 0
    /// Where its URL comes from: the user, or a service on the Internet.
    package var trust = NetworkReach.any
    /// The path or the URL as reports show it, without secrets.
    package var shownSource: String
    /// The source as a manifest has it, which may repeat an id; else empty, so that an input folder may move.
    package var manifestSource = ""
    /// The `{stem}` of its output names: a file's name without its extension, or the id.
    package var stem: String
    /// Path components below the output folder, from the input folder.
    package var folders: [String] = []
    package var sizes: [OutputSize] = []
    package var template: NameTemplate?
    /// The part that a crop keeps; `nil` for that of the job.
    package var focus: Focus?
    package var rights = ItemReport.Rights()
    /// The text that describes it.
    package var caption: String?
    /// The other members of its manifest line.
    package var columns: [JSONValue.Member] = []
    /// The SHA-256 that its bytes must have, in hexadecimal digits.
    package var expectedHash: String?
    /// Whether the item comes from a list of addresses, for which `X-Robots-Tag` counts.
    package var isListed = false
}

package enum PlannedItem: Hashable, Sendable {
    case item(BatchItem)
    /// An invalid line or operand, or an output name that is already used.
    case failed(number: Int, id: String, shownSource: String, BatchError)
    /// An item of another shard, or a repeated one; only its number is used.
    case excluded

    /// The id, for its shard and its place in a tar file; `nil` for an excluded item.
    var id: String? {
        switch self {
        case .item(let item): item.id
        case .failed(_, let id, _, _): id
        case .excluded: nil
        }
    }

    /// The address to fetch; `nil` without one.
    var address: WebAddress? {
        guard case .item(let item) = self, case .address(let address) = item.source else { return nil }
        return address
    }
}

package protocol BatchFeed: Sendable {
    /// `nil` if it is unknown.
    var count: Int? { get }
    /// The files that walks left out, by kind: `["RAW": 2]`.
    var leftOut: [String: Int] { get }
    /// The next item, in order; `nil` at the end. Called by one task at a time.
    func next() async throws -> PlannedItem?
}

extension BatchFeed {
    package var leftOut: [String: Int] { [:] }
}
