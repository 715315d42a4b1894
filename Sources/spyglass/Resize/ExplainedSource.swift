import SpyglassCatalog
import SpyglassFetching
import SpyglassThreads

/// A source whose errors name options, and whose search ends where an archive has no further pages.
final class ExplainedSource: PhotoSource {
    private let base: any PhotoSource
    private let settings: Settings
    private let archive: ArchiveTransport?
    private let hasResponded = Mutex(false)

    init(_ base: any PhotoSource, _ settings: Settings, archive: ArchiveTransport?) {
        self.base = base
        self.settings = settings
        self.archive = archive
    }

    var name: String { base.name }
    var filters: [PhotoFilter] { base.filters }

    func page(of query: PhotoQuery, at cursor: PageCursor?) async throws -> PhotoPage {
        do {
            let page = try await base.page(of: query, at: cursor)
            hasResponded.withLock { $0 = true }
            return page
        } catch let error as FetchError where error.kind == .notRecorded {
            guard hasResponded.withLock({ $0 }) else {
                throw await settings.missing(query, at: .page(settings.page), from: archive, error)
            }
            return PhotoPage(photos: [])
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw Failure(error) ?? error
        }
    }

    func cursor(for start: PhotoStart) -> PageCursor? { base.cursor(for: start) }

    func renditions(of photo: Photo) async throws -> Photo { try await base.renditions(of: photo) }
}
