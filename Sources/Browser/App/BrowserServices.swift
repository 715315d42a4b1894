package import SpyglassBatch
package import SpyglassCatalog
package import SpyglassFetching
package import SpyglassFiles
package import SpyglassPipeline
package import SpyglassTerminalUI

package struct BrowserServices: Sendable {
    /// Returns the backend of a source; called once per source, by the loop.
    package var backend: @Sendable (_ source: String) throws -> BrowserBackend
    package var explain: @Sendable (any Error, BrowserSearch) async -> BrowserError
    /// Returns the pipeline for the pictures of the home screen, which uses no network; the same one in every call.
    package var home: @Sendable () throws -> ImagePipeline? = { nil }
    /// Returns the searches whose first page is in the disk cache.
    package var cached: @Sendable ([RecentSearch]) async -> [RecentSearch] = { _ in [] }
    /// Stores a change; may block, and throws an error that describes itself in one line.
    package var store: @Sendable (StateChange) throws -> Void
    /// Opens the address of a page, or an absolute path.
    package var open: @Sendable ([UInt8]) throws(BrowserError) -> Void
    /// Made when the first picture of the web is opened in the desktop's viewer, and removed at the end.
    package var viewFolder: String?
    /// Without it nothing goes to the trash.
    package var trash: Trash?
    package var clock: any Clock<Duration>
    /// For the pixel protocols; without them pictures are characters.
    package var codecs: PixelCodecs?
    /// Watches a folder for changes; without it folders are listed again on request only.
    package var watch: (@Sendable ([[UInt8]]) throws -> FolderWatch)?

    package init(
        backend: @escaping @Sendable (_ source: String) throws -> BrowserBackend,
        explain: @escaping @Sendable (any Error, BrowserSearch) async -> BrowserError,
        store: @escaping @Sendable (StateChange) throws -> Void = { _ in },
        open: @escaping @Sendable ([UInt8]) throws(BrowserError) -> Void = DesktopOpener.open,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.backend = backend
        self.explain = explain
        self.store = store
        self.open = open
        self.clock = clock
    }
}

/// A source with its pipeline and its ways to save.
package struct BrowserBackend: Sendable {
    /// Makes the source over `transport`, or over a wrapper of it.
    package var source: @Sendable (any Transport) -> any PhotoSource
    package var transport: any Transport
    package var pipeline: ImagePipeline
    package var size: @Sendable (WebAddress, NetworkReach) async throws -> Int?
    /// Saves an original without overwriting; returns the path that was written.
    package var save: Save
    package var batch: BatchServices
    package var jobs = 1
    package var transfers = 1

    /// Original, path, progress in bytes received and in total.
    package typealias Save =
        @Sendable (ImageSource, SaveTarget, @escaping @Sendable (Int, Int?) -> Void) async throws -> String

    package init(
        source: @escaping @Sendable (any Transport) -> any PhotoSource, transport: any Transport,
        pipeline: ImagePipeline, size: @escaping @Sendable (WebAddress, NetworkReach) async throws -> Int?,
        save: @escaping Save
    ) {
        self.source = source
        self.transport = transport
        self.pipeline = pipeline
        self.size = size
        self.save = save
        batch = BatchServices(transport: transport)
    }
}

/// Where an original is saved; missing folders are made.
package struct SaveTarget: Hashable, Sendable {
    package var path: String
    package var name: String
    /// Whether the path is that of a folder, also if there is none yet.
    package var isFolder: Bool
}

package struct BrowserSearch: Hashable, Sendable {
    package var query: PhotoQuery
    package var source: String
    package var start: PhotoStart

    package init(query: PhotoQuery = PhotoQuery(), source: String, start: PhotoStart = .first) {
        (self.query, self.source, self.start) = (query, source, start)
    }
}

package struct BrowserSetup: Sendable {
    package var traits: TerminalTraits
    package var theme = Theme()
    package var preferences = Preferences()
    package var options = BrowserOptions()
    package var keys = KeyMap.standard
    package var history: [RecentSearch] = []
    package var place: SavedPlace?
    package var marks: [PhotoMark] = []
    package var commands: [String] = []
    package var seen: [HomePhoto] = []
    /// Pictures that came with the program.
    package var homeOffers: [HomePhoto] = []
    /// Returns pictures of the archive or of the day; the first frame does not wait for them.
    package var homePhotos: (@Sendable () async -> [HomePhoto])?
    /// The search to begin with; `nil` begins on the home screen.
    package var query: PhotoQuery?
    package var start = PhotoStart.first
    /// Returns the searches of the archive; the first frame does not wait for it.
    package var archived: (@Sendable () async -> [String])?
    /// Limits the screen to less than the terminal's size.
    package var maxSize: CellSize?

    package init(traits: TerminalTraits) { self.traits = traits }
}

package enum BrowserEnd: Hashable, Sendable {
    /// The user quit, with the photos that were picked.
    case quit([Photo])
    /// A termination signal; state has been stored.
    case signal(Int32)
    case closed
}
