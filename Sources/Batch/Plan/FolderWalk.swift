internal import Glibc

/// Walks a folder depth first, in byte order of names, and yields the pictures in it.
///
/// Only names that end like a picture's count. Hidden files and folders are left out, and so are links to folders, so that a walk ends;
/// links to files are followed. Folders are opened below the one they stand in, so that one that is replaced by a link meanwhile is not followed.
/// In memory are the names of the folders on the way to where it stands, in one piece a folder. Calls block.
package struct FolderWalk: ~Copyable, Sendable {
    /// What a walk comes upon.
    package enum Found: Equatable, Sendable {
        /// A picture: the folders to it from where the walk began, and its name.
        case file(folders: [[UInt8]], name: [UInt8], FileIdentity)
        /// A folder that cannot be read, or not to its end.
        case failed(folders: [[UInt8]], reason: String)
    }

    /// A folder on the way.
    private struct Level: Sendable {
        let descriptor: Int32
        let name: [UInt8]
        var names: NameList
    }

    private var levels: [Level] = []
    /// A folder whose contents are not walked: the results'.
    private let excluded: FileIdentity?
    private var pending: Found?

    /// Folders within folders; every one costs a descriptor while it is walked.
    static let depthLimit = 128

    /// A walk of an open folder, which is closed with it; lists that folder.
    package init(taking descriptor: Int32, excluding excluded: FileIdentity?, isCancelled: () -> Bool = { false }) {
        self.excluded = excluded
        enter(descriptor, name: [], isCancelled)
    }

    deinit { for level in levels { close(level.descriptor) } }

    /// The next picture, or what could not be read; `nil` at the end.
    ///
    /// `isCancelled` is asked at every entry. Once it says so, all that comes is `nil`, and the walk is of no more use.
    package mutating func next(isCancelled: () -> Bool = { false }) -> Found? {
        while let level = levels.last, !isCancelled() {
            if let found = pending.take() { return found }
            guard let entry = levels[levels.count - 1].names.next() else {
                close(level.descriptor)
                levels.removeLast()
                continue
            }
            switch entry.kind {
            case .file:
                // It may have become something else since it was listed.
                var status = stat()
                guard Self.status(entry.name, in: level.descriptor, &status), status.isPlainFile else { continue }
                return .file(folders: path, name: entry.name, FileIdentity(status))
            case .folder:
                if let failure = descend(entry.name, from: level.descriptor, isCancelled) { return failure }
            }
        }
        return nil
    }

    /// The folders from the beginning of the walk to where it stands.
    private var path: [[UInt8]] { levels.dropFirst().map(\.name) }

    private mutating func descend(_ name: [UInt8], from parent: Int32, _ isCancelled: () -> Bool) -> Found? {
        guard levels.count < Self.depthLimit else {
            return .failed(
                folders: path + [name], reason: "folders are walked \(Self.depthLimit) deep, and this one lies deeper")
        }
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let opened = CString.with(name) { openat(parent, $0, flags) }
        guard opened >= 0 else {
            // Removed or replaced since it was listed.
            guard ![ENOENT, ENOTDIR, ELOOP].contains(errno) else { return nil }
            return .failed(folders: path + [name], reason: SystemErrorText.last)
        }
        var status = stat()
        guard fstat(opened, &status) == 0, FileIdentity(status) != excluded else {
            close(opened)
            return nil
        }
        enter(opened, name: name, isCancelled)
        return nil
    }

    private mutating func enter(_ descriptor: Int32, name: [UInt8], _ isCancelled: () -> Bool) {
        var names = NameList()
        let code = names.fill(from: descriptor, isCancelled: isCancelled)
        levels.append(Level(descriptor: descriptor, name: name, names: names))
        if code != 0 { pending = .failed(folders: path, reason: SystemErrorText.of(code)) }
    }

    private static func status(_ name: [UInt8], in folder: Int32, _ status: inout stat) -> Bool {
        CString.with(name) { fstatat(folder, $0, &status, 0) } == 0
    }
}

/// The names of a folder in byte order, in one piece: a million arrays would take five times the memory.
struct NameList: Sendable {
    enum Kind: UInt8 {
        case file
        case folder
    }

    /// The kind, the bytes of the name and a zero, for each.
    private var bytes: [UInt8] = []
    private var starts: [Int] = []
    private var position = 0

    /// The next name.
    mutating func next() -> (name: [UInt8], kind: Kind)? {
        guard position < starts.count else { return nil }
        let start = starts[position]
        position += 1
        let name = bytes[(start + 1)...].prefix { $0 != 0 }
        return Kind(rawValue: bytes[start]).map { (Array(name), $0) }
    }

    /// Reads a folder (`readdir`) and sorts what is walked; returns why it could not be read to its end, or 0.
    ///
    /// Where it is cancelled, which is asked at every entry, what is in it is neither whole nor sorted.
    mutating func fill(from folder: Int32, isCancelled: () -> Bool) -> Int32 {
        // The stream takes a descriptor of its own over.
        let copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { return errno }
        guard let stream = fdopendir(copy) else {
            let code = errno
            close(copy)
            return code
        }
        defer { closedir(stream) }
        var code: Int32 = 0
        while true {
            guard !isCancelled() else { return ECANCELED }
            errno = 0
            guard let entry = readdir(stream) else {
                code = errno
                break
            }
            let type = entry.pointee.d_type
            withUnsafeBytes(of: &entry.pointee.d_name) { field in
                let name = UnsafeRawBufferPointer(rebasing: field[..<(field.firstIndex(of: 0) ?? field.count)])
                add(name, type, in: folder)
            }
        }
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            starts.sort { strcmp(base + $0 + 1, base + $1 + 1) < 0 }
        }
        return code
    }

    private mutating func add(_ name: UnsafeRawBufferPointer, _ type: UInt8, in folder: Int32) {
        guard name.first != UInt8(ascii: "."), let kind = Self.kind(name, type, in: folder) else { return }
        starts.append(bytes.count)
        bytes.append(kind.rawValue)
        bytes.append(contentsOf: name)
        bytes.append(0)
    }

    private static func kind(_ name: UnsafeRawBufferPointer, _ type: UInt8, in folder: Int32) -> Kind? {
        switch Int(type) {
        case Int(DT_DIR): return .folder
        case Int(DT_REG): return PictureEnding(name) == nil ? nil : .file
        case Int(DT_LNK), Int(DT_UNKNOWN):
            var status = stat()
            let named = CString.with(Array(name)) { fstatat(folder, $0, &status, AT_SYMLINK_NOFOLLOW) }
            guard named == 0 else { return nil }
            if status.isFolder { return .folder }
            guard PictureEnding(name) != nil else { return nil }
            guard CString.with(Array(name), { fstatat(folder, $0, &status, 0) }) == 0 else { return nil }
            return status.isPlainFile ? .file : nil
        default: return nil
        }
    }
}

/// What a file is, going by its name.
enum PictureEnding {
    case jpeg
    case png

    /// By the last part of a name, in any case: `.jpg .jpeg .jpe .jfif .png`.
    init?(_ name: some BidirectionalCollection<UInt8>) {
        let ending = name.reversed().prefix { $0 != UInt8(ascii: ".") }
        guard ending.count < name.count else { return nil }
        let lower = ending.reversed().map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        switch String(decoding: lower, as: UTF8.self) {
        case "jpg", "jpeg", "jpe", "jfif": self = .jpeg
        case "png": self = .png
        default: return nil
        }
    }

    /// The extension of results.
    var text: String { self == .jpeg ? "jpg" : "png" }
}

/// Names as the system's calls take them.
enum CString {
    /// Calls `body` with bytes that end in a zero.
    static func with<Result>(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        (bytes + [0]).withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { text in
                // An array that ends in 0 is never empty, so it has an address.
                text.baseAddress.map(body) ?? "".withCString(body)
            }
        }
    }
}
