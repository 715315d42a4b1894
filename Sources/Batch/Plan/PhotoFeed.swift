package import SpyglassCatalog
internal import SpyglassPixels

/// Chosen photos of sources and folders, in their order; names end with the size of the copy, and equal ones get a number.
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
            let photo = try await photo(number)
            var item = try RenditionChoice.item(photo, number: number, for: job.sizes)
            item.stem = freeStem("\(item.stem)-\(sizeName(of: photo))")
            return .item(item)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return .failed(number: number, id: "", shownSource: "", await failure(error))
        }
    }

    /// The size of a photo's copy: `1600`, its longer side, for a square box, else `1600x900`; as requested if it is unknown.
    private func sizeName(of photo: Photo) -> String {
        guard let size = job.sizes.first else { return "copy" }
        let isSquare = size.width != nil && size.width == size.height
        let largest = photo.renditions.compactMap { PixelSize(checking: $0.width ?? 0, $0.height ?? 0) }
            .max { $0.pixelCount < $1.pixelCount }
        guard let whole = PixelSize(checking: photo.width ?? 0, photo.height ?? 0) ?? largest else {
            return isSquare ? size.nameOfWidth : size.name
        }
        let real = job.target(of: size).size(for: whole)
        return isSquare ? "\(max(real.width, real.height))" : "\(real)"
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
