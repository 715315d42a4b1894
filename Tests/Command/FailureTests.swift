import SpyglassCatalog
import SpyglassFetching
import SpyglassTerminalUI
import Testing

@testable import spyglass

@Suite("What errors mean for a command", .timeLimit(.minutes(10)))
struct FailureTests {
    @Test("A source's error that blames an option is wrong usage, any other is worth a retry")
    func catalog() {
        #expect(Failure(CatalogError(.invalidQuery, "no such page"))?.code == .usage)
        #expect(Failure(CatalogError(.unavailable, "busy"))?.code == .unavailable)
        #expect(Failure(CatalogError(.invalidResponse, "no JSON"))?.code == .unavailable)
    }

    @Test("A fetch that failed is worth a retry")
    func fetch() {
        #expect(Failure(FetchError(.timedOut, "nothing came"))?.code == .unavailable)
        #expect(Failure(FetchError(.unavailable, "no libcurl"))?.code == .unavailable)
    }

    @Test("What only a higher limit can mend is wrong usage, and names the option")
    func limits() {
        let large = Failure(FetchError(.tooLarge, "it has 3 bytes", exceededLimit: .body))
        #expect(large == Failure(.usage, "it has 3 bytes (raise the limit with --max-bytes)"))
        let circle = Failure(FetchError(.unavailable, "it goes on", exceededLimit: .redirects))
        #expect(circle == Failure(.usage, "it goes on (raise the limit with --max-redirects)"))
        let still = Failure(FetchError(.timedOut, "no progress for 2 s", exceededLimit: .stall))
        #expect(still == Failure(.unavailable, "no progress for 2 s (wait longer with --timeout)"))
    }

    @Test(
        "What a source blames has the name of its option",
        arguments: [CatalogError.Subject.text, .filter("center"), .page, .endpoint])
    func subjects(subject: CatalogError.Subject) {
        let message = Failure(CatalogError(.invalidQuery, "no", at: subject))?.message ?? ""
        #expect(message.contains(subject == .text ? "the search words" : "--"))
    }

    @Test("A reader that left is no failure")
    func closed() {
        #expect(Failure(TerminalError.outputClosed) == nil)
    }

    @Test("What nobody foresaw is a fault of ours")
    func fault() {
        struct Surprise: Error {}
        let failure = Failure(Surprise())
        #expect(failure?.code == .fault)
        #expect(failure?.message.contains("please report it") == true)
    }
}
