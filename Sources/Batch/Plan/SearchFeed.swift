package import SpyglassCatalog
internal import SpyglassFetching

/// The pictures that a search finds, page after page, in the source's order.
///
///     let feed = SearchFeed(PagedPhotos(PhotoQuery("apollo 11"), from: source), limit: 500, job)
///     while let next = try await feed.next() { ... }
///
/// Of every photo the rendition is chosen by the sizes that are asked for (`RenditionChoice`); how far its address may lead is what the source
/// deserves. A photo without a picture is an item that failed.
package actor SearchFeed: BatchFeed {
    private var pages: PagedPhotos
    private let limit: Int?
    private let job: BatchJob
    private let shard: Shard?
    private var number = 0

    /// Nobody knows before the first page, and sources guess.
    package nonisolated var count: Int? { nil }

    /// A search that ends after `limit` photos, or with the results.
    package init(_ pages: PagedPhotos, limit: Int?, _ job: BatchJob, shard: Shard? = nil) {
        self.pages = pages
        self.limit = limit
        self.job = job
        self.shard = shard
    }

    /// The next item.
    ///
    /// - Throws: `BatchError` of kind `unavailable` where a page cannot be had, of kind `usage` where the search itself is at fault;
    ///   `CancellationError`.
    package func next() async throws -> PlannedItem? {
        guard limit.map({ number < $0 }) ?? true, let photo = try await nextPhoto() else { return nil }
        defer { number += 1 }
        guard shard?.contains(photo.id) ?? true else { return .excluded }
        do throws(BatchFailure) {
            return .item(try RenditionChoice.item(photo, number: number, for: job.sizes))
        } catch {
            return .failed(number: number, id: photo.id, shownSource: photo.page?.description ?? "", error)
        }
    }

    private func nextPhoto() async throws -> Photo? {
        // A walk has one owner: nobody else may see it while it waits.
        var walk = pages
        defer { pages = walk }
        do {
            return try await walk.nextPhoto()
        } catch let error as CatalogError {
            throw BatchError(error.kind == .invalidQuery ? .usage : .unavailable, error.description)
        } catch let error as FetchError {
            throw BatchError(.unavailable, error.description)
        }
    }
}
