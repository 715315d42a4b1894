package import SpyglassCatalog
package import SpyglassFetching
package import SpyglassPipeline

/// What the browser needs of the world, given by the program.
package struct BrowserServices: Sendable {
    /// Where the photos of a source come from, by its name; asked for once a source, by the loop.
    package var backend: @Sendable (_ source: String) throws -> BrowserBackend
    /// What an error of a search means for people.
    package var explain: @Sendable (any Error, BrowserSearch) async -> BrowserProblem
    /// What is remembered from run to run.
    package var persistence: BrowserPersistence
    /// Has the user's own program show a page; throws what `explain` is not asked about, with one line for people.
    package var open: @Sendable (WebAddress) throws(OpeningError) -> Void
    /// What waits are measured on.
    package var clock: any Clock<Duration>

    package init(
        backend: @escaping @Sendable (_ source: String) throws -> BrowserBackend,
        explain: @escaping @Sendable (any Error, BrowserSearch) async -> BrowserProblem,
        persistence: BrowserPersistence = BrowserPersistence(),
        open: @escaping @Sendable (WebAddress) throws(OpeningError) -> Void = PageOpener.open,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.backend = backend
        self.explain = explain
        self.persistence = persistence
        self.open = open
        self.clock = clock
    }
}

/// Where the photos and pictures of one source come from.
package struct BrowserBackend: Sendable {
    /// The source over a transport: the supply's own, or one that wraps it.
    package var source: @Sendable (any Transport) -> any PhotoSource
    package var transport: any Transport
    package var pipeline: ImagePipeline
    /// How many bytes a file has, if that can be known.
    package var size: @Sendable (WebAddress, AddressTrust) async throws -> Int?
    /// Saves a file without overwriting, telling how much of it is there; the path that was written.
    package var save: Save

    /// Address, trust, path, and who is told of bytes received and of how many there are.
    package typealias Save =
        @Sendable (WebAddress, AddressTrust, String, @escaping @Sendable (Int, Int?) -> Void) async throws -> String

    package init(
        source: @escaping @Sendable (any Transport) -> any PhotoSource, transport: any Transport,
        pipeline: ImagePipeline, size: @escaping @Sendable (WebAddress, AddressTrust) async throws -> Int?,
        save: @escaping Save
    ) {
        self.source = source
        self.transport = transport
        self.pipeline = pipeline
        self.size = size
        self.save = save
    }
}

/// What was asked for when an error came, to explain it.
package struct BrowserSearch: Hashable, Sendable {
    package var query: PhotoQuery
    package var source: String
    /// Where reading started.
    package var start: PhotoStart

    package init(query: PhotoQuery = PhotoQuery(), source: String, start: PhotoStart = .first) {
        self.query = query
        self.source = source
        self.start = start
    }
}

/// Why something did not work, as the program says it.
package struct BrowserProblem: Hashable, Sendable {
    /// One line: what, where and why.
    package var reason: String
    /// Whether trying again may help.
    package var canRetry: Bool
    /// What an archive holds instead, when that is why.
    package var archiveHolds: [String]?

    package init(_ reason: String, canRetry: Bool = true, archiveHolds: [String]? = nil) {
        self.reason = reason
        self.canRetry = canRetry
        self.archiveHolds = archiveHolds
    }
}

/// What is remembered from run to run; every call may block, and throws one line for people.
package struct BrowserPersistence: Sendable {
    /// Remembers a search as the newest.
    package var rememberSearch: @Sendable (String) throws -> Void
    package var keepPlace: @Sendable (SavedPlace?) throws -> Void
    package var keepPreferences: @Sendable (Preferences) throws -> Void

    /// A memory that forgets everything, unless said otherwise.
    package init(
        rememberSearch: @escaping @Sendable (String) throws -> Void = { _ in },
        keepPlace: @escaping @Sendable (SavedPlace?) throws -> Void = { _ in },
        keepPreferences: @escaping @Sendable (Preferences) throws -> Void = { _ in }
    ) {
        self.rememberSearch = rememberSearch
        self.keepPlace = keepPlace
        self.keepPreferences = keepPreferences
    }
}
