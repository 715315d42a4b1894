internal import SpyglassCatalog
internal import SpyglassCodecs
internal import SpyglassFiles

/// The sorted names of a folder's sub-folders and pictures, or given files; all names in one array.
///
/// 100,000 names of 20 bytes take 4 MB. Calls block.
struct FolderListing: Sendable {
    /// The folder of the names; empty for paths.
    private let folder: [UInt8]
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []

    private struct Entry {
        var start: Int
        var length: Int32
        var isFolder: Bool
        /// What files are sorted by, the greatest first, before their names; 0 for the order of names.
        var key = 0
    }

    var count: Int { entries.count }

    /// Lists one folder, or the given items in their order; `isCancelled` is checked at every name.
    ///
    /// Leaves out hidden names, files that are no images, and links: another user could link elsewhere, and links to folders make
    /// circles.
    init(_ paths: [[UInt8]], by order: FolderOrder?, isCancelled: () -> Bool) throws {
        let isOneFolder = try paths.count == 1 && LocalFile(paths[0]).isFolder
        folder = isOneFolder ? paths[0] : []
        let open = isOneFolder ? try Folder(opening: paths[0]) : nil
        switch open {
        case .some(let open): try list(open, isCancelled)
        case .none:
            for path in paths { path.withUnsafeBytes { add($0, isFolder: (try? LocalFile(path))?.isFolder == true) } }
        }
        guard isOneFolder || order != nil else { return }
        if let order, order != .name { try readKeys(order, in: open, isCancelled) }
        sort()
        try Self.check(isCancelled)
    }

    // MARK: Photos

    /// The photos at these positions, looked up now; one that is gone has no file.
    func photos(_ positions: Range<Int>, source: String) throws(FileError) -> [Photo] {
        let open = folder.isEmpty ? nil : try Folder(opening: folder)
        return positions.clamped(to: entries.indices).map { photo(at: entries[$0], in: open, source) }
    }

    private func photo(
        at entry: Entry, in open: borrowing Folder?, _ source: String
    ) -> Photo {
        let name = name(of: entry)
        let path = folder.isEmpty ? name : folder.appending(name: name)
        let file = LocalFile.lookingUp(name, in: open, path: path)
        var photo = Photo(id: path.uniqueText, source: source)
        photo.title = LocalFile.name(of: path)
        photo.file = file
        photo.date = file?.localTime
        if entry.isFolder {
            photo.mediaType = .folder
        } else if case .otherImage(let format)? = FileKind(extensionOf: name) {
            photo.unsupportedFormat = format
        }
        return photo
    }

    private func name(of entry: Entry) -> [UInt8] { Array(bytes[entry.start..<entry.start + Int(entry.length)]) }

    // MARK: Reading

    private mutating func list(_ open: borrowing Folder, _ isCancelled: () -> Bool) throws {
        try open.forEachEntry { name, kind in
            if let isFolder = open.isFolder(name, kind, orFileWhere: { FileKind.ofExtension($0) != nil }) {
                add(name, isFolder: isFolder)
            }
            return !isCancelled()
        }
        try Self.check(isCancelled)
    }

    private mutating func add(_ name: UnsafeRawBufferPointer, isFolder: Bool) {
        entries.append(Entry(start: bytes.count, length: Int32(clamping: name.count), isFolder: isFolder))
        bytes.append(contentsOf: name)
    }

    private mutating func readKeys(_ order: FolderOrder, in open: borrowing Folder?, _ isCancelled: () -> Bool) throws {
        for index in entries.indices {
            try Self.check(isCancelled)
            let name = name(of: entries[index])
            guard let file = LocalFile.lookingUp(name, in: open, path: name) else { continue }
            entries[index].key = order == .size ? file.byteCount : file.modified.nanoseconds
        }
    }

    private static func check(_ isCancelled: () -> Bool) throws(CancellationError) {
        if isCancelled() { throw CancellationError() }
    }

    /// Folders first; names break ties.
    private mutating func sort() {
        bytes.withUnsafeBytes { bytes in
            func name(_ entry: Entry) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(rebasing: bytes[entry.start..<entry.start + Int(entry.length)])
            }
            entries.sort { one, other in
                if one.isFolder != other.isFolder { return one.isFolder }
                if one.key != other.key { return one.key > other.key }
                return NaturalOrder.precedes(name(one), name(other))
            }
        }
    }
}

extension LocalFile {
    /// Looks a name up, in a folder without following a link.
    fileprivate static func lookingUp(_ name: [UInt8], in folder: borrowing Folder?, path: [UInt8]) -> LocalFile? {
        switch folder {
        case .some(let folder): (try? folder.status(of: name)).map { LocalFile(path, $0) }
        case .none: try? LocalFile(path)
        }
    }
}

extension Duration {
    /// The nearest that fits.
    fileprivate var nanoseconds: Int {
        let (seconds, attoseconds) = components
        let (product, overflows) = Int(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflows
            ? (seconds < 0 ? .min : .max) : product.addingReportingOverflow(Int(attoseconds / 1_000_000_000)).0
    }
}

extension [UInt8] {
    fileprivate func appending(name: [UInt8]) -> [UInt8] {
        last == UInt8(ascii: "/") ? self + name : self + [UInt8(ascii: "/")] + name
    }

    /// The path as text; one that is not UTF-8 is followed by a zero, which no path has, and its bytes.
    fileprivate var uniqueText: String {
        if let text = String(validating: self, as: UTF8.self) { return text }
        return shown + "\u{0}" + map { String($0, radix: 16) }.joined(separator: " ")
    }
}
