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
        /// Whether the user named it, or it is alone.
        var isGiven = false
        /// The number that files are sorted by, the greatest first, before their names; 0 for the order of names.
        var key = 0
    }

    var count: Int { entries.count }

    /// Lists one folder, the images around one file, or the given items in their order; cancellation is checked at every name.
    ///
    /// `date` returns when a picture was taken, as its file says: `2024-05-17T12:30:45`.
    ///
    /// Leaves out hidden names and files that are no images. A file in a folder that cannot be read is alone. A list with
    /// sub-folders has the pictures of folders inside instead of these folders, as far as they can be read; links to folders are
    /// left out there, since they make circles.
    init(_ query: PhotoQuery, date: (LocalFile) -> String?) throws {
        let (paths, order, isDeep) = (query.paths, query.folderOrder, query.includesSubfolders)
        let file = query.includesNeighbours ? paths.first : nil
        let around = file?.folderAround.flatMap { (try? Folder(opening: $0)) == nil ? nil : $0 }
        let isOneFolder = try around != nil || file == nil && paths.count == 1 && LocalFile(paths[0]).isFolder
        folder = isOneFolder ? around ?? paths[0] : []
        let open = isOneFolder ? try Folder(opening: folder) : nil
        switch open {
        case .some(let open):
            try list(open, isDeep: isDeep)
            if let file { keepImages(with: file) }
        case .none:
            for path in paths {
                let isFolder = (try? LocalFile(path))?.isFolder == true
                if isDeep, isFolder, let inner = try? Folder(opening: path) {
                    try list(inner, in: path.appending(name: []), isDeep: true)
                } else {
                    entries.append(Entry(name: path, isFolder: isFolder, isGiven: true))
                }
            }
        }
        guard isOneFolder || isDeep || order != nil else { return }
        if let order, order != .name { try readKeys(order, in: open, date) }
        sort()
        try Cancellation.check()
    }

    /// The position of a photo; `nil` if there is none with this id.
    func position(of id: String) -> Int? {
        // Names may be canonically equal strings.
        entries.firstIndex { path(of: $0.name).uniqueText.utf8.elementsEqual(id.utf8) }
    }

    /// The photos at these positions, looked up now; one that is gone has no file.
    func photos(_ positions: Range<Int>, source: String) throws(FileError) -> [Photo] {
        let open = folder.isEmpty ? nil : try Folder(opening: folder)
        return positions.clamped(to: entries.indices).map { photo(at: entries[$0], in: open, source) }
    }

    private func photo(at entry: Entry, in open: borrowing Folder?, _ source: String) -> Photo {
        let path = path(of: entry.name)
        let file = lookUp(entry, in: open)
        var photo = Photo(id: path.uniqueText, source: source)
        photo.title = LocalFile.name(of: path)
        if !folder.isEmpty, let end = entry.name.lastIndex(of: UInt8(ascii: "/")) {
            photo.albums = [Array(entry.name[..<end]).shown]
        }
        photo.file = file
        (photo.date, photo.isDatedByFile) = (file?.localTime, true)
        if entry.isFolder {
            photo.mediaType = .folder
        } else if case .otherImage(let format)? = FileKind(extensionOf: entry.name) {
            photo.unsupportedFormat = format
        }
        return photo
    }

    private func path(of name: [UInt8]) -> [UInt8] { folder.isEmpty ? name : folder.appending(name: name) }

    private func lookUp(_ entry: Entry, in open: borrowing Folder?) -> LocalFile? {
        let path = path(of: entry.name)
        guard !entry.isGiven else { return try? LocalFile(path) }
        switch open {
        case .some(let open):
            return (try? open.status(of: entry.name, followingLinks: true)).map { LocalFile(path, $0) }
        case .none: return try? LocalFile(path)
        }
    }

    /// Leaves out folders, and adds a file that is there under a name of no image.
    private mutating func keepImages(with file: [UInt8]) {
        entries.removeAll(where: \.isFolder)
        let name = file.lastName
        guard !entries.contains(where: { $0.name == name }), (try? LocalFile(file))?.isFolder == false else { return }
        entries.append(Entry(name: name, isFolder: false, isGiven: true))
    }

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
            let isFolder = open.isFolder(name, kind, followingLinks: true) { FileKind.ofExtension($0) != nil }
            if let isFolder {
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
            // A folder that cannot be read, or is a link, is left out.
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
            guard order != .random else {
                // Seeded anew in each run, so a folder that is listed again keeps its order.
                entries[index].key = name.hashValue
                continue
            }
            guard let file = lookUp(entries[index], in: open) else { continue }
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
    /// Orders times of change among those of pictures; a year of more than four digits is before or after all others.
    fileprivate var timeKey: Int {
        let (seconds, attoseconds) = modified.components
        let fraction = Int(attoseconds / (1_000_000_000_000_000_000 / Int64(FolderListing.fractionsPerSecond)))
        return localTime.flatMap { FolderListing.timeKey($0, fraction: fraction) } ?? (seconds < 0 ? .min : .max)
    }
}
