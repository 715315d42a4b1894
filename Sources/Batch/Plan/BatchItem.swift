package import SpyglassFetching

/// One picture of a batch: where it comes from and what it is called.
package struct BatchItem: Hashable, Sendable {
    /// Where a picture comes from.
    package enum Source: Hashable, Sendable {
        /// A regular file, by its path.
        case file(String)
        /// An address.
        case address(WebAddress)
    }

    /// Its position in the order of the inputs, from 0.
    package var number: Int
    /// What tells it from others: the path relative to its argument, the address, or what a manifest says.
    package var id: String
    /// Where it comes from.
    package var source: Source
    /// The path of a file whose name is not UTF-8, as it is; `nil` where `source` says it.
    package var pathBytes: [UInt8]?
    /// How far its address may lead: the user's own word, or that of a service on the Internet.
    package var trust = AddressTrust.user
    /// `source` as reports show it: the path or the address, secrets left out.
    package var shownSource: String
    /// What tells pictures of one id apart, of a manifest that names it twice: the source as it was written; else empty, so that a
    /// folder may be moved.
    package var place = ""
    /// The stem of its default name: a file's name without its extension, or the id.
    package var stem: String
    /// Folders under the output folder in which its results stand, from the tree that was walked; each is one path component.
    package var folders: [String] = []
    /// Sizes of its own, instead of the job's; empty for the job's.
    package var sizes: [OutputSize] = []
    /// A name template of its own.
    package var template: NameTemplate?

    package init(number: Int, id: String, source: Source, shownSource: String, stem: String) {
        self.number = number
        self.id = id
        self.source = source
        self.shownSource = shownSource
        self.stem = stem
    }
}

/// What a list of inputs gives next: a picture, or an item that failed before it was one.
package enum PlannedItem: Hashable, Sendable {
    case item(BatchItem)
    /// A line of a manifest that is none, an operand that names nothing, two files that claim one name.
    case failed(number: Int, id: String, shownSource: String, BatchError)
    /// An item that belongs to another shard, or that came before: it counts for nothing but its place.
    case excluded
}

/// Where the items of a batch come from, one after the other; memory does not grow with their number.
package protocol BatchFeed: Sendable {
    /// How many there will be, where that is known beforehand.
    var count: Int? { get }
    /// The next item, in order; `nil` at the end. Called by one task at a time.
    ///
    /// - Throws: `BatchError` when the rest cannot be had (a search that fails, a manifest that cannot be read).
    func next() async throws -> PlannedItem?
}
