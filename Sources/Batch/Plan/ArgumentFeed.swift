internal import SpyglassCaching
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassThreads

/// The pictures that operands name: files, folders that are walked, addresses.
///
///     let feed = ArgumentFeed(operands, job, into: folder)
///     while let next = try await feed.next() { ... }
///
/// A folder's tree is kept; its files that end in `.jpg .jpeg .jpe .jfif .png` count, hidden ones do not, links to folders are not followed,
/// and the output folder is left out. An item's id is its path relative to the operand: of a file, its name. What an operand
/// does not name, and what claims the name of an earlier item's result, are items that failed; an item that is named once more is made once.
///
/// Everything is walked twice: once to count, and to find the names that several claim (8 bytes for every result, given back before the
/// run starts), and once to work. Where names are claimed by several, it is walked once more to count those that come once more.
package final class ArgumentFeed: BatchFeed {
    private let state: Mutex<Walker>
    private let threads = ThreadPool(count: 1)
    private let known: Int
    /// Whether the first walk was cancelled.
    private let isCut: Bool

    /// How many of this shard there were when everything was walked first.
    package var count: Int? { known }

    /// Items that are read ahead at once: going to another thread for each would cost more than finding it.
    private static let portion = 64

    /// Walks everything once; blocks, for some seconds where there are millions of files.
    ///
    /// - Parameters:
    ///   - operands: as the shell gave them: file names may hold any byte but 0.
    ///   - job: by whose sizes, format and template results are named.
    ///   - folder: where the results go; it keeps the inputs that lie in it from being replaced.
    ///   - shard: whose items are wanted; `nil` for all.
    ///   - isCancelled: asked at every entry; a feed whose walk was cancelled gives no items, and throws `CancellationError`.
    package init(
        _ operands: [[UInt8]], _ job: BatchJob, into folder: OutputFolder?, shard: Shard? = nil,
        isCancelled: () -> Bool = { false }
    ) {
        var naming = ResultNaming(job)
        let inputs = operands.map { Operand($0, outside: folder?.identity) }
        var first = Walker(inputs, naming, shard, folder?.identity)
        var count = 0
        var protected: Set<FileIdentity> = []
        while let next = first.next(isCancelled) {
            if next.planned != .excluded { count += 1 }
            if let item = next.item { naming.note(item) }
            protected.formUnion(next.endangered)
        }
        if !isCancelled() { naming.findContested() }
        if naming.hasContested {
            var second = Walker(inputs, naming, shard, folder?.identity)
            count = 0
            while let next = second.next(isCancelled) { if next.planned != .excluded { count += 1 } }
        }
        isCut = isCancelled()
        folder?.protect(protected)
        known = count
        state = Mutex(Walker(inputs, naming, shard, folder?.identity))
    }

    /// The next item, in order.
    ///
    /// - Throws: `CancellationError`, in the middle of a folder, too.
    package func next() async throws -> PlannedItem? {
        guard !isCut else { throw CancellationError() }
        if let item = state.withLock({ $0.takeReady() }) { return item }
        return try await threads.run { [self] isCancelled in
            let item = state.withLock { walker in
                walker.readAhead(Self.portion, isCancelled)
                return walker.takeReady()
            }
            // A walk that breaks off looks like one at its end.
            guard !isCancelled() else { throw CancellationError() }
            return item
        }
    }
}

/// What one word of the command line names.
private enum Operand: Sendable {
    case file([UInt8], FileIdentity, link: FileIdentity)
    case folder([UInt8], isAround: Bool, text: String)
    case address(WebAddress)
    case failed(BatchError, text: String)

    init(_ bytes: [UInt8], outside output: FileIdentity?) {
        let text = String(decoding: bytes, as: UTF8.self)
        let (status, link): (FileStatus, FileStatus)
        do throws(FileError) {
            status = try Folder.working.status(of: bytes, followingLinks: true)
            link = try Folder.working.status(of: bytes)
        } catch {
            guard Self.hasScheme(bytes) else {
                self = .failed(BatchError(.unreadable, error.reason), text: text)
                return
            }
            do {
                self = .address(try WebAddress(validating: text))
            } catch {
                self = .failed(
                    BatchError(.input, error.description), text: WebAddress.description(ofRefused: text))
            }
            return
        }
        if status.isRegular {
            self = .file(bytes, status.identity, link: link.identity)
        } else if status.kind != .folder {
            self = .failed(BatchError(.input, "neither a file nor a folder"), text: text)
        } else if status.identity == output {
            self = .failed(BatchError(.input, "this is the output folder"), text: text)
        } else {
            self = .folder(bytes, isAround: output.map { Self.lies(bytes, in: $0) } ?? false, text: text)
        }
    }

    /// Whether a text starts like `https://` (RFC 3986 section 3.1).
    private static func hasScheme(_ bytes: [UInt8]) -> Bool {
        let scheme = bytes.prefix { byte in
            (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E].contains(byte)
        }
        return !scheme.isEmpty && bytes[scheme.count...].starts(with: Array("://".utf8))
    }

    /// Whether a folder lies somewhere below another, by the folders above it.
    private static func lies(_ folder: [UInt8], in other: FileIdentity) -> Bool {
        guard var current = try? Folder(opening: folder) else { return false }
        var last: FileIdentity?
        while let identity = try? current.descriptor.status.identity, identity != last {
            if identity == other { return true }
            // The root is its own parent.
            last = identity
            guard let parent = try? current.openFolder("..") else { return false }
            current = parent
        }
        return false
    }
}

/// What an item's results will be called, as far as that is known before they are made, and which names several claim.
private struct ResultNaming: Sendable {
    private let job: BatchJob
    /// What claiming names comes to.
    enum Claim {
        case granted
        /// The same picture of the same id has them.
        case repeated
        case refused(BatchError)
    }

    /// Which picture has a name.
    private struct Owner {
        let id: String
        let picture: Picture
        let shownSource: String
    }

    /// What two items of one name are told apart by, besides their ids.
    enum Picture: Hashable {
        case file(FileIdentity)
        case address(WebAddress)
    }

    /// A hash of every name, with those that come twice next to each other in the end.
    private var names: [UInt64] = []
    /// Hashes of names that several items claim.
    private var contested: Set<UInt64> = []
    /// Who came first, of the contested ones.
    private var owners: [UInt64: Owner] = [:]

    init(_ job: BatchJob) { self.job = job }

    var hasContested: Bool { !contested.isEmpty }

    mutating func note(_ item: BatchItem) { names += hashes(item) }

    mutating func findContested() {
        names.sort()
        for index in names.indices.dropFirst() where names[index] == names[index - 1] { contested.insert(names[index]) }
        names = []
    }

    /// Gives an item its names, unless an earlier item has one of them.
    mutating func claim(_ item: BatchItem, of picture: Picture) -> Claim {
        guard hasContested else { return .granted }
        let hashes = hashes(item).filter { contested.contains($0) }
        let earlier = hashes.compactMap { owners[$0] }
        if let other = earlier.first(where: { $0.id != item.id || $0.picture != picture }) {
            let message = "its result would have the name of that of \(other.shownSource.quoted)"
            return .refused(BatchError(.collision, message))
        }
        guard earlier.isEmpty else { return .repeated }
        for hash in hashes { owners[hash] = Owner(id: item.id, picture: picture, shownSource: item.shownSource) }
        return .granted
    }

    private func hashes(_ item: BatchItem) -> [UInt64] {
        let sizes = item.sizes.isEmpty ? job.sizes : item.sizes
        let template = job.template(of: item)
        var hashes: Set<UInt64> = []
        for size in sizes {
            // What cannot be named fails when it is made.
            guard let name = try? template.name(of: item, size: size, extension: ending(item)) else { continue }
            hashes.insert(XXHash64.hash(Array(name.path.utf8)))
        }
        return Array(hashes)
    }

    private func ending(_ item: BatchItem) -> String {
        switch job.format(of: item) {
        case .jpeg: return "jpg"
        case .png: return "png"
        case .same:
            // The first bytes decide in the end; a name that says otherwise is found out when the result is put in place.
            let name: String
            switch item.source {
            case .file(let path): name = path
            case .address(let address): name = address.path
            }
            return (PictureEnding(name.utf8) ?? .jpeg).text
        }
    }
}

/// Goes through the operands.
private struct Walker: ~Copyable, Sendable {
    /// What comes next, and what it means for the plan.
    struct Step {
        var planned: PlannedItem
        /// The item, whichever shard's it is.
        var item: BatchItem?
        /// Files that stand where results may be put.
        var endangered: [FileIdentity] = []
    }

    private let operands: [Operand]
    private var naming: ResultNaming
    private let shard: Shard?
    private let output: FileIdentity?
    private var position = 0
    private var number = 0
    private var walk: FolderWalk?
    /// Newest first.
    private var ready: [PlannedItem] = []

    init(_ operands: [Operand], _ naming: ResultNaming, _ shard: Shard?, _ output: FileIdentity?) {
        self.operands = operands
        self.naming = naming
        self.shard = shard
        self.output = output
    }

    mutating func takeReady() -> PlannedItem? { ready.popLast() }

    mutating func readAhead(_ count: Int, _ isCancelled: () -> Bool) {
        while ready.count < count, let step = next(isCancelled) { ready.append(step.planned) }
        ready.reverse()
    }

    mutating func next(_ isCancelled: () -> Bool) -> Step? {
        while position < operands.count, !isCancelled() {
            switch operands[position] {
            case .folder(let path, let isAround, let text):
                guard let step = nextInFolder(path, isAround, text, isCancelled) else {
                    position += 1
                    continue
                }
                return step
            case .file(let path, let identity, let link):
                position += 1
                let name = path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]
                let item = Self.item(path, name: Array(name), folders: [])
                return step(item, of: .file(identity), endangered: [identity, link])
            case .address(let address):
                position += 1
                var item = BatchItem(
                    number: 0, id: address.description, source: .address(address), shownSource: address.description,
                    stem: Self.stem(address))
                item.trust = .user
                return step(item, of: .address(address))
            case .failed(let failure, let text):
                position += 1
                return fail(failure, id: text, shownSource: text)
            }
        }
        return nil
    }

    private mutating func nextInFolder(
        _ path: [UInt8], _ isAround: Bool, _ text: String, _ isCancelled: () -> Bool
    ) -> Step? {
        if walk == nil {
            do throws(FileError) {
                walk = FolderWalk(try Folder(opening: path), excluding: output, isCancelled: isCancelled)
            } catch {
                position += 1
                return fail(BatchError(.unreadable, error.reason), id: text, shownSource: text)
            }
        }
        let separator = path.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        switch walk?.next(isCancelled: isCancelled) {
        case .file(let folders, let name, let identity):
            let relative = Array((folders + [name]).joined(separator: [UInt8(ascii: "/")]))
            let item = Self.item(path + separator + relative, name: name, folders: folders)
            return step(item, of: .file(identity), endangered: isAround ? [identity] : [])
        case .failed(let folders, let reason):
            let relative = String(decoding: Array(folders.joined(separator: [UInt8(ascii: "/")])), as: UTF8.self)
            let shown = String(decoding: path + separator, as: UTF8.self) + relative
            return fail(BatchError(.unreadable, reason), id: relative.isEmpty ? text : relative, shownSource: shown)
        case nil:
            walk = nil
            return nil
        }
    }

    private static func item(_ path: [UInt8], name: [UInt8], folders: [[UInt8]]) -> BatchItem {
        let shown = String(decoding: path, as: UTF8.self)
        let stem = name.lastIndex(of: UInt8(ascii: ".")).map { $0 > 0 ? name[..<$0] : name[...] } ?? name[...]
        let relative = (folders + [name]).map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
        var item = BatchItem(
            number: 0, id: relative, source: .file(shown), shownSource: shown,
            stem: String(decoding: stem, as: UTF8.self))
        item.folders = folders.map { String(decoding: $0, as: UTF8.self) }
        if !shown.utf8.elementsEqual(path) { item.pathBytes = path }
        return item
    }

    /// The last part of the path without its extension; the host of an address that has none.
    private static func stem(_ address: WebAddress) -> String {
        let name = address.path.split(separator: "/").last.map(String.init) ?? address.host
        let decoded = String(decoding: PercentEncoding.decoded(Array(name.utf8)[...]), as: UTF8.self)
        guard PictureEnding(decoded.utf8) != nil, let dot = decoded.lastIndex(of: "."), dot > decoded.startIndex else {
            return decoded
        }
        return String(decoded[..<dot])
    }

    private mutating func step(
        _ item: BatchItem, of picture: ResultNaming.Picture, endangered: [FileIdentity] = []
    ) -> Step {
        var item = item
        item.number = number
        number += 1
        let claim = naming.claim(item, of: picture)
        let planned: PlannedItem =
            switch claim {
            case _ where !(shard?.takes(item.id) ?? true): .excluded
            case .granted: .item(item)
            case .repeated: .excluded
            case .refused(let failure):
                .failed(number: item.number, id: item.id, shownSource: item.shownSource, failure)
            }
        return Step(planned: planned, item: item, endangered: endangered)
    }

    private mutating func fail(_ failure: BatchError, id: String, shownSource: String) -> Step {
        defer { number += 1 }
        guard shard?.takes(id) ?? true else { return Step(planned: .excluded) }
        return Step(planned: .failed(number: number, id: id, shownSource: shownSource, failure))
    }
}
