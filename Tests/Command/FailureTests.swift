import SpyglassCatalog
import SpyglassFetching
import SpyglassTerminalUI
import Testing

@testable import spyglass

@Suite("Failure", .timeLimit(.minutes(10)))
struct FailureTests {
    @Test("A source's error is a usage error if it names an option")
    func catalog() {
        #expect(Failure(CatalogError(.invalidQuery, "no such page"))?.code == .usage)
        #expect(Failure(CatalogError(.unavailable, "busy"))?.code == .unavailable)
        #expect(Failure(CatalogError(.invalidResponse, "no JSON"))?.code == .unavailable)
    }

    @Test("A failed fetch exits 3")
    func fetch() {
        #expect(Failure(FetchError(.timedOut, "nothing came"))?.code == .unavailable)
        #expect(Failure(FetchError(.unavailable, "no libcurl"))?.code == .unavailable)
    }

    @Test("An exceeded limit is a usage error that names the option")
    func limits() {
        let large = Failure(FetchError(.tooLarge, "it has 3 bytes", exceededLimit: .body))
        #expect(large == Failure(.usage, "it has 3 bytes (raise the limit with --max-bytes)"))
        let still = Failure(FetchError(.timedOut, "no progress for 2 s", exceededLimit: .stall))
        #expect(still == Failure(.unavailable, "no progress for 2 s (wait longer with --timeout)"))
        let late = Failure(FetchError(.timedOut, "not complete after 2 s", exceededLimit: .deadline))
        #expect(late?.message.hasSuffix("(wait longer with --timeout)") == true)
        let slow = Failure(FetchError(.timedOut, "less than 9 bytes a second", exceededLimit: .rate))
        #expect(slow?.message.hasSuffix("(try again later)") == true)
    }

    @Test(
        "A source's error names the option of its subject",
        arguments: [CatalogError.Subject.text, .filter("center"), .endpoint])
    func subjects(subject: CatalogError.Subject) {
        let message = Failure(CatalogError(.invalidQuery, "no", at: subject))?.message ?? ""
        #expect(message.contains(subject == .text ? "the search words" : "--"))
    }

    @Test("A closed output is not a failure")
    func closed() {
        #expect(Failure(TerminalError.outputClosed) == nil)
    }

    @Test("An unknown error is an internal error")
    func unknown() {
        struct Surprise: Error {}
        let failure = Failure(Surprise())
        #expect(failure?.code == .internalError)
        #expect(failure?.message.contains("please report it") == true)
    }
}
