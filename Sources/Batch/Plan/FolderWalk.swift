internal import Glibc
internal import SpyglassCodecs
package import SpyglassFiles

/// Yields a folder's images, depth first, in byte order of names; holds the names of the current path's folders.
///
/// Calls block. Skips hidden names, other files, and links: another user could link elsewhere. So each folder is opened below its parent.
package struct FolderWalk: ~Copyable, Sendable {
    package enum Found: Equatable, Sendable {
        /// An image: the folders from the start of the walk, and its name.
        case file(folders: [[UInt8]], name: [UInt8], FileIdentity)
        /// A folder that cannot be read, or not completely.
        case failed(folders: [[UInt8]], reason: String)
    }

    /// An open folder that several values may hold.
    private final class OpenFolder: Sendable {
        let folder: Folder

        init(_ folder: consuming Folder) { self.folder = folder }
    }

    private struct Entry: Sendable {
        let name: [UInt8]
        let isFolder: Bool
    }

    private struct Level: Sendable {
        let open: OpenFolder
        let name: [UInt8]
        /// The last is the next.
        var entries: [Entry]
    }

    private var levels: [Level] = []
    /// A folder that is skipped: that of the results.
    private let excluded: FileIdentity?
    private var pending: Found?
    /// Images that are skipped, by kind: `RAW`, `link`; of the folders entered so far.
    private(set) var leftOut: [String: Int] = [:]
    /// Maximum depth; each folder of the path costs a descriptor.
    static let maxDepth = 128

    package init(_ folder: consuming Folder, excluding excluded: FileIdentity?, isCancelled: () -> Bool = { false }) {
        self.excluded = excluded
        enter(OpenFolder(folder), name: [], isCancelled)
    }

    /// The next image, or what cannot be read; `nil` at the end, and once `isCancelled` returns true, checked at every entry.
    package mutating func next(isCancelled: () -> Bool = { false }) -> Found? {
        while let open = levels.last?.open, !isCancelled() {
            if let found = pending.take() { return found }
            guard let entry = levels[levels.count - 1].entries.popLast() else {
                levels.removeLast()
                continue
            }
            if entry.isFolder {
                if let failure = descend(entry.name, from: open.folder, isCancelled) { return failure }
            } else if let status = try? open.folder.status(of: entry.name), status.isRegular {
                // Looked up now: it may have been replaced since it was listed.
                return .file(folders: path, name: entry.name, status.identity)
            }
        }
        return nil
    }

    private var path: [[UInt8]] { levels.dropFirst().map(\.name) }

    private mutating func descend(_ name: [UInt8], from parent: borrowing Folder, _ isCancelled: () -> Bool) -> Found? {
        guard levels.count < Self.maxDepth else {
            return .failed(folders: path + [name], reason: "deeper than the limit of \(Self.maxDepth) folders")
        }
        do throws(FileError) {
            let folder = try parent.openFolder(name)
            if try folder.descriptor.status.identity != excluded { enter(OpenFolder(folder), name: name, isCancelled) }
        } catch {
            // Removed or replaced since it was listed.
            guard [ENOENT, ENOTDIR].contains(error.code) else {
                return .failed(folders: path + [name], reason: "cannot open: \(error.reason)")
            }
        }
        return nil
    }

    private mutating func enter(_ open: OpenFolder, name: [UInt8], _ isCancelled: () -> Bool) {
        var entries: [Entry] = []
        var leftOut = leftOut
        var failure: FileError?
        do throws(FileError) {
            try open.folder.forEachEntry { name, kind in
                guard !isCancelled() else { return false }
                if let entry = Self.entry(name, kind, in: open.folder, &leftOut) { entries.append(entry) }
                return true
            }
        } catch {
            failure = error
        }
        Self.leaveOutPairs(&entries, &leftOut)
        entries.sort { $1.name.lexicographicallyPrecedes($0.name) }
        self.leftOut = leftOut
        levels.append(Level(open: open, name: name, entries: entries))
        if let failure { pending = .failed(folders: path, reason: "cannot read: \(failure.reason)") }
    }

    /// Leaves out a RAW file beside the JPEG or HEIC that the camera made of it: both would have one result.
    private static func leaveOutPairs(_ entries: inout [Entry], _ leftOut: inout [String: Int]) {
        func stem(_ entry: Entry, of formats: [ImageFormat]) -> ArraySlice<UInt8>? {
            guard !entry.isFolder, case .image(let format)? = FileKind(extensionOf: entry.name),
                formats.contains(format)
            else { return nil }
            return entry.name.lastIndex(of: UInt8(ascii: ".")).map { entry.name[..<$0] }
        }
        let pictures = Set(entries.compactMap { stem($0, of: [.jpeg, .heif]) })
        let count = entries.count
        entries.removeAll { entry in stem(entry, of: [.raw]).map(pictures.contains) ?? false }
        if entries.count < count { leftOut["RAW beside its JPEG", default: 0] += count - entries.count }
    }

    private static func entry(
        _ name: UnsafeRawBufferPointer, _ kind: Folder.EntryKind, in folder: borrowing Folder,
        _ leftOut: inout [String: Int]
    ) -> Entry? {
        var other: FileKind?
        let isFolder = folder.isFolder(name, kind) { name in
            other = FileKind.ofExtension(name)
            if case .image? = other { return true }
            return false
        }
        if let isFolder { return Entry(name: Array(name), isFolder: isFolder) }
        if case .otherImage(let format) = other {
            leftOut[format.hasSuffix("(camera RAW)") ? "RAW" : format, default: 0] += 1
        } else if isLink(name, kind, in: folder) {
            leftOut["link", default: 0] += 1
        }
        return nil
    }

    /// True for a visible link with the name of an image, or to a folder.
    private static func isLink(
        _ name: UnsafeRawBufferPointer, _ kind: Folder.EntryKind, in folder: borrowing Folder
    ) -> Bool {
        guard case .unknown = kind, name.first != UInt8(ascii: "."),
            (try? folder.status(of: Array(name)).kind) == .link
        else { return false }
        return FileKind.ofExtension(name) != nil
            || (try? folder.status(of: Array(name), followingLinks: true).kind) == .folder
    }
}
