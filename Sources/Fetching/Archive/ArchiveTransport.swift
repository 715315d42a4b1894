internal import Glibc
internal import SpyglassFiles
internal import SpyglassJSON
public import SpyglassThreads

/// Replays an archive of a `RecordingTransport` or a script; never uses the network.
///
///     let transport = ArchiveTransport(folder: "Samples/archive")
///     let response = try await transport.fetch(FetchRequest(address))
///
/// An archive is a folder with `index.jsonl`, one object a line (`{"url", "status", "headers", "body": "relative/path"}`), and
/// content-decoded bodies. The last line of an address counts; each hop of a redirect has its own line. Addresses match
/// whatever their scheme and the order of their query; one with a key, token or signature also matches one without.
///
/// Bodies must be regular files inside the folder, without links. The first fetch reads the index:
/// 100,000 lines take 0.5 s and some megabytes besides the file's bytes; a million addresses is the
/// limit. One thread of its own reads files.
///
/// Throws `FetchError`: `notRecorded` for an unknown address, `unavailable` for a missing folder or body and for a broken line.
public final class ArchiveTransport: Transport {
    private let folder: String
    private let memory: WorkMemory?
    private let work = ThreadPool(count: 1)
    private let opened = Mutex<Archive?>(nil)

    private struct Archive: Sendable {
        let folder: ArchiveFolder
        let index: ArchiveIndex
    }

    /// A transport for the archive in `folder`, opened with the first fetch.
    ///
    /// A fetch reserves a body of more than 1 MiB in `memory` until its response is released.
    public init(folder: String, memory: WorkMemory? = nil) { (self.folder, self.memory) = (folder, memory) }

    /// Returns the recorded response, following redirects like `CurlTransport`.
    public func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        try await request.countingMemory { request in
            var (response, body) = try await BodyMemory.read(in: memory, for: request, on: work, .init(priority: 0)) {
                try self.answer(request, $0)
            }
            body.end(isComplete: true)
            response.memory = body
            return response
        }
    }

    /// Returns the results of `read` for the recorded addresses, each once, in order.
    package func recordedSearches(_ read: @escaping @Sendable (WebAddress) -> String?) async throws -> [String] {
        try await work.run { _ in try self.archive().index.results(of: read) }
    }

    private func answer(_ request: FetchRequest, _ mayRead: (Int) -> Bool) throws(FetchError) -> FetchResponse {
        let archive = try archive()
        var address = request.address
        var hops: [FetchResponse.Redirect] = []
        while true {
            guard let (entry, location) = try archive.index.entry(for: address.without(parameter: request.keyParameter))
            else { throw notRecorded(address, archive) }
            let headers = entry.safeHeaders
            let next = try RedirectPolicy.next(after: address, status: entry.status, headers: headers, hops: hops)
            if let next {
                hops.append(FetchResponse.Redirect(address: address, status: entry.status, headers: headers))
                address = next
                continue
            }
            let head = FetchResponse(
                address: address, status: entry.status, headers: headers, redirects: hops, origin: .archive)
            do {
                return try answer(head, to: request, body: entry.body, in: archive.folder, mayRead)
            } catch {
                throw FetchError(error.kind, "\(error.description) (\(location))", exceededLimit: error.exceededLimit)
            }
        }
    }

    private func answer(
        _ head: FetchResponse, to request: FetchRequest, body name: String?, in folder: ArchiveFolder,
        _ mayRead: (Int) -> Bool
    ) throws(FetchError) -> FetchResponse {
        guard request.delivery != .headersOnly else {
            return head.withoutBody(length: try name.map(folder.size) ?? 0)
        }
        guard let name else { return head }
        // A streamed body is in memory too: the same limit.
        let maxLimit = request.delivery == .streamed ? FetchRequest.defaultBodyLimit : Int.max
        var response = head
        response.body = try folder.read(name, limit: min(request.bodyLimit, maxLimit), mayRead: mayRead)
        return response
    }

    /// Throws `unavailable` if the folder is not an archive; blocks.
    package func check() throws(FetchError) { _ = try openFolder() }

    private func openFolder() throws(FetchError) -> ArchiveFolder {
        let folder = try ArchiveFolder(opening: folder)
        guard folder.holds(ArchiveIndex.fileName) else {
            throw FetchError(
                .unavailable, "\(folder.path.withoutControls): not an archive: no \(ArchiveIndex.fileName)")
        }
        return folder
    }

    /// Opened with the first call; retried after an error.
    private func archive() throws(FetchError) -> Archive {
        if let archive = opened.withLock({ $0 }) { return archive }
        let folder = try openFolder()
        let bytes = try folder.read(ArchiveIndex.fileName, limit: ArchiveIndex.byteLimit)
        let index = try ArchiveIndex(bytes, name: folder.shown(ArchiveIndex.fileName))
        let archive = Archive(folder: folder, index: index)
        opened.withLock { $0 = archive }
        return archive
    }

    private func notRecorded(_ address: WebAddress, _ archive: Archive) -> FetchError {
        let hosts = archive.index.hosts
        let holding =
            switch archive.index.count {
            case 0: "is empty"
            case 1: "holds one response, of \(hosts.joined())"
            case let count: "holds \(count) responses, of \(hosts.firstFew(3))"
            }
        return FetchError(.notRecorded, "the archive has nothing for \(address.shown): it \(holding)")
    }
}

/// One line of an archive's index: a response, or one hop of a redirect.
///
/// The disk cache writes redirects, and reads responses, in this form, too.
struct ArchiveEntry {
    /// With hashes in place of secrets; in the disk cache without secrets.
    var url: String
    var status: Int
    var headers: [HeaderFields.Field]
    /// Relative to the archive; `nil` for an empty body.
    var body: String?

    var safeHeaders: HeaderFields {
        HeaderFields(headers.map { HeaderFields.Field(name: $0.name, value: $0.value.withoutControls) })
    }

    var line: String {
        var members = [
            ("url", JSONText.string(url)), ("status", JSONText.number(status)),
            ("headers", headers.json),
        ]
        if let body { members.append(("body", JSONText.string(body))) }
        return JSONText.object(members)
    }
}

extension [HeaderFields.Field] {
    var json: String { JSONText.object(map { ($0.name, JSONText.string($0.value)) }) }
}

extension ArchiveEntry {
    /// Other members are for later versions.
    init(_ object: JSONValue) throws(FetchError) {
        url = try Self.url(of: object)
        guard case .number? = object["status"], let status = object["status"]?.integer, (100...599).contains(status)
        else { throw Self.wrong("status", "not an HTTP status") }
        self.status = status
        headers = []
        switch object["headers"] {
        case nil, .null: break
        case .object(let members):
            for member in members {
                guard case .string(let value) = member.value else {
                    throw Self.wrong("headers", "not an object of strings")
                }
                headers.append(HeaderFields.Field(name: member.name, value: value))
            }
        default: throw Self.wrong("headers", "not an object")
        }
        switch object["body"] {
        case nil, .null: body = nil
        case .string(let path): body = path
        default: throw Self.wrong("body", "not a string")
        }
    }

    static func url(of object: JSONValue) throws(FetchError) -> String {
        guard case .object = object else { throw FetchError(.unavailable, "not a JSON object") }
        guard case .string(let url) = object["url"] else { throw wrong("url", "not a string") }
        return url
    }

    private static func wrong(_ member: String, _ what: String) -> FetchError {
        FetchError(.unavailable, "\"\(member)\" is \(what)")
    }
}

/// An archive's index in memory: at most 70 bytes a line for address hash and position, besides the file's own bytes.
struct ArchiveIndex: Sendable {
    static let fileName = "index.jsonl"
    /// A hundred thousand responses take 40 MB.
    static let byteLimit = 256 << 20
    /// A crawl of NASA's largest search has 70,000.
    static let addressLimit = 1_000_000
    static let lineLimit = 1 << 20

    private(set) var hosts: [String] = []
    private let name: String
    private let bytes: [UInt8]
    /// By the process's hash of `WebAddress.archiveKey`; the line resolves collisions.
    private var lastLines: [Int: Line] = [:]

    var count: Int { lastLines.count }

    private struct Line {
        let number: Int
        let range: Range<Int>
    }

    /// Throws `unavailable` with the broken line; ignores half a last line of a killed recording.
    init(_ bytes: [UInt8], name: String, addressLimit: Int = ArchiveIndex.addressLimit) throws(FetchError) {
        self.bytes = bytes
        self.name = name
        var (lastLines, hosts): ([Int: Line], [String]) = ([:], [])
        try forEachLine { (line, address) throws(FetchError) in
            lastLines[address.archiveKey.hashValue] = line
            guard lastLines.count <= addressLimit else {
                throw FetchError(.unavailable, "\(name) has responses for more URLs than the limit of \(addressLimit)")
            }
            if hosts.count < 4, !hosts.contains(address.host) { hosts.append(address.host) }
        }
        (self.lastLines, self.hosts) = (lastLines, hosts)
    }

    /// The last entry of an address, and its line for messages.
    func entry(for address: WebAddress) throws(FetchError) -> (ArchiveEntry, location: String)? {
        if let found = try entry(of: address.archiveKey) { return found }
        // Version 0.2 recorded addresses without their secrets.
        return try entry(of: address.withoutSecrets.archiveKey)
    }

    private func entry(of key: String) throws(FetchError) -> (ArchiveEntry, location: String)? {
        guard let line = lastLines[key.hashValue] else { return nil }
        do {
            let object = try object(line)
            guard try WebAddress(validating: ArchiveEntry.url(of: object)).archiveKey == key else { return nil }
            return (try ArchiveEntry(object), "\(name), line \(line.number)")
        } catch {
            throw broken(line, error)
        }
    }

    /// Returns the results of `read` for all addresses, each once, in order; reads the whole index again.
    func results(of read: (WebAddress) -> String?) throws(FetchError) -> [String] {
        var results: [String] = []
        var seen: Set<String> = []
        try forEachLine { (_, address) throws(FetchError) in
            if let result = read(address), seen.insert(result).inserted { results.append(result) }
        }
        return results
    }

    private func forEachLine(_ body: (Line, WebAddress) throws(FetchError) -> Void) throws(FetchError) {
        var (start, number) = (0, 0)
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            number += 1
            let line = Line(number: number, range: start..<end)
            start = end + 1
            guard bytes[line.range].contains(where: { $0 > 0x20 }) else { continue }
            let address: WebAddress
            do {
                address = try WebAddress(validating: ArchiveEntry.url(of: object(line)))
            } catch {
                guard end < bytes.count else { return }
                throw broken(line, error)
            }
            try body(line, address)
        }
    }

    private func object(_ line: Line) throws(FetchError) -> JSONValue {
        guard line.range.count <= Self.lineLimit else { throw FetchError(.unavailable, "line too long") }
        do {
            return try JSONValue(parsing: Array(bytes[line.range]))
        } catch {
            throw FetchError(.unavailable, "not JSON: \(error.description)")
        }
    }

    private func broken(_ line: Line, _ error: FetchError) -> FetchError {
        FetchError(.unavailable, "\(name), line \(line.number): \(error.description)")
    }
}

/// A folder whose relative paths cannot lead out of it; links are not followed, calls block.
final class ArchiveFolder: Sendable {
    let path: String
    private let root: Folder

    init(opening path: String) throws(FetchError) {
        self.path = path
        root = try Self.attempt("cannot open the archive \(path.withoutControls)") { () throws(FileError) in
            try Folder(opening: path)
        }
    }

    static func attempt<Value: ~Copyable>(
        _ failure: @autoclosure () -> String, _ body: () throws(FileError) -> Value
    ) throws(FetchError) -> Value {
        do { return try body() } catch { throw FetchError(.unavailable, "\(failure()): \(error.reason)") }
    }

    func shown(_ name: String) -> String { "\(path)/\(name.prefix(200))".withoutControls }

    /// Throws `unavailable` when it is missing, not a regular file or outside; `tooLarge` above `limit` bytes.
    func read(
        _ name: String, limit: Int, mayRead: (Int) -> Bool = { _ in true }
    ) throws(FetchError) -> [UInt8] {
        let folder = try openFolder(of: name)
        do throws(FileError) { return try folder.read(Self.last(name), limit: limit, mayRead: mayRead) } catch {
            guard error.cause != .tooLarge else {
                throw FetchError(
                    .tooLarge, "\(shown(name)) is larger than the limit of \(limit) bytes", exceededLimit: .body)
            }
            throw FetchError(.unavailable, "cannot read \(shown(name)): \(error.reason)")
        }
    }

    func size(of name: String) throws(FetchError) -> Int {
        let folder = try openFolder(of: name)
        return try Self.attempt("cannot read \(shown(name))") { () throws(FileError) in
            try folder.openRegular(Self.last(name)).status.byteCount
        }
    }

    func holds(_ name: String) -> Bool { (try? root.status(of: name)) != nil }

    func isEmpty() throws(FetchError) -> Bool {
        try Self.attempt("cannot read \(path.withoutControls)") { () throws(FileError) in try root.isEmpty }
    }

    func openFile(_ name: String, _ options: OpenOptions) throws(FetchError) -> FileDescriptor {
        try Self.attempt("cannot open \(shown(name))") { () throws(FileError) in try root.open(name, options) }
    }

    /// Complete or not at all; creates the folders on the way.
    func write(_ name: String, _ bytes: [UInt8]) throws(FetchError) {
        let folder = try openFolder(of: name, creating: true)
        try Self.attempt("cannot write \(shown(name))") { () throws(FileError) in
            let temporary = try TemporaryFile.create(in: root)
            do throws(FileError) {
                try temporary.file.write(bytes)
                try root.move(temporary.name, to: Self.last(name), in: folder)
            } catch {
                try? root.remove(temporary.name)
                throw error
            }
        }
    }

    func sweep() { TemporaryFile.sweep(root) }

    private func openFolder(of name: String, creating: Bool = false) throws(FetchError) -> Folder {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.allSatisfy({ !["", ".", ".."].contains($0) && !$0.containsZero }) else {
            throw FetchError(.unavailable, "\(shown(name)) is outside the archive")
        }
        return try Self.attempt("cannot open \(shown(name))") { () throws(FileError) in
            try root.openFolder(parts.dropLast(), creatingWith: creating ? 0o777 : nil)
        }
    }

    private static func last(_ name: String) -> String { name.split(separator: "/").last.map(String.init) ?? name }
}
