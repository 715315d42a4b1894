import SpyglassFetching
import Testing

@testable import SpyglassBatch

extension BatchItem {
    /// A file, named as by a walk.
    static func sample(_ id: String = "m31.jpg", stem: String? = nil, number: Int = 0, folders: [String] = []) -> Self {
        var item = BatchItem(number: number, id: id, source: .file(id), shownSource: id, stem: stem ?? id)
        item.folders = folders
        return item
    }
}

extension BatchJob {
    static func sample(_ sizes: String..., format: Format = .same, name: String? = nil) throws -> BatchJob {
        var job = BatchJob(sizes: sizes.compactMap { OutputSize($0) })
        job.format = format
        job.template = try name.map { try NameTemplate(parsing: $0) }
        return job
    }
}

extension BatchFeed {
    /// All items.
    func all() async throws -> [PlannedItem] {
        var items: [PlannedItem] = []
        while let next = try await next() { items.append(next) }
        return items
    }
}

extension PlannedItem {
    var item: BatchItem? { if case .item(let item) = self { item } else { nil } }
    var failure: BatchError? { if case .failed(_, _, _, let failure) = self { failure } else { nil } }
    /// The id, or the kind of the failure.
    var shown: String {
        switch self {
        case .item(let item): item.id
        case .failed(_, let id, _, let failure): "\(id): \(failure.kind)"
        case .excluded: "excluded"
        }
    }
}

/// The error that `body` throws, if any.
func batchError<Value>(_ body: () throws -> Value) -> BatchError? {
    do {
        _ = try body()
        return nil
    } catch { return only(error) }
}

private func only(_ error: any Error) -> BatchError? {
    if !(error is BatchError) { Issue.record(error) }
    return error as? BatchError
}

func asyncBatchError<Value>(_ body: () async throws -> Value) async -> BatchError? {
    do {
        _ = try await body()
        return nil
    } catch { return only(error) }
}
