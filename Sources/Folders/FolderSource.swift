public import SpyglassCatalog
public import SpyglassCodecs
internal import SpyglassFiles
internal import SpyglassPixels
internal import SpyglassThreads

/// The pictures of folders and files on disk.
///
///     let source = FolderSource()
///     let page = try await source.page(of: query, at: nil)   // query.paths: one folder, or several files
///
/// With `query.includesNeighbours`, one file stands for all images of its folder. The first page lists the names; a page looks
/// up its own files only. So a source shows a folder as it was at its first page: make another one to list again. Sorting by
/// time reads the header of every file. Files are read on a thread of its own, and nothing is written.
public struct FolderSource: PhotoSource {
    /// `sort`: by name as people do, or the newest or the largest first.
    public static let filters = [
        PhotoFilter(
            FolderOrder.filter, form: .choice(FolderOrder.allCases.map(\.rawValue)), placeholder: "ORDER",
            help: "order of a folder: name, time (the newest first), size (the largest first) or random")
    ]

    /// For a list whose files are read.
    private static let readPageSize = 200
    /// For a browser: nearly every folder is one page.
    static let namedPageSize = 10_000
    private var pageSize: Int { readsFiles ? Self.readPageSize : Self.namedPageSize }
    /// More pages of a file are not counted.
    private static let maxPages = 10_000

    /// `folder`.
    public let name = "folder"
    /// `FolderSource.filters`.
    public var filters: [PhotoFilter] { Self.filters }

    private let decoder: ImageDecoder
    private let readsFiles: Bool
    private let threads = ThreadPool(count: 1)
    private let latest = Monitor<(query: PhotoQuery, listing: FolderListing)?>(nil)

    /// A source that has read nothing; the decoder's limits are for the details of photos.
    public init(decoder: ImageDecoder = ImageDecoder()) { self.init(decoder: decoder, readsFiles: false) }

    /// A source whose pages, with `readsFiles`, have photos as complete as those of `renditions`.
    package init(decoder: ImageDecoder, readsFiles: Bool) {
        self.decoder = decoder
        self.readsFiles = readsFiles
    }

    /// A page of the folder, or of the files.
    ///
    /// - Throws: `CatalogError` for a folder that cannot be read, a cursor of another source or a filter that is not declared;
    ///   `CancellationError`.
    public func page(of query: PhotoQuery, at cursor: PageCursor?) async throws -> PhotoPage {
        let query = try query.checked(by: Self.filters, of: name)
        let photo = cursor?.photo
        let wanted = try photo == nil ? cursor.map { try range(of: $0) } ?? 0..<pageSize : 0..<0
        return try await threads.run { [self] _ in
            do {
                let listing = try listing(of: query)
                let found = photo.map { self.range(around: listing.position(of: $0.id) ?? $0.position) }
                let range = (found ?? wanted).clamped(to: 0..<listing.count)
                var photos = try listing.photos(range, source: name)
                if readsFiles {
                    for index in photos.indices {
                        try Cancellation.check()
                        photos[index] = read(photos[index])
                    }
                }
                return PhotoPage(
                    photos: photos, position: range.lowerBound,
                    next: self.cursor(range.upperBound..<min(range.upperBound + pageSize, listing.count)),
                    previous: self.cursor(max(range.lowerBound - pageSize, 0)..<range.lowerBound),
                    total: .exact(listing.count))
            } catch let error as FileError {
                let path = query.paths.count == 1 ? query.paths[0].shown : "files"
                throw CatalogError(.unavailable, "cannot list \(path): \(error.reason)")
            }
        }
    }

    /// The cursor of a page or of the photos around a position.
    public func cursor(for start: PhotoStart) -> PageCursor? {
        switch start {
        case .page(let number):
            let first = (min(max(number, 1), Int.max / pageSize) - 1) * pageSize
            return cursor(first..<first + pageSize)
        case .position(let position): return cursor(range(around: position))
        case .photo(let id, let position): return PageCursor(photoID: id, or: max(position, 0))
        }
    }

    /// The start that leads to the page with a file.
    package static func start(at file: [UInt8]) -> PhotoStart { .photo(id: file.uniqueText, or: 0) }

    private func range(around position: Int) -> Range<Int> {
        let first = max(min(max(position, 0), Int.max - 2 * pageSize) - pageSize / 2, 0)
        return first..<first + pageSize
    }

    /// The photo with what its file says: its pixels and format, when, how and with which camera it was taken; a folder with
    /// the number of its photos.
    ///
    /// Returns the photo unchanged if the file cannot be read; its picture shows why.
    public func renditions(of photo: Photo) async throws -> Photo {
        try await threads.run { [self] _ in read(photo) }
    }

    private func read(_ photo: Photo) -> Photo {
        guard let file = photo.file, photo.unsupportedFormat == nil else { return photo }
        var photo = photo
        if file.isFolder {
            photo.contents = FolderContents(of: file)
            return photo
        }
        guard let found = try? decoder.metadata(of: .localFile(file)) else { return photo }
        if let date = found.date { (photo.date, photo.isDatedByFile) = (date, false) }
        photo.camera = found.camera
        photo.format = "\(found.info.format)"
        photo.exposure = Exposure(
            time: found.exposureTime, fNumber: found.fNumber, iso: found.iso, focalLength: found.focalLength)
        photo.width = found.info.size.width
        photo.height = found.info.size.height
        if found.info.format.mayHavePages {
            photo.pageCount = (try? decoder.frameCount(of: .localFile(file), upTo: Self.maxPages)) ?? 1
        }
        return photo
    }

    private func listing(of query: PhotoQuery) throws -> FolderListing {
        if let known = latest.withLock({ $0 }), known.query == query { return known.listing }
        let listing = try FolderListing(query) { try? decoder.metadata(of: .localFile($0)).date }
        latest.withLock { $0 = (query, listing) }
        return listing
    }

    private func cursor(_ range: Range<Int>) -> PageCursor? {
        range.isEmpty ? nil : PageCursor(token: "\(range.lowerBound)-\(range.upperBound)")
    }

    private func range(of cursor: PageCursor) throws -> Range<Int> {
        let bounds = cursor.token.split(separator: "-").map { Int($0) }
        guard bounds.count == 2, let first = bounds[0], let end = bounds[1], (0..<end).contains(first) else {
            throw CatalogError.foreignCursor(of: name)
        }
        return first..<end
    }
}

extension PageCursor {
    fileprivate init(photoID: String, or position: Int) { self.init(token: "photo \(position) \(photoID)") }

    /// The photo that the page has, or else its position; `nil` for a page by positions.
    fileprivate var photo: (id: String, position: Int)? {
        let parts = token.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "photo", let position = Int(parts[1]), position >= 0 else { return nil }
        return (String(parts[2]), position)
    }
}

extension FolderContents {
    /// A folder with more names is counted as far.
    static let maxNames = 10_000

    /// Counts what is in a folder now; `nil` if it cannot be read, or is another one.
    init?(of file: LocalFile) {
        guard let folder = try? Folder(opening: file.path), (try? folder.descriptor.status.identity) == file.identity
        else { return nil }
        self.init()
        var names = 0
        do throws(FileError) {
            try folder.forEachEntry { name, kind in
                names += 1
                isPartial = names > Self.maxNames
                guard !isPartial, !Cancellation.current.isCancelled else { return false }
                let isFolder = folder.isFolder(name, kind, followingLinks: true) { FileKind.ofExtension($0) != nil }
                guard let isFolder else { return true }
                if isFolder { folders += 1 } else { photos += 1 }
                return true
            }
        } catch { return nil }
    }
}
