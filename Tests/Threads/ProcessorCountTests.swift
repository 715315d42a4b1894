import Testing

@testable import SpyglassThreads

@Suite("ProcessorCount")
struct ProcessorCountTests {
    @Test(
        "The bits of Cpus_allowed are counted",
        arguments: [
            ("Name:\tx\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n", 2), ("Cpus_allowed:\tffffffff,00000001\n", 33),
            ("Cpus_allowed:\t0\n", nil), ("Name:\tx\n", nil), ("", nil),
        ] as [(String, Int?)])
    func bits(status: String, count: Int?) {
        #expect(ProcessorCount.allowed(inStatus: status) == count)
    }

    @Test("This process may use at least one processor")
    func own() { #expect(ProcessorCount.usable >= 1) }
}
