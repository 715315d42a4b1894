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
    case failed(number: Int, id: String, shownSource: String, BatchFailure)
    /// An item that belongs to another shard, or that came before: it counts for nothing but its place.
    case elsewhere
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

/// Why one item failed, as its report line says.
package struct BatchFailure: Error, Hashable, Sendable {
    /// What a program can tell apart; the word in the report is the case's name in snake case.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The file is not there, or may not be read.
        case unreadable
        /// There are no bytes.
        case empty
        /// The bytes are no picture.
        case notAnImage = "not_an_image"
        /// A format that is not read.
        case unsupported
        /// Damaged beyond use, or cut where only whole pictures count.
        case corrupt
        /// More than a limit allows.
        case limit
        /// The address did not answer, or badly.
        case fetch
        /// The server says that there is nothing.
        case notFound = "not_found"
        /// Another item's output, or a file that is not ours, has the name.
        case collision
        /// The result cannot be written.
        case unwritable
        /// A broken line of a manifest, or an operand that can be no picture.
        case input
        /// The run was stopped.
        case cancelled
        /// A fault of ours.
        case `internal`
    }

    package var kind: Kind
    /// One line for people, clean of control characters.
    package var message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}

/// Why the batch as a whole cannot go on.
package struct BatchError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The command line must change.
        case usage
        /// The output folder, the manifest or the search cannot be used: worth another try.
        case unavailable
    }

    package var kind: Kind
    package var message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}
