package import SpyglassCatalog

/// Chosen photos of sources and folders, in their order; equal names get a number.
package actor PhotoFeed: BatchFeed {
    private let photo: @Sendable (Int) async throws -> Photo
    private let failure: @Sendable (any Error) async -> BatchError
    private let job: BatchJob
    private let photoCount: Int
    private var number = 0
    private var stems: Set<String> = []
    package nonisolated var count: Int? { photoCount }

    /// `photo` returns a photo with all its files, by its number, when it is its turn; `failure` explains what it throws.
    package init(
        _ count: Int, _ job: BatchJob, failure: @escaping @Sendable (any Error) async -> BatchError,
        photo: @escaping @Sendable (Int) async throws -> Photo
    ) {
        photoCount = count
        self.job = job
        self.failure = failure
        self.photo = photo
    }

    package func next() async throws -> PlannedItem? {
        let number = number
        guard number < photoCount else { return nil }
        self.number += 1
        do {
            var item = try RenditionChoice.item(await photo(number), number: number, for: job.sizes)
            item.stem = freeStem(item.stem)
            return .item(item)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return .failed(number: number, id: "", shownSource: "", await failure(error))
        }
    }

    private func freeStem(_ stem: String) -> String {
        var free = stem
        var number = 1
        while !stems.insert(free).inserted {
            number += 1
            free = "\(stem)-\(number)"
        }
        return free
    }
}
