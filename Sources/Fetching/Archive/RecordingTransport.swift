internal import Glibc
internal import SpyglassCaching
internal import SpyglassFiles
internal import SpyglassThreads

/// Records every response of another transport in an archive for `ArchiveTransport`.
///
///     let transport = RecordingTransport(CurlTransport(), folder: "archive")
///
/// The folder must be new, empty or an archive that no other process records into. A killed recording leaves a usable archive.
/// Saves addresses with hashes of their keys, tokens and signatures, which tell them apart; saves no cookies.
/// Responses to addresses with a password or a code are passed on unsaved.
/// Streamed bodies are buffered to be saved; those above 64 MiB are passed on unsaved, as are responses without a body.
///
/// A fetch throws `FetchError` of kind `unavailable` when its response cannot be saved. Errors of the other transport pass.
public final class RecordingTransport: Transport {
    private let transport: any Transport
    private let recorder: ArchiveRecorder
    private let work = ThreadPool(count: 1)

    /// Records the responses of `transport` in `folder`, which is opened with the first fetch.
    public init(_ transport: any Transport, folder: String) {
        self.transport = transport
        recorder = ArchiveRecorder(path: folder)
    }

    /// Fetches and returns once the response is saved.
    public func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        try await recording { recorder throws(FetchError) in try recorder.open() }
        guard let response = try await recordable(request) else { return try await transport.fetch(request) }
        if response.addresses.allSatisfy({ $0.storable != nil }) {
            try await recording { recorder throws(FetchError) in try recorder.record(response, to: request) }
        }
        return response
    }

    private func recording(_ body: @escaping @Sendable (ArchiveRecorder) throws(FetchError) -> Void) async throws {
        do {
            try await work.run { [recorder] _ in try body(recorder) }
        } catch var error as FetchError {
            error.isRecordingFailure = true
            throw error
        }
    }

    private func recordable(_ request: FetchRequest) async throws -> FetchResponse? {
        guard request.delivery != .headersOnly else { return nil }
        guard request.delivery == .streamed else { return try await transport.fetch(request) }
        var gathering = request
        gathering.delivery = .buffered
        gathering.bodyLimit = min(request.bodyLimit, FetchRequest.defaultBodyLimit)
        // Otherwise the listener would get the bytes twice.
        gathering.control = request.control.map { FetchControl(inPlaceOf: $0) { _ in false } }
        do {
            return try await transport.fetch(gathering)
        } catch let error as FetchError where error.exceededLimit == .body && gathering.bodyLimit < request.bodyLimit {
            return nil
        }
    }
}

/// Writes an archive, bodies before their lines; calls block, one at a time.
final class ArchiveRecorder: Sendable {
    private let path: String
    private let opened = Mutex<Opened?>(nil)

    /// The lock on the index ends with its descriptor.
    private final class Opened: Sendable {
        let folder: ArchiveFolder
        let index: FileDescriptor

        init(folder: ArchiveFolder, index: consuming FileDescriptor) {
            self.folder = folder
            self.index = index
        }
    }

    init(path: String) { self.path = path }

    /// Creates the archive, or checks that the folder is one.
    func open() throws(FetchError) { _ = try archive() }

    func record(_ response: FetchResponse, to request: FetchRequest) throws(FetchError) {
        let archive = try archive()
        var lines: [UInt8] = []
        func add(_ address: WebAddress, _ status: Int, _ headers: HeaderFields, body: String? = nil) {
            guard let url = address.without(parameter: request.keyParameter).storable?.text else { return }
            let headers = RecordedHeaders.kept(of: headers, at: address)
            let entry = ArchiveEntry(url: url, status: status, headers: headers, body: body)
            lines += Array((entry.line + "\n").utf8)
        }
        for hop in response.redirects { add(hop.address, hop.status, hop.headers) }
        let body = response.body.isEmpty ? nil : try save(response, in: archive.folder)
        add(response.address, response.status, response.headers, body: body)
        try append(lines, to: archive)
    }

    private func archive() throws(FetchError) -> Opened {
        if let archive = opened.withLock({ $0 }) { return archive }
        _ = try ArchiveFolder.attempt("cannot create the archive \(path.withoutControls)") { () throws(FileError) in
            try Folder.working.createFolder(path, permissions: 0o777)
        }
        let folder = try ArchiveFolder(opening: path)
        let name = ArchiveIndex.fileName
        let isUsable = folder.holds(name) ? true : try folder.isEmpty()
        guard isUsable else {
            throw FetchError(
                .unavailable,
                "\(path.withoutControls) is neither empty nor an archive (no \(name)); choose another folder")
        }
        let archive = Opened(
            folder: folder, index: try folder.openFile(name, [.readAndWrite, .append, .create, .nonBlocking]))
        try repair(archive)
        opened.withLock { $0 = archive }
        return archive
    }

    /// Locks the index; removes half a line of a killed recording, ends a complete one.
    private func repair(_ archive: Opened) throws(FetchError) {
        let name = archive.folder.shown(ArchiveIndex.fileName)
        guard archive.index.lock() == .locked else {
            throw FetchError(.unavailable, "\(path.withoutControls) is being recorded by another process")
        }
        archive.folder.sweep()
        let bytes = try archive.folder.read(ArchiveIndex.fileName, limit: ArchiveIndex.byteLimit)
        _ = try ArchiveIndex(bytes, name: name)
        guard let last = bytes.last, last != UInt8(ascii: "\n") else { return }
        let start = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let isComplete = try ArchiveIndex(Array(bytes[start...]), name: name).count > 0
        guard !isComplete else { return try append([UInt8(ascii: "\n")], to: archive) }
        try ArchiveFolder.attempt("cannot repair \(name)") { () throws(FileError) in
            try archive.index.truncate(to: start)
        }
    }

    private func append(_ lines: [UInt8], to archive: Opened) throws(FetchError) {
        let name = archive.folder.shown(ArchiveIndex.fileName)
        try ArchiveFolder.attempt("cannot write \(name)") { () throws(FileError) in
            let size = try archive.index.status.byteCount
            // One call as a rule: a kill leaves complete lines, or half of one.
            do throws(FileError) { try archive.index.write(lines) } catch {
                try? archive.index.truncate(to: size)
                throw error
            }
        }
    }

    private func save(_ response: FetchResponse, in folder: ArchiveFolder) throws(FetchError) -> String {
        let names = BodyName(response.address, contentType: response.headers["Content-Type"], body: response.body)
        for name in names.candidates {
            if !folder.holds(name) {
                // Only this process writes here: it holds the lock on the index.
                try folder.write(name, response.body)
                return name
            }
            if (try? folder.read(name, limit: response.body.count)) == response.body { return name }
        }
        throw FetchError(.unavailable, "\(folder.shown("bodies")) has no free name for \(response.address.shown)")
    }
}

/// The header fields that are recorded: lower-case names, each once, sorted.
enum RecordedHeaders {
    /// Fields of the transfer, not of the recorded bytes (RFC 9110 section 7.6.1, RFC 9112).
    private static let ofTransfer: Set<String> = [
        "content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive", "proxy-connection",
        "trailer", "upgrade", "alt-svc",
    ]

    static func kept(of headers: HeaderFields, at address: WebAddress) -> [HeaderFields.Field] {
        var kept: [String: String] = [:]
        for field in headers.fields {
            let name = field.name.lowercased()
            guard !ofTransfer.contains(name), !Secrets.isHidden(name.utf8) else { continue }
            let value = isAddress(name) ? (try? address.resolving(field.value))?.storable?.text : field.value
            guard var value else { continue }
            if name == "link" { value = links(value, at: address) }
            // Any field may hold an address with a secret, such as `Refresh`; that of robots may refuse us.
            let mayHoldSecrets =
                Secrets.names(in: value.utf8[...]).contains(where: Secrets.isHidden)
                || value.containsBytes(of: "://") && value.utf8.contains(UInt8(ascii: "@"))
            guard isAddress(name) || name == robotsTag || !mayHoldSecrets else { continue }
            // The last address counts; lists are joined (RFC 9110 section 5.3). In `X-Robots-Tag` the name of a robot counts
            // up to the next one; here, up to the next field.
            let separator = name == robotsTag ? ", *:, " : ", "
            let joined = kept[name].map { "\($0)\(separator)\(value)" }
            kept[name] = isAddress(name) ? value : joined ?? value
        }
        return kept.sorted { $0.key < $1.key }.map { HeaderFields.Field(name: $0.key, value: $0.value) }
    }

    /// A `Link` (RFC 8288 section 3) without secrets.
    private static func links(_ value: String, at address: WebAddress) -> String {
        let parts = value.split(separator: "<", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(String(parts.first ?? "")) { text, part in
            let target = part.prefix { $0 != ">" }
            let kept = (try? address.resolving(String(target)))?.storable?.withoutSecrets.text ?? ""
            return "\(text)<\(kept)\(part[target.endIndex...])"
        }
    }

    private static let robotsTag = "x-robots-tag"

    private static func isAddress(_ name: String) -> Bool { name == "location" || name == "content-location" }
}

/// The file name of a recorded body, of letters, digits and `_ ~ . -`: `bodies/images-assets.nasa.gov/As_11~thumb.jpg`.
struct BodyName {
    private let folder: String
    private let stem: String
    private let suffix: String
    private let fingerprint: UInt64
    private static let stemLimit = 80

    init(_ address: WebAddress, contentType: String?, body: [UInt8]) {
        let segments = Array(address.path.utf8).split(separator: UInt8(ascii: "/")).suffix(2).map {
            String(decoding: PercentEncoding.decoded($0), as: UTF8.self)
        }
        var name = segments.last ?? "index"
        let ending = Self.ending(of: name)
        if let ending { name.removeLast(ending.count + 1) }
        // `collection.json` is ambiguous without its item.
        if segments.count == 2, !name.hasPrefix(segments[0]) { name = "\(segments[0])-\(name)" }
        for item in address.withoutSecrets.queryItems { name += "-\(item.name)-\(item.value)" }
        let safeStem = Self.safe(name)
        fingerprint = FNV1a.hash(address.archiveKey.utf8, from: FNV1a.hash(body))
        stem =
            safeStem.utf8.count <= Self.stemLimit
            ? safeStem : "\(safeStem.prefix(Self.stemLimit))-\(Hex.text(fingerprint))"
        suffix = Self.suffix(ending: ending, contentType: contentType, body: body)
        folder = "bodies/\(Self.safe(address.authority).prefix(Self.stemLimit))"
    }

    /// In order of preference; the first that is free or has the same bytes is used.
    var candidates: [String] {
        let unique = "\(stem)-\(Hex.text(fingerprint))"
        return (["\(stem)", unique] + (2...9).map { "\(unique)-\($0)" }).map { "\(folder)/\($0).\(suffix)" }
    }

    private static func safe(_ text: String) -> String {
        let safe = text.utf8.map {
            PercentEncoding.isAlphanumeric($0) || "_~.-".utf8.contains($0) ? $0 : UInt8(ascii: "_")
        }
        let name = String(decoding: safe, as: UTF8.self)
        return name.isEmpty || name.hasPrefix(".") || name.hasPrefix("-") ? "_\(name)" : name
    }

    /// Up to five letters and digits after the last dot.
    private static func ending(of name: String) -> String? {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
        let ending = name[name.index(after: dot)...]
        guard (1...5).contains(ending.utf8.count), ending.utf8.allSatisfy(PercentEncoding.isAlphanumeric) else {
            return nil
        }
        return String(ending)
    }

    /// By the bytes, then the server's type, then the address.
    private static func suffix(ending: String?, contentType: String?, body: [UInt8]) -> String {
        let ending = ending?.lowercased()
        if body.starts(with: [0xff, 0xd8, 0xff]) { return ending == "jpeg" ? "jpeg" : "jpg" }
        if body.starts(with: [0x89, 0x50, 0x4e, 0x47]) { return "png" }
        if body.starts(with: "GIF8".utf8) { return "gif" }
        if body.starts(with: "RIFF".utf8), body.dropFirst(8).starts(with: "WEBP".utf8) { return "webp" }
        let type = contentType?.lowercased() ?? ""
        if type.containsBytes(of: "json") { return "json" }
        if type.containsBytes(of: "html") { return "html" }
        if let ending { return ending }
        switch body.first(where: { $0 > 0x20 }) {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return "json"
        default: return type.hasPrefix("text/") ? "txt" : "bin"
        }
    }
}
