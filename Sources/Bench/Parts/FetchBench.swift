package import SpyglassFetching

/// Transfers of the user's own addresses, so many at once.
///
///     let figures = try await FetchBench(addresses, over: transport, connections: 16).measure(.quick, now: timekeeper.now)
///
/// A sample is every address once. Nothing is kept, and a redirect is followed.
package struct FetchBench: Sendable {
    private var addresses: [WebAddress]
    private let transport: any Transport
    private let connections: Int
    private let bodyLimit: Int

    /// Transfers at once, where nobody says otherwise.
    package static let defaultConnections = 16

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

    /// Addresses, one a line, with or without blanks around it; empty lines and those that begin with # are left out.
    ///
    /// - Throws: `BenchError` that names the line.
    package static func addresses(in text: String) throws(BenchError) -> [WebAddress] {
        var addresses: [WebAddress] = []
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmingBlanks
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
        /// Those that answered.
        var answered: [WebAddress] = []
        var failures = 0
        /// The first failure, in words.
        var failure: String?

        mutating func add(_ other: Round) {
            bytes += other.bytes
            answered += other.answered
            failures += other.failures
            failure = failure ?? other.failure
        }

        /// What is said of those that failed.
        var message: String? {
            guard let failure else { return nil }
            return failures == 1 ? failure : "\(failure); so \(failures - 1) more"
        }
    }

    /// The figures, and one line about what failed, if anything did.
    ///
    /// The first round warms up: it looks up names and opens connections. What is not answered then is asked no more, so that the figures
    /// are those of the others. A later round in which something fails is no sample, since it had less to do.
    ///
    /// - Throws: `CancellationError` when the task is cancelled; `BenchError` when nothing was answered, or as many rounds failed as
    ///   there must be samples.
    package func measure(
        _ effort: Effort, now: @Sendable () -> Duration
    ) async throws -> (figures: [Measurement], failure: String?) {
        let first = try await round()
        guard !first.answered.isEmpty else { throw BenchError(first.message ?? "nothing was answered") }
        var bench = self
        bench.addresses = first.answered
        var failed = Round()
        var failedCount = 0
        var transfers = Series()
        var bytes = Series()
        let start = now()
        repeat {
            let before = now()
            let round = try await bench.round()
            guard round.failures == 0 else {
                failed.add(round)
                failedCount += 1
                guard failedCount < effort.minSamples else {
                    throw BenchError(failed.message ?? "nothing was answered")
                }
                continue
            }
            let seconds = max(now() - before, .nanoseconds(1)) / .seconds(1)
            transfers.add(Double(round.answered.count) / seconds)
            bytes.add(Double(round.bytes) / seconds / 1_000_000)
        } while transfers.count < effort.minSamples || now() - start < effort.time
        return (
            [
                Self.figure("fetch.transfers", transfers, .transfersPerSecond),
                Self.figure("fetch.bytes", bytes, .megabytesPerSecond),
            ], first.message ?? failed.message
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
                return Round(failures: 1, failure: "\(address) answered \(response.status)")
            }
            return Round(bytes: response.body.count, answered: [address])
        } catch let error as FetchError {
            return Round(failures: 1, failure: error.description)
        }
    }
}

extension Substring {
    fileprivate var trimmingBlanks: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
