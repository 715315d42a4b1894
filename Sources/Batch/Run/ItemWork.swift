internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassPixels
internal import SpyglassThreads

struct ItemResult: Sendable {
    var report: ItemReport
    var filesWritten = 0
    var bytesWritten = 0
    var tile: PixelBuffer?
    var packed = PackedItem.nothing
}

/// All blocking work on one item: naming, checking what is up to date, decoding, encoding, writing.
struct ItemWork: Sendable {
    struct Target {
        let size: OutputSize
        /// In a tar file that of a member.
        let name: OutputName
        let fingerprint: Fingerprint
    }

    struct Source {
        /// The bytes of a body; empty for a file.
        var bytes: [UInt8] = []
        var file: SourceFile?
        let byteCount: Int
        let format: ResultFormat
        /// Tells whether an output would replace the input.
        var identity: FileIdentity?
    }

    let item: BatchItem
    let job: BatchJob
    /// `nil` in a dry run into a folder that does not exist.
    let folder: OutputFolder?
    /// Its place in a tar file, or on standard output.
    var slot: PackSlot?
    let services: BatchServices
    let plannedNames: PlannedNames?
    let tileTarget: TargetSize?
    var sizes: [OutputSize] { item.sizes.isEmpty ? job.sizes : item.sizes }

    func makeFile() -> ItemResult {
        resulting { result throws(BatchError) in
            do throws(BatchError) { try makeFile(&result, isRepeated: false) } catch {
                guard error == .changed else { throw error }
                try makeFile(&result, isRepeated: true)
            }
        }
    }

    /// Throws `changed` if another process writes the file meanwhile.
    private func makeFile(_ result: inout ItemResult, isRepeated: Bool) throws(BatchError) {
        let file = try SourceFile(opening: item, services.openInput)
        try folder?.check(file, of: item)
        // Hashing dominates a dry run that compares nothing.
        let isListing = job.isDryRun && (folder == nil || job.isForced)
        // A copy cannot change: its hash is that of what is decoded.
        if !isListing, file.byteCount <= (isRepeated ? services.bodyLimit : Self.maxReadBytes) {
            let bytes = try file.bytes(file.byteCount)
            try file.checkUnchanged()
            let format = try resultFormat(of: bytes)
            let copy = Source(bytes: bytes, byteCount: bytes.count, format: format, identity: file.identity)
            return try make(targets(format, source: SourceHash.of(bytes)), of: copy, &result)
        }
        let input = isListing || file.byteCount > Self.maxCopiedBytes ? file : try file.sealedCopy()
        let format = try resultFormat(of: input.bytes(FileKind.bytesNeeded), opened: input.number)
        let targets = try targets(format, source: isListing ? 0 : input.hash())
        let source = Source(file: input, byteCount: input.byteCount, format: format, identity: file.identity)
        try make(targets, of: source, &result)
    }

    /// Files of at most this size are read into memory of our own; a worker copies them from memory that it shares.
    private static let maxReadBytes = 256 << 10
    /// Files of at most this size are copied before they are hashed.
    private static let maxCopiedBytes = 4 << 20

    /// The result, if the outputs are up to date, in a dry run, or without a valid name; `nil` when the URL must be fetched.
    func resultWithoutFetching(_ address: WebAddress) -> ItemResult? {
        var isFinal = false
        let result = resulting { result throws(BatchError) in
            // Errors are final, too.
            isFinal = true
            for format in job.possibleFormats(of: item) where folder != nil && (slot == nil || slot?.old != nil) {
                let targets = try targets(format, source: SourceHash.of(address))
                if try skipPacked(targets, &result) { return }
                let outputs = try targets.map { target throws(BatchError) in try upToDate(target) }
                guard !outputs.contains(nil) else { continue }
                skip(targets, outputs.compactMap(\.self), &result)
                return
            }
            guard job.isDryRun else {
                isFinal = false
                return
            }
            try plan(targets(guessedFormat(of: address), source: SourceHash.of(address)), of: nil, &result)
        }
        return isFinal ? result : nil
    }

    func make(_ body: Result<[UInt8], BatchError>, from address: WebAddress) -> ItemResult {
        resulting { result throws(BatchError) in
            let body = try body.get()
            let format = try resultFormat(of: body)
            let targets = try targets(format, source: SourceHash.of(address))
            try make(targets, of: Source(bytes: body, byteCount: body.count, format: format), &result)
        }
    }

    private func guessedFormat(of address: WebAddress) -> ResultFormat {
        job.resultFormat(of: ImageFormat(extensionOf: address.path.utf8) ?? .jpeg, hasAlpha: false, item)
    }

    private func resulting(_ body: (inout ItemResult) throws(BatchError) -> Void) -> ItemResult {
        var result = ItemResult(
            report: ItemReport(number: item.number, id: item.id, shownSource: item.shownSource, status: .ok))
        (result.report.rights, result.report.columns) = (item.rights, item.columns)
        result.report.tar = slot?.tar
        do throws(BatchError) {
            try body(&result)
        } catch {
            result.report.status = error.kind == .cancelled ? .cancelled : .failed
            result.report.failure = error
            result.tile = nil
            // A refused image leaves the data set; after other failures its sample stays.
            let isRefused = error.kind == .robotsTag || error.kind == .hashMismatch
            result.packed = isRefused ? .nothing : packedBefore()
        }
        return result
    }

    /// Formats that are only read become PNG if the header states transparency, else JPEG.
    private func resultFormat(of bytes: [UInt8], opened number: Int32? = nil) throws(BatchError) -> ResultFormat {
        do throws(CodecError) {
            let format = try FileKind.sniff(bytes.span).decodable()
            if let known = job.format(of: item).result ?? ResultFormat(keeping: format) { return known }
            let info = try services.decoder.probe(.bytes(bytes), opened: number)
            return ResultFormat(like: format, hasAlpha: info.hasAlpha)
        } catch {
            throw error.kind == .cancelled ? .cancelled : BatchError(error, services)
        }
    }

    func targets(_ format: ResultFormat, source: UInt64) throws(BatchError) -> [Target] {
        let template = job.template(of: item)
        var names: Set<OutputName> = []
        var targets: [Target] = []
        for size in sizes {
            let name =
                if let slot { OutputName(components: [member(size, format, in: slot)]) } else {
                    try template.name(of: item, size: size, extension: format.fileExtension)
                }
            guard names.insert(name).inserted else {
                throw BatchError(.collision, "two sizes have the name \(name.path)")
            }
            let stretch = services.decoder.options.stretch
            let options = job.optionsHash(of: size, format: format, stretch: stretch, item)
            let fingerprint = Fingerprint(
                id: item.id, manifestSource: item.manifestSource, source: source, options: options)
            targets.append(
                Target(size: size, name: name, fingerprint: isFormatGiven ? fingerprint.inGivenFormat : fingerprint))
        }
        return targets
    }

    private func upToDate(_ target: Target) throws(BatchError) -> ItemReport.Output? {
        guard slot == nil, let folder, !job.isForced,
            case .made(let fingerprint, let bytes) = try folder.existing(target.name)
        else { return nil }
        guard isUpToDate(fingerprint, target) else { return nil }
        // An output with a corrupt header is made again.
        guard let info = try? services.decoder.probe(.file(path(of: target, in: folder)))
        else { return nil }
        return ItemReport.Output(path: target.name.path, size: info.size, bytes: bytes)
    }

    func isUpToDate(_ fingerprint: Fingerprint, _ target: Target) -> Bool {
        fingerprints(of: target).contains { fingerprint.fits($0) }
    }

    /// The fingerprints of results that are as wanted.
    func fingerprints(of target: Target) -> [Fingerprint] {
        var fitting = [target.fingerprint]
        // A result in the format that the program chose counts as well: version 0.2 wrote both alike.
        if isFormatGiven { fitting.append(target.fingerprint.inGivenFormat) }
        if CodecLibraries.colorManagement == nil { fitting += fitting.map(\.lackingColor) }
        return fitting
    }

    /// Whether the user gave a format that the program may choose itself once it knows the image of a URL.
    private var isFormatGiven: Bool {
        guard case .address = item.source, let format = job.format(of: item).result else { return false }
        return ResultFormat.kept.contains(format)
    }

    private func path(of target: Target, in folder: OutputFolder) -> String { "\(folder.path)/\(target.name.path)" }

    private func skip(_ targets: [Target], _ outputs: [ItemReport.Output], _ result: inout ItemResult) {
        result.report.status = .skipped
        result.report.outputs = outputs
        if let folder, let first = targets.first {
            addTile(.file(path(of: first, in: folder)), to: &result, in: services.decoder.memory)
        }
    }

    private func plan(_ targets: [Target], of identity: FileIdentity?, _ result: inout ItemResult) throws(BatchError) {
        for target in targets where folder != nil && slot == nil {
            guard try upToDate(target) == nil else { continue }
            try folder?.check(target.name, fingerprint: target.fingerprint, isForced: job.isForced, source: identity)
        }
        switch plannedNames?.claim(targets.map { ($0.name, $0.fingerprint) }) {
        case .rejected(let name):
            throw BatchError(.collision, "output name \(name.path.quoted) already used by another item")
        case .repeated: result.report.status = .skipped
        case .granted, nil: result.report.status = .planned
        }
        result.report.member = slot?.tar.flatMap { _ in targets.first?.name.path }
        result.report.outputs = targets.map { target in
            ItemReport.Output(path: slot?.path(target.name.path) ?? target.name.path)
        }
    }

    private func make(_ targets: [Target], of source: Source, _ result: inout ItemResult) throws(BatchError) {
        if try skipPacked(targets, &result) { return }
        let outputs = try targets.map { target throws(BatchError) in try upToDate(target) }
        guard outputs.contains(nil) else { return skip(targets, outputs.compactMap(\.self), &result) }
        guard !job.isDryRun, folder != nil || slot != nil else {
            return try plan(targets, of: source.identity, &result)
        }
        try check(source, &result)
        let made = try encodedFiles(of: source, targets, outputs)
        try source.file?.checkUnchanged()
        result.report.source = ItemReport.Source(
            size: made.image.info.size, format: made.image.info.format, bytes: source.byteCount)
        result.report.warnings = Self.warnings(of: made.image)
        if var failure = BatchError(made.image) {
            guard job.damaged == .make, made.files.count == targets.count else {
                if job.damaged == .fail { failure.remedy = "use --damaged make for what is there" }
                throw failure
            }
            result.report.isTruncated = true
            result.report.warnings.append(failure.reason)
        }
        if let slot { return pack(made, targets, in: slot, &result) }
        guard let folder else { return }
        // A later run with colour management makes it again.
        let lacksColor = made.image.colorWarning != nil && CodecLibraries.colorManagement == nil
        for (index, (target, file)) in zip(targets, made.files).enumerated() {
            guard let file else {
                result.report.outputs += [outputs[index]].compactMap(\.self)
                if index == 0 { addTile(.file(path(of: target, in: folder)), to: &result) }
                continue
            }
            let isNew = try folder.write(
                file.bytes, to: target.name,
                fingerprint: lacksColor ? target.fingerprint.lackingColor : target.fingerprint,
                isForced: job.isForced, source: source.identity)
            result.report.outputs.append(
                ItemReport.Output(path: target.name.path, size: file.size, bytes: file.bytes.count))
            if isNew {
                result.bytesWritten += file.bytes.count
                result.filesWritten += 1
            }
            if index == 0 { addTile(.bytes(file.bytes), of: file.size, to: &result) }
        }
        // Another process made the same concurrently.
        if result.filesWritten == 0 { result.report.status = .skipped }
    }

    /// Decodes all sizes, also up-to-date ones: the bytes must not depend on earlier runs.
    private func encodedFiles(
        of source: Source, _ targets: [Target], _ outputs: [ItemReport.Output?]
    ) throws(BatchError) -> EncodedFiles {
        let plans = zip(targets, outputs).map { target, output in
            FilePlan(
                job.target(of: target.size), filling: job.filling(of: target.size, item),
                encoding: output == nil ? job.encoding(source.format, target.fingerprint) : nil,
                isMadeOfDamage: job.damaged == .make)
        }
        do throws(CodecError) {
            return try services.decoder.files(
                plans, of: .bytes(source.bytes), opened: source.file?.number, filter: job.filter, isExact: false,
                keeping: job.keep.metadata)
        } catch {
            throw error.kind == .cancelled ? .cancelled : BatchError(error, services)
        }
    }

    /// Decodes the output itself, so that a run that skips it shows the same.
    ///
    /// Without `memory`, within what the item has reserved: a second share could wait for its own.
    /// A file that a worker has made may be no larger than its `size`.
    private func addTile(
        _ image: EncodedImage, of size: PixelSize? = nil, to result: inout ItemResult, in memory: WorkMemory? = nil
    ) {
        guard let tileTarget else { return }
        var limits = services.decoder.limits
        if let size { limits.pixels = size.pixelCount }
        var decoder = ImageDecoder(limits: limits, memory: memory)
        do {
            if try decoder.format(of: image).needsWorker {
                decoder = ImageDecoder(limits: decoder.limits, memory: memory, workers: services.decoder.workers)
            }
            result.tile = try decoder.decode(image, to: tileTarget).pixels
        } catch {
            result.report.warnings.append("no tile on the contact sheet: \(error)")
        }
    }

    private static func warnings(of images: DecodedImage) -> [String] {
        var warnings: [String] = []
        if let first = images.firstWarning {
            warnings.append(images.warnings > 1 ? "\(first) (and \(images.warnings - 1) more)" : first)
        }
        if let color = images.colorWarning { warnings.append(color) }
        return warnings
    }
}
