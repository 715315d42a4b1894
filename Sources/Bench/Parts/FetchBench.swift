package import SpyglassFetching

/// Transfers of the user's own addresses, so many at once.
///
///     let figures = try await FetchBench(addresses, over: transport, connections: 16).measure(.quick, now: timekeeper.now)
///
/// A sample is every address once. Nothing is kept, and a redirect is followed.
package struct FetchBench: Sendable {
    private let addresses: [WebAddress]
    private let transport: any Transport
    private let connections: Int
    private let bodyLimit: Int

    /// Transfers at once, where nobody says otherwise.
    package static let usualConnections = 16

    /// - Parameters:
    ///   - addresses: at least one.
    ///   - transport: what fetches them.
    ///   - connections: how many are under way at once.
    ///   - bodyLimit: the largest body that is taken, in bytes.
    package init(_ addresses: [WebAddress], over transport: any Transport, connections: Int, bodyLimit: Int) {
        self.addresses = addresses
        self.transport = transport
        self.connections = max(connections, 1)
        self.bodyLimit = bodyLimit
    }

    /// Addresses, one a line; empty lines and those that begin with # are left out.
    ///
    /// - Throws: `BenchError` that names the line.
    package static func addresses(in text: String) throws(BenchError) -> [WebAddress] {
        var addresses: [WebAddress] = []
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard let first = line.first, first != "#" else { continue }
            do {
                addresses.append(try WebAddress(validating: String(line)))
            } catch {
                throw BenchError("line \(number + 1): \(error.description)")
            }
        }
        guard !addresses.isEmpty else { throw BenchError("there is no address in it") }
        return addresses
    }

    /// What a round came to.
    private struct Round {
        var bytes = 0
        var answers = 0
        /// The first failure, in words.
        var failure: String?

        mutating func add(_ other: Round) {
            bytes += other.bytes
            answers += other.answers
            failure = failure ?? other.failure
        }
    }

    /// The figures, and one line about what failed, if anything did.
    ///
    /// The first round warms up: it looks up names and opens connections.
    ///
    /// - Throws: `CancellationError` when the task is cancelled; `BenchError` when nothing was answered.
    package func measure(
        _ effort: Effort, now: @Sendable () -> Duration
    ) async throws -> (figures: [Measurement], failure: String?) {
        var total = try await round()
        guard total.answers > 0 else { throw BenchError(total.failure ?? "nothing was answered") }
        var transfers = Series()
        var bytes = Series()
        let start = now()
        repeat {
            let before = now()
            let round = try await round()
            let seconds = max(now() - before, .nanoseconds(1)) / .seconds(1)
            transfers.add(Double(round.answers) / seconds)
            bytes.add(Double(round.bytes) / seconds / 1_000_000)
            total.add(round)
        } while transfers.count < effort.leastSamples || now() - start < effort.time
        return (
            [
                Self.figure("fetch.transfers", transfers, .transfersPerSecond),
                Self.figure("fetch.bytes", bytes, .megabytesPerSecond),
            ], total.failure
        )
    }

    private static func figure(_ name: String, _ series: Series, _ unit: Unit) -> Measurement {
        var figure = Measurement(name, series.median, unit)
        figure.spread = series.spread
        figure.samples = series.count
        return figure
    }

    private func round() async throws -> Round {
        try await withThrowingTaskGroup(of: Round.self) { group in
            var rest = addresses[...]
            var total = Round()
            for address in rest.prefix(connections) { group.addTask { try await fetch(address) } }
            rest = rest.dropFirst(connections)
            while let one = try await group.next() {
                total.add(one)
                if let address = rest.popFirst() { group.addTask { try await fetch(address) } }
            }
            return total
        }
    }

    private func fetch(_ address: WebAddress) async throws -> Round {
        do {
            let response = try await transport.fetch(FetchRequest(address, bodyLimit: bodyLimit))
            guard (200..<300).contains(response.status) else {
                return Round(failure: "\(address) answered \(response.status)")
            }
            return Round(bytes: response.body.count, answers: 1)
        } catch let error as FetchError {
            return Round(failure: error.description)
        }
    }
}
