import Testing

@testable import SpyglassFetching

@Suite("BodyPool", .timeLimit(.minutes(10)))
struct BodyPoolTests {
    private func address(_ body: [UInt8]) -> UnsafeRawPointer? { body.withUnsafeBytes { $0.baseAddress } }

    /// Takes a body, fills and keeps it, and returns it.
    private func fill(_ pool: BodyPool, _ count: Int, _ byte: UInt8) -> [UInt8] {
        var body = pool.take(capacity: count)
        body.append(contentsOf: repeatElement(byte, count: count))
        pool.keep(body)
        return body
    }

    @Test("A body that its caller holds never changes")
    func held() {
        let pool = BodyPool()
        let bodies = (0..<200).map { fill(pool, 4000, UInt8($0)) }
        for (index, body) in bodies.enumerated() {
            #expect(body == [UInt8](repeating: UInt8(index), count: 4000))
        }
    }

    #if !THREAD_SANITIZER
        @Test("Memory that callers have released is used again")
        func released() {
            let pool = BodyPool()
            for capacity in [40_000, 64 << 10] {
                let places = (0..<10 * BodyPool.maxCount).map { _ in address(fill(pool, capacity, 1)) }
                // The pool still holds the memory, so that no other allocation can have its place.
                #expect(
                    places[(2 * BodyPool.maxCount)...].elementsEqual(
                        places.dropFirst(BodyPool.maxCount).dropLast(BodyPool.maxCount)))
                pool.keep([])
            }
        }
    #endif

    @Test("A small body gets no large memory")
    func small() {
        let pool = BodyPool()
        for _ in 0..<100 { _ = fill(pool, 60_000, 1) }
        #expect(pool.take(capacity: 1000).capacity < 4000)
        #expect(pool.take(capacity: 60_000).isEmpty)
    }
}
