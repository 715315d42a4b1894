internal import SpyglassCatalog
internal import SpyglassCodecs
internal import SpyglassFiles
internal import SpyglassThreads

/// The sorted names of a folder's sub-folders and pictures, or given files; calls block.
struct FolderListing: Sendable {
    /// The folder of the names; empty for paths.
    private let folder: [UInt8]
    private var entries: [Entry] = []

    private struct Entry {
        let name: [UInt8]
        let isFolder: Bool
        /// The number that files are sorted by, the greatest first, before their names; 0 for the order of names.
        var key = 0
    }

    var count: Int { entries.count }

    /// Lists one folder, or the given items in their order; cancellation is checked at every name.
    ///
    /// `date` returns when a picture was taken, as its file says: `2024-05-17T12:30:45`.
    ///
    /// Leaves out hidden names, files that are no images, and links: another user could link elsewhere, and links to folders make
    /// circles. With `isDeep`, lists the pictures of folders inside instead of these folders, as far as they can be read.
    init(_ paths: [[UInt8]], isDeep: Bool = false, by order: FolderOrder?, date: (LocalFile) -> String?) throws {
        let isOneFolder = try paths.count == 1 && LocalFile(paths[0]).isFolder
        folder = isOneFolder ? paths[0] : []
        let open = isOneFolder ? try Folder(opening: paths[0]) : nil
        switch open {
        case .some(let open): try list(open, isDeep: isDeep)
        case .none:
            for path in paths {
                let isFolder = (try? LocalFile(path))?.isFolder == true
                if isDeep, isFolder, let inner = try? Folder(opening: path) {
                    try list(inner, in: path.appending(name: []), isDeep: true)
                } else {
                    entries.append(Entry(name: path, isFolder: isFolder))
                }
            }
        }
        guard isOneFolder || isDeep || order != nil else { return }
        if let order, order != .name { try readKeys(order, in: open, date) }
        sort()
        try Cancellation.check()
    }

    /// The photos at these positions, looked up now; one that is gone has no file.
    func photos(_ positions: Range<Int>, source: String) throws(FileError) -> [Photo] {
        let open = folder.isEmpty ? nil : try Folder(opening: folder)
        return positions.clamped(to: entries.indices).map { photo(at: entries[$0], in: open, source) }
    }

    private func photo(at entry: Entry, in open: borrowing Folder?, _ source: String) -> Photo {
        let path = path(of: entry.name)
        let file = LocalFile.lookingUp(entry.name, in: open, path: path)
        var photo = Photo(id: path.uniqueText, source: source)
        photo.title = LocalFile.name(of: path)
        if !folder.isEmpty, let end = entry.name.lastIndex(of: UInt8(ascii: "/")) {
            photo.albums = [Array(entry.name[..<end]).shown]
        }
        photo.file = file
        photo.date = file?.localTime
        if entry.isFolder {
            photo.mediaType = .folder
        } else if case .otherImage(let format)? = FileKind(extensionOf: entry.name) {
            photo.unsupportedFormat = format
        }
        return photo
    }

    private func path(of name: [UInt8]) -> [UInt8] { folder.isEmpty ? name : folder.appending(name: name) }

    /// A list of folders inside has at most so many names, and goes so deep: each level costs a descriptor.
    private static let (maxDeepEntries, maxDepth) = (1_000_000, 64)

    /// Lists a folder; its path in the list, which ends with a slash, precedes the names.
    private mutating func list(
        _ open: borrowing Folder, in path: [UInt8] = [], isDeep: Bool, depth: Int = 0
    ) throws {
        var folders: [[UInt8]] = []
        let room = isDeep ? Self.maxDeepEntries - entries.count : .max
        var count = 0
        try open.forEachEntry { name, kind in
            if let isFolder = open.isFolder(name, kind, orFileWhere: { FileKind.ofExtension($0) != nil }) {
                count += 1
                if isDeep, isFolder {
                    folders.append(Array(name))
                } else {
                    entries.append(Entry(name: path + Array(name), isFolder: isFolder))
                }
            }
            return count <= room && !Cancellation.current.isCancelled
        }
        try Cancellation.check()
        guard count <= room else {
            throw CatalogError(
                .unavailable, "more than \(Self.maxDeepEntries) pictures and folders; show fewer folders at once")
        }
        guard depth < Self.maxDepth else { return }
        for name in folders {
            // A folder that cannot be read, or was replaced by a link, is left out.
            do {
                let inner = try open.openFolder(name)
                try list(inner, in: path + name + [UInt8(ascii: "/")], isDeep: true, depth: depth + 1)
            } catch is FileError {}
        }
    }

    private mutating func readKeys(
        _ order: FolderOrder, in open: borrowing Folder?, _ date: (LocalFile) -> String?
    ) throws {
        for index in entries.indices {
            try Cancellation.check()
            let name = entries[index].name
            guard let file = LocalFile.lookingUp(name, in: open, path: path(of: name)) else { continue }
            guard order == .time else {
                entries[index].key = file.byteCount
                continue
            }
            var taken: String?
            if !file.isFolder, case .image? = FileKind(extensionOf: name) { taken = date(file) }
            entries[index].key = taken.flatMap { Self.timeKey($0) } ?? file.timeKey
        }
    }

    /// A number that orders local times of the form `2024-05-17T12:30:45`, whatever follows; `nil` for another form.
    fileprivate static func timeKey(_ time: String, fraction: Int = 0) -> Int? {
        let digits = time.utf8.prefix(19).filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard digits.count == 14, let number = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
        return number * fractionsPerSecond + fraction
    }

    /// The largest power of ten that fits.
    fileprivate static let fractionsPerSecond = 10_000

    /// Folders first; names break ties.
    private mutating func sort() {
        entries.sort { one, other in
            if one.isFolder != other.isFolder { return one.isFolder }
            return one.key != other.key ? one.key > other.key : NaturalOrder.precedes(one.name, other.name)
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

    /// Orders times of change among those of pictures; a year of more than four digits is before or after all others.
    fileprivate var timeKey: Int {
        let (seconds, attoseconds) = modified.components
        let fraction = Int(attoseconds / (1_000_000_000_000_000_000 / Int64(FolderListing.fractionsPerSecond)))
        return localTime.flatMap { FolderListing.timeKey($0, fraction: fraction) } ?? (seconds < 0 ? .min : .max)
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
