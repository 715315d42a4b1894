/// The memory of the last bodies, for the next ones once their callers have released it; used on the loop's thread.
///
/// Callers on other threads would free it into this thread's arena, which returns pages to the system and gets them again.
final class BodyPool {
    /// Above the first capacity of a body of unknown length, which the allocator rounds up; `maxCount` of these bound the memory.
    static let maxCapacity = 80 << 10
    /// Those whose callers were resumed, and those that they have not released yet.
    static let maxCount = 48
    @exclusivity(unchecked) private var bodies = [[UInt8]](repeating: [], count: maxCount)
    /// The body that was kept first.
    @exclusivity(unchecked) private var oldest = 0

    /// An empty body with room for so many bytes, and not for many more.
    func take(capacity: Int) -> [UInt8] {
        var body: [UInt8] = []
        if (capacity...2 * capacity).contains(bodies[oldest].capacity), Self.isUnique(&bodies[oldest]) {
            swap(&body, &bodies[oldest])
            body.removeAll(keepingCapacity: true)
        } else {
            body.reserveCapacity(capacity)
        }
        return body
    }

    func keep(_ body: [UInt8]) {
        guard (1...Self.maxCapacity).contains(body.capacity) else { return }
        bodies[oldest] = body
        oldest = (oldest + 1) % bodies.count
    }

    /// Releases all bodies.
    func removeAll() { for index in bodies.indices { bodies[index] = [] } }

    /// Whether this is the only reference to its storage, which is all that an array consists of.
    private static func isUnique(_ body: inout [UInt8]) -> Bool {
        #if THREAD_SANITIZER
            // It does not see that the last release of another thread happens before this.
            false
        #else
            precondition(MemoryLayout<[UInt8]>.size == MemoryLayout<AnyObject>.size)
            return withUnsafeMutablePointer(to: &body) { body in
                body.withMemoryRebound(to: AnyObject.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
            }
        #endif
    }
}
