internal import SpyglassCatalog
internal import SpyglassFiles
internal import SpyglassPipeline

extension PhotoList {
    /// Whether it has files and folders on disk.
    var isLocal: Bool { !query.paths.isEmpty }

    /// The path of the folder, or of a single file.
    var path: [UInt8]? { query.paths.count == 1 ? query.paths[0] : nil }
}

extension BrowserState {
    /// Photos on each side of the selection that a list keeps while a folder in it is shown.
    private static let keptPhotos = 100
    /// Names in the title of a list of files.
    private static let titleNames = 20

    // MARK: Going

    /// Shows the contents of a folder, or files.
    mutating func show(_ query: PhotoQuery, at start: PhotoStart = .first) {
        let paths = query.paths
        let title =
            paths.count == 1
            ? shortened(paths[0])
            : paths.prefix(Self.titleNames).map(LocalFile.name(of:)).joined(separator: " ")
        search(title, query, source: "folder", at: start)
    }

    mutating func enter(_ folder: [UInt8]) {
        guard var list else { return }
        var query = list.query
        query.paths = [folder]
        list.endFilter(in: geometry)
        list.drop(beyond: Self.keptPhotos)
        parents.append(list)
        show(query)
    }

    /// Enters the folder that is shown in full, if it is one.
    mutating func openFolder() {
        guard let photo = list?.photo(at: list?.selected ?? 0), photo.mediaType == .folder else { return }
        openDetail()
    }

    /// Shows the folder around, as it was, and lists it again; returns `false` in the outermost folder.
    mutating func leaveFolder() -> Bool {
        guard let parent = parents.popLast() else { return false }
        list = parent
        screens = [.home(SearchScreen()), .list]
        listAgain()
        return true
    }

    /// A file that is opened alone is shown in full.
    mutating func openSingleFile() {
        opensSingleFile = false
        guard let list, let path = list.path, list.photos.count == 1, list.photos[0].file?.path == path,
            list.photos[0].mediaType != .folder, case .list = top
        else { return }
        openDetail()
    }

    // MARK: Order

    /// Sorts the list by the next order, and the folders that are entered from it; those around it stay as they are.
    mutating func changeOrder() {
        guard var list, list.isLocal else { return }
        // Files come at first in the order in which they were given.
        let orders = (list.path == nil ? [nil] : []) + FolderOrder.allCases
        let order = orders[((orders.firstIndex(of: list.query.folderOrder) ?? 0) + 1) % orders.count]
        list.query.folderOrder = order
        self.list = list
        restart(.selects(0))
        notice = order.map { .sorted($0) }
    }

    // MARK: Changes

    /// Requests the contact sheets of folders again: a file in one may have changed alone.
    mutating func renewSheets(of folders: Set<[UInt8]>) {
        for (key, picture) in pictures {
            guard case .folder(let folder) = key.source, folders.contains(folder.path) else { continue }
            if picture.hasFailed { pictures[key] = .loading }
            revalidating.insert(key)
        }
    }

    /// Lists a changed folder again once it is listed.
    mutating func reconcileFolder() {
        if list?.isLocal != true { isFolderChanged = false }
        if isFolderChanged, list?.isLoadingNext == false, list?.isLoadingPrevious == false {
            isFolderChanged = false
            listAgain()
        }
    }

    /// Reads what the files on the screen, and on one below and above, say about themselves.
    mutating func reconcileFiles() {
        guard let list, list.isLocal, list.awaited == nil, !coversContent else { return }
        let shown = geometry.positions(from: list.topRow)
        let ahead = [
            shown, shown.upperBound..<shown.upperBound + shown.count, shown.lowerBound - shown.count..<shown.lowerBound,
        ]
        let unread = ahead.joined().compactMap { list.photo(at: $0) }.filter { photo in
            photo.file?.isFolder == false && photo.unsupportedFormat == nil && !list.completed.contains(photo.id)
        }
        guard unread.contains(where: { !list.reading.contains($0.id) }) else { return }
        self.list?.reading = Set(unread.map(\.id))
        emit(.readFiles(generation: list.generation, unread))
    }

    private mutating func listAgain() {
        guard let list else { return }
        let arrival = list.photo(at: list.selected).map {
            PhotoList.Arrival.keeps(photoID: $0.id, position: list.selectedResult)
        }
        restart(arrival ?? .selects(0), isQuiet: true)
    }

    /// A path as text, with `~` for the home folder.
    private func shortened(_ path: [UInt8]) -> String {
        let home = Array(options.homeFolder.utf8)
        guard home.count > 1, path.starts(with: home), path.count == home.count || path[home.count] == UInt8(ascii: "/")
        else { return path.shown }
        return "~" + Array(path[home.count...]).shown
    }
}

extension PhotoList {
    /// Drops photos that are further away from the selection.
    fileprivate mutating func drop(beyond distance: Int) {
        let kept = positions.clamped(to: max(selected - distance, 0)..<selected + distance + 1)
        guard kept.count < photos.count, !kept.isEmpty else { return }
        photos = Array(photos[kept.lowerBound - firstPosition..<kept.upperBound - firstPosition])
        firstPosition = kept.lowerBound
        ids = []
        completed = []
        reading = []
    }
}
