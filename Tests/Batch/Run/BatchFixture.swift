import SpyglassCodecs
import SpyglassFetching
import SpyglassFiles
import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads

@testable import SpyglassBatch

/// A folder with sources, an output folder, and a scripted network.
final class BatchFixture: Sendable {
    let folder: TemporaryFolder
    let network: ScriptedTransport
    let clock = ManualClock()
    private let responses = WatchedValue<[WebAddress: Response]>([:])

    /// The response to a URL.
    enum Response: Sendable {
        case body([UInt8])
        case status(Int)
        case failure(FetchError)
        /// A body, when the gate opens.
        case gated(AsyncGate, [UInt8])
    }

    init() throws {
        folder = try TemporaryFolder()
        network = ScriptedTransport { [responses] request, _ in
            switch responses.value[request.address] {
            case .body(let bytes): return FetchResponse(address: request.address, status: 200, body: bytes)
            case .status(let status): return FetchResponse(address: request.address, status: status)
            case .failure(let error): throw error
            case .gated(let gate, let bytes):
                try await gate.wait()
                return FetchResponse(address: request.address, status: 200, body: bytes)
            case nil: throw FetchError(.unreachable, "\(request.address) does not respond")
            }
        }
    }

    /// Sets the response to a URL.
    func respond(to name: String, _ response: Response) {
        responses.change { $0[Self.address(name)] = response }
    }

    var outputPath: String { folder.path("out") }

    /// The names of the outputs.
    var results: [String] { folder.files.filter { $0.hasPrefix("out/") } }

    /// The bytes of the outputs by name.
    func resultBytes() throws -> [String: [UInt8]] {
        try Dictionary(uniqueKeysWithValues: results.map { ($0, try folder.read($0)) })
    }

    func services(_ change: (inout BatchServices) -> Void = { _ in }) -> BatchServices {
        var services = BatchServices(transport: network, clock: clock)
        change(&services)
        return services
    }

    /// Writes a source and returns its item.
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

    /// Runs a batch.
    @discardableResult
    func run(
        _ job: BatchJob, _ items: [PlannedItem], jobs: Int = 2, transfers: Int = 4, sheet: ContactSheet? = nil,
        pack: Int? = nil, services: BatchServices? = nil, observer: @escaping @Sendable (BatchEvent) -> Void = { _ in }
    ) async throws -> (summary: BatchSummary, reports: [ItemReport]) {
        let events = CallRecorder<BatchEvent>()
        let output = try OutputFolder(path: outputPath)
        // A thread of an earlier run may hold the lock a moment longer than that run.
        if pack != nil { try await waitUntil { output.root.descriptor.lock() == .locked } }
        let packer = try pack.map { try TarPacker(.folder(output, inputs: $0, isForced: job.isForced)) }
        let run = BatchRun(
            job, ListedFeed(items), into: output, services: services ?? self.services(), jobs: jobs,
            transfers: transfers, sheet: sheet, packer: packer
        ) { event in
            events.record(event)
            observer(event)
        }
        let summary = try await run.run()
        return (summary, events.reports.sorted { $0.number < $1.number })
    }

    /// A batch that the test runs itself.
    func batch(
        _ job: BatchJob, _ feed: any BatchFeed, into folder: OutputFolder?, jobs: Int = 1, transfers: Int = 1,
        observer: @escaping @Sendable (BatchEvent) -> Void = { _ in }
    ) -> BatchRun {
        BatchRun(
            job, feed, into: folder, services: services(), jobs: jobs, transfers: transfers, observer: observer)
    }

    func output() throws -> OutputFolder { try OutputFolder(path: outputPath) }

    /// A GIF of 2x2 pixels in four colours, one of which may be transparent.
    static func gif(isTransparent: Bool) -> [UInt8] {
        let colors: [UInt8] = [0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255]
        let control: [UInt8] = [0x21, 0xF9, 4, isTransparent ? 1 : 0, 0, 0, 0, 0]
        return Array("GIF89a".utf8) + [2, 0, 2, 0, 0x81, 0, 0] + colors + control
            + [0x2C, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2, 4, 4, 67, 113, 5, 0, 0x3B]
    }

    /// A PNG that depends on its seed.
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

extension CallRecorder<BatchEvent> {
    var reports: [ItemReport] { values.compactMap { if case .ended(let report) = $0 { report } else { nil } } }
    var summaries: [BatchSummary] { values.compactMap { if case .finished(let summary) = $0 { summary } else { nil } } }
}

extension BatchJob {
    /// A job with the filter that is fast in debug builds.
    init(_ sizes: String..., change: (inout BatchJob) -> Void = { _ in }) {
        self.init(sizes: sizes.compactMap { OutputSize($0) })
        filter = .area
        change(&self)
    }
}

/// Items of a list, then the error, if any.
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
