import Glibc

@testable import SpyglassBatch
@testable import SpyglassCodecs

/// Any manifest: an item or one failure a line, numbered in order, within the limits.
enum ManifestTarget {
    static func run(_ input: [UInt8]) async {
        let path = "\(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")/spyglass-fuzz-\(getpid())-manifest"
        let file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        unlink(path)
        defer { close(file) }
        precondition(file >= 0 && write(file, input, input.count) == input.count && lseek(file, 0, SEEK_SET) == 0)
        var number = 0
        let isCompressed = input.starts(with: Inflater.signature)
        do {
            let feed = try ManifestFeed(reading: file, BatchJob(sizes: OutputSize("320").map { [$0] } ?? []))
            while let item = try await feed.next() {
                expectBounded(item, number)
                number += 1
            }
        } catch {
            // Damaged gzip data ends the run; a file that is not a list is refused before it.
            let kind = (error as? BatchError)?.kind
            precondition(kind == .unavailable && isCompressed || kind == .usage && number == 0, "\(error)")
        }
        let lines = input.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } + 1
        precondition(isCompressed || number <= lines, "more items than lines")
    }

    private static func expectBounded(_ item: PlannedItem, _ number: Int) {
        switch item {
        case .item(let item):
            precondition(item.number == number && !item.id.isEmpty && item.id.utf8.count <= 4096)
            precondition(item.sizes.count <= OutputSize.maxPerItem && Set(item.sizes).count == item.sizes.count)
        case .failed(let given, let id, _, let error):
            precondition(given == number && !id.isEmpty && id.utf8.count <= 4096)
            precondition(!error.message.isEmpty && !error.message.contains("\n"))
        case .excluded: preconditionFailure("nothing was excluded")
        }
    }
}
