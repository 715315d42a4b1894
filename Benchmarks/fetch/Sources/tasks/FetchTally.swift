import Synchronization

/// What came of many fetches.
public struct FetchTally: Sendable {
    /// How many were asked for.
    public let count: Int
    /// How many came with status 200.
    public private(set) var answers = 0
    /// Of their bodies, together.
    public private(set) var bytes = 0

    /// Fetches all addresses in so many concurrent tasks, each one after the other, and discards the bodies.
    ///
    /// - Parameters:
    ///   - addresses: one for each fetch.
    ///   - tasks: how many wait at a time.
    ///   - fetch: answers the length of the body; `nil` for anything but status 200.
    public init<Address: Sendable>(
        of addresses: [Address], tasks: Int, _ fetch: @escaping @Sendable (Address) async -> Int?
    ) async {
        count = addresses.count
        let next = Counter()
        await withTaskGroup(of: (answers: Int, bytes: Int).self) { group in
            for _ in 0..<tasks {
                group.addTask {
                    var own = (answers: 0, bytes: 0)
                    while case let index = next.increment(), index < addresses.count {
                        guard let length = await fetch(addresses[index]) else { continue }
                        own.answers += 1
                        own.bytes += length
                    }
                    return own
                }
            }
            for await one in group {
                answers += one.answers
                bytes += one.bytes
            }
        }
    }

    private final class Counter: Sendable {
        private let value = Atomic(0)

        func increment() -> Int { value.add(1, ordering: .relaxed).oldValue }
    }

    /// Prints how many answers and bytes came, and answers the exit status: 1 where one is missing.
    public func finish() -> Int32 {
        print("\(answers) of \(count), \(bytes) bytes")
        return answers == count ? 0 : 1
    }
}
