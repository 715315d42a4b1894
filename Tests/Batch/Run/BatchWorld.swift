import SpyglassCodecs
import SpyglassFetching
import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads

@testable import SpyglassBatch

/// A folder with sources, a folder for results, and a network that answers as it is told: all that a run touches.
final class BatchWorld: Sendable {
    let folder: TemporaryFolder
    let network = ToldNetwork()
    let clock = ManualClock()

    init() throws { folder = try TemporaryFolder() }

    var outputPath: String { folder.path("out") }

    /// The results, without what else may lie in their folder.
    var results: [String] { folder.files.filter { $0.hasPrefix("out/") } }

    /// The results' bytes, by their names.
    func resultBytes() throws -> [String: [UInt8]] {
        try Dictionary(uniqueKeysWithValues: results.map { ($0, try folder.read($0)) })
    }

    func services(_ change: (inout BatchServices) -> Void = { _ in }) -> BatchServices {
        var services = BatchServices(transport: network, clock: clock)
        change(&services)
        return services
    }

    /// Writes a source, and makes an item of it.
    func file(_ number: Int, _ name: String, _ bytes: [UInt8]) throws -> BatchItem {
        try folder.write(name, bytes)
        return fileItem(number, name)
    }

    func fileItem(_ number: Int, _ name: String) -> BatchItem {
        let stem = name.split(separator: ".").first.map(String.init) ?? name
        return BatchItem(
            number: number, id: name, source: .file(folder.path(name)), shownSource: name, stem: stem)
    }

    func addressItem(_ number: Int, _ name: String) -> BatchItem {
        let address = Self.address(name)
        let stem = name.split(separator: ".").first.map(String.init) ?? name
        return BatchItem(
            number: number, id: address.text, source: .address(address), shownSource: address.text, stem: stem)
    }

    static func address(_ name: String) -> WebAddress {
        guard let address = WebAddress("http://pictures.test/\(name)") else { preconditionFailure("no address") }
        return address
    }

    /// Runs a batch to its end.
    @discardableResult
    func run(
        _ job: BatchJob, _ items: [PlannedItem], jobs: Int = 2, transfers: Int = 4, sheet: ContactSheet? = nil,
        services: BatchServices? = nil, observer: @escaping @Sendable (BatchEvent) -> Void = { _ in }
    ) async throws -> (summary: BatchSummary, reports: [ItemReport]) {
        let reports = Mutex<[ItemReport]>([])
        let run = BatchRun(
            job, ListedFeed(items), into: try OutputFolder(path: outputPath), services: services ?? self.services(),
            jobs: jobs, transfers: transfers, sheet: sheet
        ) { event in
            if case .ended(let report) = event { reports.withLock { $0.append(report) } }
            observer(event)
        }
        let summary = try await run.run()
        return (summary, reports.withLock { $0 }.sorted { $0.number < $1.number })
    }

    /// A picture that differs by its seed, as a PNG.
    static func png(_ width: Int, _ height: Int, seed: Int = 0) throws -> [UInt8] {
        try ImageEncoder(.png).encode(picture(width, height, seed: seed))
    }

    static func picture(_ width: Int, _ height: Int, seed: Int = 0) -> PixelBuffer {
        var picture = PixelBuffer(size: PixelSize(width: width, height: height))
        for y in 0..<height {
            for x in 0..<width {
                picture[x, y] = RGBA(
                    UInt8((x * 5 + seed * 31) % 256), UInt8((y * 3 + seed * 17) % 256), UInt8((x ^ y) % 256))
            }
        }
        return picture
    }
}

extension BatchJob {
    /// A job of these sizes with the filter that is quick in a debug build.
    init(_ sizes: String..., change: (inout BatchJob) -> Void = { _ in }) {
        self.init(sizes: sizes.compactMap { OutputSize($0) })
        filter = .area
        change(&self)
    }
}

/// Items from a list, and at its end an error if there is one.
final class ListedFeed: BatchFeed {
    let count: Int?
    private let rest: Mutex<[PlannedItem]>
    private let problem: BatchError?

    init(_ items: [PlannedItem], then problem: BatchError? = nil) {
        count = items.count
        rest = Mutex(items.reversed())
        self.problem = problem
    }

    func next() async throws -> PlannedItem? {
        if let item = rest.withLock({ $0.popLast() }) { return item }
        if let problem { throw problem }
        return nil
    }
}

/// A network without one: every address answers as a test said, or not at all.
final class ToldNetwork: Transport {
    enum Answer: Sendable {
        case body([UInt8])
        case status(Int)
        case failure(FetchError)
        /// A body, once the gate opens.
        case gated(AsyncGate, [UInt8])
    }

    private struct State {
        var answers: [WebAddress: Answer] = [:]
        var fetches = 0
    }

    private let state = Mutex(State())

    func tell(_ name: String, _ answer: Answer) {
        state.withLock { $0.answers[BatchWorld.address(name)] = answer }
    }

    /// How many fetches there were.
    var fetches: Int { state.withLock { $0.fetches } }

    func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        let answer = state.withLock { state in
            state.fetches += 1
            return state.answers[request.address]
        }
        switch answer {
        case .body(let bytes): return FetchResponse(address: request.address, status: 200, body: bytes)
        case .status(let status): return FetchResponse(address: request.address, status: status)
        case .failure(let error): throw error
        case .gated(let gate, let bytes):
            try await gate.wait()
            return FetchResponse(address: request.address, status: 200, body: bytes)
        case nil: throw FetchError(.unreachable, "\(request.address) does not answer")
        }
    }
}
