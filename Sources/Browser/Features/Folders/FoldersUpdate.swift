internal import SpyglassCatalog
internal import SpyglassFiles
internal import SpyglassPipeline

/// The folders around the listed one, and what has happened to it.
struct FolderState: Sendable {
    /// The outermost first.
    var parents: [PhotoList] = []
    /// Whether the folder has changed since it was listed.
    var isChanged = false
    /// Whether the program was started with files whose first page has not come.
    var opensSingleFile = false
}

extension PhotoList {
    /// Whether the list has files and folders on disk.
    var isLocal: Bool { !query.paths.isEmpty }

    /// The path of the folder, or of a single file.
    var path: [UInt8]? { query.paths.count == 1 ? query.paths[0] : nil }
}

extension AppState {
    /// Photos on each side of the selection that a list keeps while a folder in it is shown.
    private static let keptPhotos = 100
    /// Names in the title of a list of files.
    private static let titleNames = 20

    // MARK: Going

    /// Shows the contents of a folder, or files.
    mutating func show(_ query: PhotoQuery, at start: PhotoStart = .first, _ effects: inout Effects) {
        let paths = query.paths
        let title =
            paths.count == 1
            ? shortened(paths[0])
            : paths.prefix(Self.titleNames).map(LocalFile.name(of:)).joined(separator: " ")
        search(title, query, source: "folder", at: start, &effects)
    }

    mutating func enter(_ folder: [UInt8], _ effects: inout Effects) {
        guard var list else { return }
        var query = list.query
        query.paths = [folder]
        list.endFilter(in: geometry)
        list.drop(beyond: Self.keptPhotos)
        folders.parents.append(list)
        show(query, &effects)
    }

    /// Enters the folder that is shown in full, if it is one.
    mutating func openFolder(_ effects: inout Effects) {
        guard let photo = list?.photo(at: list?.selected ?? 0), photo.mediaType == .folder else { return }
        openDetail(&effects)
    }

    /// Shows the folder around, as it was, and lists it again; returns `false` in the outermost folder.
    mutating func leaveFolder(_ effects: inout Effects) -> Bool {
        guard let parent = folders.parents.popLast() else { return false }
        list = parent
        screens = [.home(SearchScreen()), .list]
        listAgain(&effects)
        return true
    }

    /// Shows a file that is opened alone in full.
    mutating func openSingleFile(_ effects: inout Effects) {
        folders.opensSingleFile = false
        guard let list, let path = list.path, list.photos.count == 1, list.photos[0].file?.path == path,
            list.photos[0].mediaType != .folder, case .list = top
        else { return }
        openDetail(&effects)
    }

    // MARK: Order

    /// Sorts the list by the next order, and the folders that are entered from it; those around it stay as they are.
    mutating func changeOrder(_ effects: inout Effects) {
        guard var list, list.isLocal else { return }
        // Files come at first in the order in which they were given.
        let orders = (list.path == nil ? [nil] : []) + FolderOrder.allCases
        let order = orders[((orders.firstIndex(of: list.query.folderOrder) ?? 0) + 1) % orders.count]
        list.query.folderOrder = order
        self.list = list
        restart(.selects(0), &effects)
        notice = order.map { .sorted($0) }
    }

    // MARK: Changes

    /// Lists a changed folder again once it is listed.
    mutating func reconcileFolder(_ effects: inout Effects) {
        if list?.isLocal != true { folders.isChanged = false }
        if folders.isChanged, list?.isLoadingNext == false, list?.isLoadingPrevious == false {
            folders.isChanged = false
            listAgain(&effects)
        }
    }

    /// Reads the headers of the files on the screen, and on one screen below and above.
    mutating func reconcileFiles(_ effects: inout Effects) {
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
        effects.append(.readFiles(generation: list.generation, unread))
    }

    private mutating func listAgain(_ effects: inout Effects) {
        guard let list else { return }
        let arrival = list.photo(at: list.selected).map {
            PhotoList.Arrival.keeps(photoID: $0.id, position: list.selectedResult)
        }
        restart(arrival ?? .selects(0), isQuiet: true, &effects)
    }

    /// Returns a path as text, with `~` for the home folder.
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
