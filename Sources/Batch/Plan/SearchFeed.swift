package import SpyglassCatalog
internal import SpyglassFetching

/// The photos that a search finds, page after page, in the source's order; a photo without an image is a failed item.
package actor SearchFeed: BatchFeed {
    private var pages: PagedPhotos
    private let limit: Int?
    private let job: BatchJob
    private let shard: Shard?
    private var number = 0
    /// `nil`: sources tell their total after the first page, and estimate it.
    package nonisolated var count: Int? { nil }

    package init(_ pages: PagedPhotos, limit: Int?, _ job: BatchJob, shard: Shard? = nil) {
        (self.pages, self.limit, self.job, self.shard) = (pages, limit, job, shard)
    }

    /// An archive that lacks a page after the first item ends the feed; otherwise throws as `PagedPhotos.nextPhoto()`.
    package func next() async throws -> PlannedItem? {
        guard limit.map({ number < $0 }) ?? true, var photo = try await nextPhoto() else { return nil }
        defer { number += 1 }
        guard shard?.contains(photo.id) ?? true else { return .excluded }
        if photo.lacksFiles, RenditionChoice.address(of: photo, for: job.sizes) != photo.thumbnail {
            // The original serves without them, but is large.
            photo = (try? await pages.source.renditions(of: photo)) ?? photo
            try Task.checkCancellation()
        }
        do throws(BatchError) {
            return .item(try RenditionChoice.item(photo, number: number, for: job.sizes))
        } catch {
            return .failed(number: number, id: photo.id, shownSource: photo.page?.description ?? "", error)
        }
    }

    private func nextPhoto() async throws -> Photo? {
        // Another task must not use the walk while it waits.
        var walk = pages
        defer { pages = walk }
        do {
            return try await walk.nextPhoto()
        } catch let error as FetchError where error.kind == .notRecorded && number > 0 {
            return nil
        }
    }
}
