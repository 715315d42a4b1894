/// What came of many fetches.
public struct FetchTally: Sendable {
    /// How many were asked for.
    public let count: Int
    /// How many came with status 200.
    public private(set) var answers = 0
    /// Of their bodies, together.
    public private(set) var bytes = 0

    /// Fetches all addresses in a task group of a limited number of concurrent tasks, and discards the bodies.
    ///
    /// - Parameters:
    ///   - addresses: one for each fetch.
    ///   - tasks: how many wait at a time.
    ///   - fetch: answers the length of the body; `nil` for anything but status 200.
    public init<Address: Sendable>(
        of addresses: [Address], tasks: Int, _ fetch: @escaping @Sendable (Address) async -> Int?
    ) async {
        count = addresses.count
        await withTaskGroup(of: Int?.self) { group in
            var rest = addresses[...]
            func addNext() {
                guard let address = rest.popFirst() else { return }
                group.addTask { await fetch(address) }
            }
            for _ in 0..<tasks { addNext() }
            for await length in group {
                if let length {
                    answers += 1
                    bytes += length
                }
                addNext()
            }
        }
    }

    /// Prints how many answers and bytes came, and answers the exit status: 1 where one is missing.
    public func finish() -> Int32 {
        print("\(answers) of \(count), \(bytes) bytes")
        return answers == count ? 0 : 1
    }
}
