import SpyglassCatalog
import SpyglassFetching
import SpyglassTerminalUI
import Testing

@testable import spyglass

@Suite("What errors mean for a command", .timeLimit(.minutes(1)))
struct FailureTests {
    @Test("A source's error that blames an option is wrong usage, any other is worth a retry")
    func catalog() {
        #expect(Failure(CatalogError(.option, "no such page"))?.code == .usage)
        #expect(Failure(CatalogError(.refused, "busy"))?.code == .unavailable)
        #expect(Failure(CatalogError(.unusable, "no JSON"))?.code == .unavailable)
    }

    @Test("A fetch that failed is worth a retry")
    func fetch() {
        #expect(Failure(FetchError(.timedOut, "nothing came"))?.code == .unavailable)
        #expect(Failure(FetchError(.unavailable, "no libcurl"))?.code == .unavailable)
    }

    @Test("A reader that left is no failure")
    func closed() {
        #expect(Failure(StreamError.closed) == nil)
    }

    @Test("What nobody foresaw is a fault of ours")
    func fault() {
        struct Surprise: Error {}
        let failure = Failure(Surprise())
        #expect(failure?.code == .fault)
        #expect(failure?.message.contains("please report it") == true)
    }
}
