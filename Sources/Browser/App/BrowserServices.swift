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
    /// Returns those of some searches whose first page is in the disk cache.
    package var cached: @Sendable ([RecentSearch]) async -> [RecentSearch] = { _ in [] }
    package var persistence: BrowserPersistence
    package var open: @Sendable (OpenTarget) throws(BrowserError) -> Void
    /// Made when the first picture of the web is opened in the desktop's viewer, and removed at the end.
    package var viewFolder: String?
    package var clock: any Clock<Duration>
    /// For the pixel protocols; without them pictures are characters.
    package var codecs: PixelCodecs?
    /// Watches a folder for changes; without it folders are listed again on request only.
    package var watch: (@Sendable ([[UInt8]]) throws -> FolderWatch)?

    package init(
        backend: @escaping @Sendable (_ source: String) throws -> BrowserBackend,
        explain: @escaping @Sendable (any Error, BrowserSearch) async -> BrowserError,
        persistence: BrowserPersistence = BrowserPersistence(),
        open: @escaping @Sendable (OpenTarget) throws(BrowserError) -> Void = DesktopOpener.open,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.backend = backend
        self.explain = explain
        self.persistence = persistence
        self.open = open
        self.clock = clock
    }
}

package struct BrowserBackend: Sendable {
    /// Makes the source over `transport`, or over a wrapper of it.
    package var source: @Sendable (any Transport) -> any PhotoSource
    package var transport: any Transport
    package var pipeline: ImagePipeline
    package var size: @Sendable (WebAddress, AddressTrust) async throws -> Int?
    /// Saves an original without overwriting; returns the path that was written.
    package var save: Save
    /// Makes resized copies.
    package var export: Export

    /// Original, path, progress in bytes received and in total.
    package typealias Save =
        @Sendable (ImageSource, SaveTarget, @escaping @Sendable (Int, Int?) -> Void) async throws -> String

    /// Job, progress in items.
    package typealias Export = @Sendable (ExportJob, @escaping @Sendable (Int) -> Void) async throws -> SaveOutcome

    package init(
        source: @escaping @Sendable (any Transport) -> any PhotoSource, transport: any Transport,
        pipeline: ImagePipeline, size: @escaping @Sendable (WebAddress, AddressTrust) async throws -> Int?,
        save: @escaping Save, export: @escaping Export
    ) {
        self.source = source
        self.transport = transport
        self.pipeline = pipeline
        self.size = size
        self.save = save
        self.export = export
    }
}

/// Where an original is saved; missing folders are made.
package struct SaveTarget: Hashable, Sendable {
    /// Of a folder, or of a file.
    package var path: String
    /// The name of the file in a folder.
    package var name: String
    /// Whether the path is that of a folder, also if none is there yet.
    package var isFolder: Bool
}

/// What the desktop opens.
package enum OpenTarget: Hashable, Sendable {
    case page(WebAddress)
    /// An absolute path.
    case file([UInt8])
}

package struct BrowserSearch: Hashable, Sendable {
    package var query: PhotoQuery
    package var source: String
    package var start: PhotoStart

    package init(query: PhotoQuery = PhotoQuery(), source: String, start: PhotoStart = .first) {
        self.query = query
        self.source = source
        self.start = start
    }
}

/// Stores what survives a run; every call may block, and throws an error that describes itself in one line.
package struct BrowserPersistence: Sendable {
    package var rememberSearch: @Sendable (RecentSearch) throws -> Void = { _ in }
    package var savePlace: @Sendable (SavedPlace?) throws -> Void = { _ in }
    /// Stores photos before those that are stored.
    package var keepSeen: @Sendable ([HomePhoto]) throws -> Void = { _ in }
    package var keepAnswers: @Sendable (TerminalAnswers) throws -> Void = { _ in }
    package var keepPreferences: @Sendable (Preferences) throws -> Void = { _ in }
    package var keepMarks: @Sendable (MarkChanges) throws -> Void = { _ in }

    package init() {}
}

package struct BrowserSetup: Sendable {
    package var traits: TerminalTraits
    package var theme = Theme()
    package var preferences = Preferences()
    package var options = BrowserOptions()
    package var history: [RecentSearch] = []
    package var place: SavedPlace?
    package var marks: [PhotoMark] = []
    package var seen: [HomePhoto] = []
    /// Pictures that came with the program.
    package var homeOffers: [HomePhoto] = []
    /// Returns better ones, those of the archive or of the day; the first frame does not wait for them.
    package var homePhotos: (@Sendable () async -> [HomePhoto])?
    /// The search to begin with; `nil` begins on the home screen.
    package var query: PhotoQuery?
    package var start = PhotoStart.first
    package var fidelity = Fidelity.auto
    package var usesScrollRegion = true
    /// Returns the searches of the archive; the first frame does not wait for it.
    package var archived: (@Sendable () async -> [String])?
    /// Limits the screen to less than the terminal's size.
    package var maxSize: CellSize?

    package init(traits: TerminalTraits) { self.traits = traits }
}

package enum BrowserEnd: Hashable, Sendable {
    case quit
    /// A termination signal; state has been stored.
    case signal(Int32)
    case closed
}
