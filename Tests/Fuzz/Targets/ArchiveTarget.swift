@testable import SpyglassFetching

/// Any index of an archive: entries for all its addresses, or an error in one line.
enum ArchiveTarget {
    static func run(_ input: [UInt8]) {
        do throws(FetchError) {
            let index = try ArchiveIndex(input, name: "index.jsonl", addressLimit: 50)
            let addresses = try index.results(of: \.text).compactMap { WebAddress($0) }
            precondition(index.count <= min(addresses.count, 50) && index.hosts.count <= 4)
            for address in addresses { try expectEntry(of: address, index) }
        } catch {
            expectOneLine(error)
        }
    }

    /// An entry with an invalid status or headers is an error of its own.
    private static func expectEntry(of address: WebAddress, _ index: ArchiveIndex) throws(FetchError) {
        guard let (entry, place) = try index.entry(for: address) else {
            preconditionFailure("an address without entry")
        }
        precondition((100...599).contains(entry.status) && place.hasPrefix("index.jsonl, line "))
        let again = try ArchiveIndex(Array("\(entry.line)\n".utf8), name: "again")
        let line = try again.entry(for: address)?.0.line
        precondition(line == entry.line, "another entry after writing it")
    }
}
