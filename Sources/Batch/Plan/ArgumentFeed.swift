internal import SpyglassCaching
package import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassFiles
package import SpyglassThreads

/// Images of files, folders and URLs, and that of standard input: `-`, which `openInput` of the services opens.
///
/// Walks twice, to count and to find colliding names, then to work; with collisions once more.
package final class ArgumentFeed: BatchFeed {
    private let state: Mutex<Walker>
    private let threads = ThreadPool(count: 1)
    package let leftOut: [String: Int]
    /// `nil` where the walk was cancelled.
    package let count: Int?
    /// Items that are read ahead together: a switch to the thread costs more than finding an item.
    private static let readAheadCount = 64

    /// Walks everything; blocks, for a few seconds if there are millions of files.
    ///
    /// `decoder` reads the headers of files whose names may collide, a millisecond each; without one, a file that becomes JPEG or PNG
    /// has both names.
    package init(
        _ operands: [[UInt8]], _ job: BatchJob, into folder: OutputFolder?, shard: Shard? = nil,
        decoder: ImageDecoder? = nil, cancellation: Cancellation = Cancellation(), isCancelled: () -> Bool = { false }
    ) {
        var naming = OutputNames(job, decoder, cancellation)
        let inputs = operands.map { Operand($0, outside: folder?.identity) }
        var first = Walker(inputs, naming, shard, folder?.identity)
        var count = 0
        var protected: Set<FileIdentity> = []
        while let next = first.next(isCancelled) {
            if next.planned != .excluded { count += 1 }
            if let item = next.item { naming.add(item) }
            protected.formUnion(next.protected)
        }
        // Every process walks all folders: one of them counts.
        leftOut = shard.map { $0.index == 0 } ?? true ? first.leftOut : [:]
        if !isCancelled() { naming.findCollisions() }
        if naming.hasCollisions {
            var second = Walker(inputs, naming, shard, folder?.identity)
            count = 0
            while let next = second.next(isCancelled) { if next.planned != .excluded { count += 1 } }
            naming.alpha = second.naming.alpha
        }
        self.count = isCancelled() ? nil : count
        folder?.protect(protected)
        state = Mutex(Walker(inputs, naming, shard, folder?.identity))
    }

    package func next() async throws -> PlannedItem? {
        guard count != nil else { throw CancellationError() }
        if let item = state.withLock({ $0.popReady() }) { return item }
        return try await threads.run { [self] cancellation in
            let item = state.withLock { walker in
                walker.readAhead(Self.readAheadCount) { cancellation.isCancelled }
                return walker.popReady()
            }
            // An interrupted walk looks like a finished one.
            try Cancellation.check()
            return item
        }
    }
}

private enum Operand: Sendable {
    case file([UInt8], FileIdentity, link: FileIdentity)
    case folder([UInt8], isAround: Bool, text: String)
    case address(WebAddress)
    case standardInput
    case failed(BatchError, text: String)

    init(_ bytes: [UInt8], outside output: FileIdentity?) {
        let text = String(decoding: bytes, as: UTF8.self)
        if text == "-" {
            self = .standardInput
            return
        }
        let (status, link): (FileStatus, FileStatus)
        do throws(FileError) {
            status = try Folder.working.status(of: bytes, followingLinks: true)
            link = try Folder.working.status(of: bytes)
        } catch {
            guard ManifestLine.scheme(of: text) != nil else {
                self = .failed(BatchError(.unreadable, "cannot open: \(error.reason)"), text: text)
                return
            }
            do {
                self = .address(try WebAddress(validating: text))
            } catch {
                self = .failed(BatchError(.input, error.description), text: WebAddress.description(ofRefused: text))
            }
            return
        }
        if status.isRegular {
            self = .file(bytes, status.identity, link: link.identity)
        } else if status.kind != .folder {
            self = .failed(BatchError(.input, "neither a file nor a folder"), text: text)
        } else if status.identity == output {
            let failure = BatchError(.input, "this is the output folder", remedy: "choose another --out")
            self = .failed(failure, text: text)
        } else {
            self = .folder(bytes, isAround: output.map { Self.lies(bytes, in: $0) } ?? false, text: text)
        }
    }

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

/// The names of outputs, as far as they are known beforehand, and which ones collide.
private struct OutputNames: Sendable {
    private let job: BatchJob
    private let decoder: ImageDecoder?
    private let cancellation: Cancellation

    enum Claim {
        case granted
        /// An equal source with an equal id has the names.
        case repeated
        case rejected(BatchError)
    }

    private typealias Owner = (id: String, source: Source, shownSource: String)

    /// Tells items of one id apart.
    enum Source: Hashable { case file(FileIdentity), address(WebAddress), standardInput }

    private var hashes: [UInt64] = []
    private var colliding: Set<UInt64> = []
    private var owners: [UInt64: Owner] = [:]
    /// Whether files have alpha, as their headers say: each is read once, in this walk or the one before.
    var alpha: [FileIdentity: Bool] = [:]

    init(_ job: BatchJob, _ decoder: ImageDecoder?, _ cancellation: Cancellation) {
        (self.job, self.decoder, self.cancellation) = (job, decoder, cancellation)
    }

    var hasCollisions: Bool { !colliding.isEmpty }
    /// Adds every name that an item may get: its extension may be wrong.
    ///
    /// In tar files keys tell equal names apart.
    mutating func add(_ item: BatchItem) {
        if !job.isPacked { hashes += hashes(of: item, job.possibleFormats(of: item)) }
    }

    mutating func findCollisions() {
        hashes.sort()
        for (previous, hash) in zip(hashes, hashes.dropFirst()) where previous == hash { colliding.insert(hash) }
        hashes = []
    }

    /// Claims an item's names, unless an earlier item has one of them.
    mutating func claim(_ item: BatchItem, of source: Source) -> Claim {
        guard hasCollisions else { return .granted }
        guard hashes(of: item, job.possibleFormats(of: item)).contains(where: { colliding.contains($0) }) else {
            return .granted
        }
        let hashes = hashes(of: item, formats(of: item))
        let earlier = hashes.compactMap { owners[$0] }
        if let other = earlier.first(where: { $0.id != item.id || $0.source != source }) {
            let message = "output name already used by \(other.shownSource.quoted)"
            return .rejected(BatchError(.collision, message))
        }
        guard earlier.isEmpty else { return .repeated }
        for hash in hashes { owners[hash] = (item.id, source, item.shownSource) }
        return .granted
    }

    private func hashes(of item: BatchItem, _ formats: [ResultFormat]) -> [UInt64] {
        let sizes = item.sizes.isEmpty ? job.sizes : item.sizes
        let template = job.template(of: item)
        var hashes: [UInt64] = []
        for format in formats {
            for size in sizes {
                // Items without a valid name fail later.
                guard let name = try? template.name(of: item, size: size, extension: format.fileExtension) else {
                    continue
                }
                let hash = XXHash64.hash(Array(name.path.utf8))
                if !hashes.contains(hash) { hashes.append(hash) }
            }
        }
        return hashes
    }

    /// The formats by a file's header, and by an address's extension.
    private mutating func formats(of item: BatchItem) -> [ResultFormat] {
        let path: String
        switch item.source {
        case .file(let name):
            path = name
            if let file = try? SourceFile(opening: item), let head = try? file.bytes(FileKind.bytesNeeded),
                case .image(let format) = FileKind.sniff(head.span)
            {
                let formats = job.possibleFormats(of: item, from: format)
                guard formats.count > 1, let hasAlpha = hasAlpha(file, head) else { return formats }
                return [job.resultFormat(of: format, hasAlpha: hasAlpha, item)]
            }
        case .address(let address): path = address.path
        }
        return job.possibleFormats(of: item, from: ImageFormat(extensionOf: path.utf8) ?? .jpeg)
    }

    /// Whether a file has alpha, as its header says; `nil` if the header cannot be read.
    private mutating func hasAlpha(_ file: SourceFile, _ head: [UInt8]) -> Bool? {
        if let known = alpha[file.identity] { return known }
        let hasAlpha = withExtendedLifetime(file) {
            try? decoder?.probe(.bytes(head), opened: file.number, cancellation: cancellation).hasAlpha
        }
        alpha[file.identity] = hasAlpha
        return hasAlpha
    }
}

private struct Walker: ~Copyable, Sendable {
    struct Step {
        var planned: PlannedItem
        var item: BatchItem?
        /// Input files that an output may replace.
        var protected: [FileIdentity] = []
    }

    private let operands: [Operand]
    private(set) var naming: OutputNames
    private let shard: Shard?
    private let output: FileIdentity?
    private var position = 0
    private var number = 0
    private var walk: FolderWalk?
    private var ready: [PlannedItem] = []
    /// Counts of the folders whose walk has ended.
    private(set) var leftOut: [String: Int] = [:]

    init(_ operands: [Operand], _ naming: OutputNames, _ shard: Shard?, _ output: FileIdentity?) {
        (self.operands, self.naming, self.shard, self.output) = (operands, naming, shard, output)
    }

    mutating func popReady() -> PlannedItem? { ready.popLast() }

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
                let item = BatchItem(file: path, name: Array(name))
                return step(item, of: .file(identity), protected: [identity, link])
            case .address(let address):
                position += 1
                var item = BatchItem(
                    number: 0, id: address.distinctDescription, source: .address(address),
                    shownSource: address.description, stem: Self.stem(address))
                item.trust = .any
                return step(item, of: .address(address))
            case .standardInput:
                position += 1
                let item = BatchItem(
                    number: 0, id: "stdin", source: .file("-"), shownSource: "standard input", stem: "stdin")
                return step(item, of: .standardInput)
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
                return fail(BatchError(.unreadable, "cannot open: \(error.reason)"), id: text, shownSource: text)
            }
        }
        let separator = path.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        switch walk?.next(isCancelled: isCancelled) {
        case .file(let folders, let name, let identity):
            let relative = Array((folders + [name]).joined(separator: [UInt8(ascii: "/")]))
            var item = BatchItem(file: path + separator + relative, name: name, folders: folders)
            item.walkedParts = folders.count + 1
            return step(item, of: .file(identity), protected: isAround ? [identity] : [])
        case .failed(let folders, let reason):
            let relative = String(decoding: Array(folders.joined(separator: [UInt8(ascii: "/")])), as: UTF8.self)
            let shown = String(decoding: path + separator, as: UTF8.self) + relative
            return fail(BatchError(.unreadable, reason), id: relative.isEmpty ? text : relative, shownSource: shown)
        case nil:
            leftOut.merge(walk?.leftOut ?? [:], uniquingKeysWith: +)
            walk = nil
            return nil
        }
    }

    /// The last part of the path without its extension, or the host.
    private static func stem(_ address: WebAddress) -> String {
        let name = address.path.split(separator: "/").last.map(String.init) ?? address.host
        let decoded = String(decoding: PercentEncoding.decoded(Array(name.utf8)[...]), as: UTF8.self)
        guard ImageFormat(extensionOf: decoded.utf8) != nil, let dot = decoded.lastIndex(of: "."),
            dot > decoded.startIndex
        else { return decoded }
        return String(decoded[..<dot])
    }

    private mutating func step(
        _ item: BatchItem, of source: OutputNames.Source, protected: [FileIdentity] = []
    ) -> Step {
        var item = item
        item.number = number
        number += 1
        let claim = naming.claim(item, of: source)
        let planned: PlannedItem =
            switch claim {
            case _ where !(shard?.contains(item.id) ?? true): .excluded
            case .granted: .item(item)
            case .repeated: .excluded
            case .rejected(let failure):
                .failed(number: item.number, id: item.id, shownSource: item.shownSource, failure)
            }
        return Step(planned: planned, item: item, protected: protected)
    }

    private mutating func fail(_ failure: BatchError, id: String, shownSource: String) -> Step {
        defer { number += 1 }
        guard shard?.contains(id) ?? true else { return Step(planned: .excluded) }
        return Step(planned: .failed(number: number, id: id, shownSource: shownSource, failure))
    }
}

extension BatchItem {
    /// A file, by its path and its last component, in folders of a walk.
    init(file path: [UInt8], name: [UInt8], folders: [[UInt8]] = []) {
        let shown = String(decoding: path, as: UTF8.self)
        let stem = name.lastIndex(of: UInt8(ascii: ".")).map { $0 > 0 ? name[..<$0] : name[...] } ?? name[...]
        let relative = (folders + [name]).map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
        self.init(
            number: 0, id: relative, source: .file(shown), shownSource: shown,
            stem: String(decoding: stem, as: UTF8.self))
        self.folders = folders.map { String(decoding: $0, as: UTF8.self) }
        if !shown.utf8.elementsEqual(path) { pathBytes = path }
    }
}
