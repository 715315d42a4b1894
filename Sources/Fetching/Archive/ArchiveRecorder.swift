internal import Glibc
internal import SpyglassThreads

/// Writes an archive: bodies first, then their lines.
///
/// Calls block, and come one after another.
final class ArchiveRecorder: Sendable {
    private let path: String
    private let opened = Mutex<Opened?>(nil)

    /// The archive while it is being recorded; the lock on the index ends with its descriptor.
    private final class Opened: Sendable {
        let folder: ArchiveFolder
        let index: Int32

        init(folder: ArchiveFolder, index: Int32) {
            self.folder = folder
            self.index = index
        }

        deinit { close(index) }
    }

    init(path: String) { self.path = path }

    /// Makes the folder an archive, or makes sure that it is one.
    func open() throws(FetchError) { _ = try archive() }

    /// Saves an answer and the redirects that led to it.
    func record(_ response: FetchResponse) throws(FetchError) {
        let archive = try archive()
        var lines: [UInt8] = []
        for hop in response.redirects {
            lines += line(hop.address, hop.status, hop.headers, body: nil)
        }
        let body = response.body.isEmpty ? nil : try save(response, in: archive.folder)
        lines += line(response.address, response.status, response.headers, body: body)
        try append(lines, to: archive)
    }

    // MARK: - The index

    private func archive() throws(FetchError) -> Opened {
        if let archive = opened.withLock({ $0 }) { return archive }
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
            throw ArchiveFolder.failure("the archive \(path.withoutControls) cannot be made")
        }
        let folder = try ArchiveFolder(opening: path)
        let name = ArchiveIndex.fileName
        let isUsable = folder.holds(name) ? true : try folder.isEmpty()
        guard isUsable else {
            throw FetchError(
                .unavailable,
                "\(path.withoutControls) is neither empty nor an archive (it has no \(name)); choose another folder")
        }
        let archive = Opened(folder: folder, index: try folder.openFile(name, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK))
        try mend(archive)
        opened.withLock { $0 = archive }
        return archive
    }

    /// Takes the lock, and mends the end: half a line that a killed recording left is cut off, a whole one without its line
    /// end gets it.
    private func mend(_ archive: Opened) throws(FetchError) {
        let name = archive.folder.shown(ArchiveIndex.fileName)
        guard flock(archive.index, LOCK_EX | LOCK_NB) == 0 else {
            throw FetchError(.unavailable, "\(path.withoutControls) is being recorded by another process")
        }
        let bytes = try archive.folder.read(ArchiveIndex.fileName, limit: ArchiveIndex.byteLimit)
        _ = try ArchiveIndex(bytes, name: name)
        guard let last = bytes.last, last != UInt8(ascii: "\n") else { return }
        let start = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let isWhole = try ArchiveIndex(Array(bytes[start...]), name: name).count > 0
        guard !isWhole else { return try append([UInt8(ascii: "\n")], to: archive) }
        guard ftruncate(archive.index, start) == 0 else { throw ArchiveFolder.failure("\(name) cannot be mended") }
    }

    private func append(_ lines: [UInt8], to archive: Opened) throws(FetchError) {
        let name = ArchiveIndex.fileName
        let size = try archive.folder.size(of: archive.index, name)
        // One call, so that no other line can come between and a kill leaves whole lines or one half.
        let written = lines.withUnsafeBytes { Glibc.write(archive.index, $0.baseAddress, $0.count) }
        guard written == lines.count else {
            let failure = ArchiveFolder.failure("\(archive.folder.shown(name)) cannot be written")
            _ = ftruncate(archive.index, size)
            throw written < 0 ? failure : FetchError(.unavailable, "\(archive.folder.shown(name)): the disk is full")
        }
    }

    private func line(_ address: WebAddress, _ status: Int, _ headers: HTTPHeaders, body: String?) -> [UInt8] {
        let entry = ArchiveEntry(
            url: address.withoutSecrets.text, status: status,
            headers: RecordedHeaders.kept(of: headers, at: address), body: body)
        return Array((entry.line + "\n").utf8)
    }

    // MARK: - Bodies

    /// Writes a body unless it is there already, and returns its name.
    private func save(_ response: FetchResponse, in folder: ArchiveFolder) throws(FetchError) -> String {
        let names = BodyName(
            response.address, contentType: response.headers["Content-Type"], body: response.body)
        for name in names.candidates {
            try folder.makeFolders(for: name)
            if folder.holds(name) {
                let isSame = (try? folder.read(name, limit: response.body.count)) == response.body
                guard isSame else { continue }
                return name
            }
            // The lock makes this the only file of that name; what a killed recording left in it is overwritten.
            let part = ".part"
            try write(response.body, to: part, in: folder)
            try folder.rename(part, to: name)
            return name
        }
        throw FetchError(.unavailable, "\(folder.shown("bodies")) has no free name for \(response.address.shown)")
    }

    private func write(_ bytes: [UInt8], to name: String, in folder: ArchiveFolder) throws(FetchError) {
        let file = try folder.openFile(name, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK)
        defer { close(file) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw ArchiveFolder.failure("\(folder.shown(name)) cannot be written") }
            written += count
        }
    }
}
