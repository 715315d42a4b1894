internal import SpyglassCatalog
package import SpyglassFetching

/// Concurrent transfers of the user's own URLs; a sample fetches each once, without a cache.
package struct FetchBench: Sendable {
    private var addresses: [WebAddress]
    private let transport: any Transport
    private let connections: Int
    private let bodyLimit: Int

    package static let defaultConnections = 16

    package init(_ addresses: [WebAddress], over transport: any Transport, connections: Int, bodyLimit: Int) {
        self.addresses = addresses
        self.transport = transport
        self.connections = max(connections, 1)
        self.bodyLimit = bodyLimit
    }

    /// Reads URLs, one a line; ignores empty lines and those that start with `#`.
    package static func addresses(in text: String) throws(BenchError) -> [WebAddress] {
        var addresses: [WebAddress] = []
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = String(line).trimmed
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            do { addresses.append(try WebAddress(validating: line)) } catch {
                throw BenchError("line \(number + 1): \(error.description)")
            }
        }
        guard !addresses.isEmpty else { throw BenchError("no URLs") }
        return addresses
    }

    private struct Round {
        var bytes = 0
        var answered: [WebAddress] = []
        var failures = 0
        var failure: String?

        mutating func add(_ other: Round) {
            bytes += other.bytes
            answered += other.answered
            failures += other.failures
            failure = failure ?? other.failure
        }

        var message: String? {
            guard let failure else { return nil }
            return failures == 1 ? failure : "\(failure); \(failures - 1) more failed"
        }
    }

    /// Returns the measurements, and one line about the failures, if any.
    ///
    /// The first round warms up; URLs that fail then are dropped. A later round with a failure does not count. `cpuTime` is that of
    /// the process.
    package func measure(
        _ effort: Effort, now: @Sendable () -> Duration, cpuTime: @Sendable () -> Duration
    ) async throws -> (results: [Measurement], failure: String?) {
        let first = try await round()
        guard !first.answered.isEmpty else { throw BenchError(first.message ?? "no response") }
        var bench = self
        bench.addresses = first.answered
        var failed = Round()
        var failedCount = 0
        var transfers = Series()
        var bytes = Series()
        var cpu = Series()
        let start = now()
        repeat {
            let (before, cpuBefore) = (now(), cpuTime())
            let round = try await bench.round()
            guard round.failures == 0 else {
                failed.add(round)
                failedCount += 1
                guard failedCount < effort.minSamples else { throw BenchError(failed.message ?? "no response") }
                continue
            }
            let seconds = max(now() - before, .nanoseconds(1)) / .seconds(1)
            transfers.add(Double(round.answered.count) / seconds)
            bytes.add(Double(round.bytes) / seconds / 1_000_000)
            let cpuSeconds = (cpuTime() - cpuBefore) / .seconds(1)
            cpu.add(Unit.microsecondsPerTransfer.value(ofSeconds: cpuSeconds / Double(round.answered.count)))
        } while transfers.count < effort.minSamples || now() - start < effort.time
        return (
            [
                Measurement("fetch.transfers", transfers, .transfersPerSecond),
                Measurement("fetch.bytes", bytes, .megabytesPerSecond),
                Measurement("fetch.cpu", cpu, .microsecondsPerTransfer),
            ], first.message ?? failed.message
        )
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
                return Round(failures: 1, failure: "\(address) returned HTTP \(response.status)")
            }
            return Round(bytes: response.body.count, answered: [address])
        } catch let error as FetchError {
            return Round(failures: 1, failure: error.description)
        }
    }
}
