internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassPixels

/// What became of an item: its report, and what a contact sheet shows of it.
struct ItemResult: Sendable {
    var report: ItemReport
    /// Of what was written now.
    var filesWritten = 0
    var bytesWritten = 0
    var tile: PixelBuffer?
}

/// All work on one item that reads files, computes or writes: names, what is up to date, decoding, encoding, writing.
///
/// It blocks and belongs on a thread of its own; only the transfer of an address happens elsewhere.
struct ItemWork: Sendable {
    /// One file that is to be made.
    private struct Wanted {
        let size: OutputSize
        let name: OutputName
        let mark: Fingerprint
    }

    /// The bytes that a picture is made from, and what is known of them.
    private struct Material {
        let picture: EncodedImage
        let byteCount: Int
        let format: ImageFormat
        let identity: FileIdentity?
    }

    let item: BatchItem
    let job: BatchJob
    /// `nil` in a dry run into a folder that does not exist.
    let folder: OutputFolder?
    let services: BatchServices
    /// Who has which name in a dry run; `nil` in one that writes.
    let plannedNames: PlannedNames?
    /// What a contact sheet wants to be shown; `nil` without one.
    let tileTarget: TargetSize?
    let isCancelled: @Sendable () -> Bool

    private var sizes: [OutputSize] { item.sizes.isEmpty ? job.sizes : item.sizes }

    // MARK: Files

    /// Makes everything that a file is to become.
    func makeFile() -> ItemResult {
        resulting { result throws(BatchError) in
            let file = try SourceFile(opening: item)
            let (head, isWhole) = try file.head()
            let format = try format(of: head)
            let isListing = job.isDryRun && (folder == nil || job.isForced)
            // Reading all of a file costs a dry run more than anything else; without results there is nothing to compare.
            let source = isListing ? 0 : try isWhole ? SourceHash.of(head) : file.hash(isCancelled: isCancelled)
            let wanted = try wanted(job.resultFormat(of: format, item), source: source)
            let material = Material(
                picture: isWhole ? .bytes(head) : file.image, byteCount: isWhole ? head.count : file.byteCount,
                format: format, identity: file.identity)
            try make(wanted, of: material, &result)
        }
    }

    // MARK: Addresses

    /// What can be said of an address without fetching it: that its results are up to date, what a dry run would make, or why
    /// there is no name for them.
    ///
    /// - Returns: `nil` when it has to be fetched.
    func judge(_ address: WebAddress) -> ItemResult? {
        var isSettled = false
        let result = resulting { result throws(BatchError) in
            // Whatever throws settles it, too.
            isSettled = true
            for format in job.possibleFormats(of: item) where folder != nil {
                let wanted = try wanted(format, source: SourceHash.of(address))
                let outputs = try wanted.map { wanted throws(BatchError) in try upToDate(wanted) }
                guard !outputs.contains(nil) else { continue }
                skip(wanted, outputs.compactMap(\.self), &result)
                return
            }
            guard job.isDryRun else {
                isSettled = false
                return
            }
            try plan(wanted(guessedFormat(of: address), source: SourceHash.of(address)), of: nil, &result)
        }
        return isSettled ? result : nil
    }

    /// Makes everything that the body of an address is to become, or says why there is none.
    func make(_ answer: Result<[UInt8], BatchError>, from address: WebAddress) -> ItemResult {
        resulting { result throws(BatchError) in
            let body = try answer.get()
            let format = try format(of: body)
            let wanted = try wanted(job.resultFormat(of: format, item), source: SourceHash.of(address))
            let material = Material(picture: .bytes(body), byteCount: body.count, format: format, identity: nil)
            try make(wanted, of: material, &result)
        }
    }

    /// The format that the end of an address promises, for a dry run, which does not look.
    private func guessedFormat(of address: WebAddress) -> ImageFormat {
        job.resultFormat(of: address.path.lowercased().hasSuffix(".png") ? .png : .jpeg, item)
    }

    // MARK: Steps

    /// A result that says what `body` did, or why it could not.
    private func resulting(_ body: (inout ItemResult) throws(BatchError) -> Void) -> ItemResult {
        var result = ItemResult(
            report: ItemReport(number: item.number, id: item.id, shownSource: item.shownSource, status: .ok))
        do throws(BatchError) {
            try body(&result)
        } catch {
            result.report.status = .failed
            result.report.failure = error
            result.tile = nil
        }
        return result
    }

    private func format(of head: [UInt8]) throws(BatchError) -> ImageFormat {
        switch FileKind.sniff(head.span) {
        case .image(let format): return format
        case .otherImage(let name): throw BatchError(.unsupported, "\(name) is not supported yet")
        case .notAnImage(let what): throw BatchError(.notAnImage, "\(what), not a picture")
        case .empty: throw BatchError(.empty, "empty")
        }
    }

    /// The files that are to be made, one a size.
    private func wanted(_ format: ImageFormat, source: UInt64) throws(BatchError) -> [Wanted] {
        let template = job.template(of: item)
        var names: Set<OutputName> = []
        var wanted: [Wanted] = []
        for size in sizes {
            let name = try template.name(of: item, size: size, extension: format.fileExtension)
            guard names.insert(name).inserted else {
                throw BatchError(.collision, "two sizes would have the name \(name.path)")
            }
            let options = job.optionsHash(of: size, format: format)
            wanted.append(
                Wanted(
                    size: size, name: name,
                    mark: Fingerprint(id: item.id, place: item.place, source: source, options: options)))
        }
        return wanted
    }

    /// The result that is there already, if it is what would be made now.
    private func upToDate(_ wanted: Wanted) throws(BatchError) -> ItemReport.Output? {
        guard let folder, !job.isForced, case .made(let mark, let bytes) = try folder.existing(wanted.name),
            mark.fits(wanted.mark) || mark.fits(wanted.mark.lackingColor) && CodecLibraries.colorManagement == nil
        else { return nil }
        // A result whose header is damaged is made anew.
        guard let info = try? services.decoder.probe(.file(path(of: wanted, in: folder)), isCancelled: isCancelled)
        else { return nil }
        return ItemReport.Output(path: wanted.name.path, size: info.size, bytes: bytes)
    }

    private func path(of wanted: Wanted, in folder: OutputFolder) -> String { "\(folder.path)/\(wanted.name.path)" }

    private func skip(_ wanted: [Wanted], _ outputs: [ItemReport.Output], _ result: inout ItemResult) {
        result.report.status = .skipped
        result.report.outputs = outputs
        if let folder, let first = wanted.first { result.tile = tile(.file(path(of: first, in: folder))) }
    }

    /// Says what would be made, or what would be in the way of it, as far as that is known without making it.
    private func plan(
        _ wanted: [Wanted], of source: FileIdentity?, _ result: inout ItemResult
    ) throws(BatchError) {
        for wanted in wanted where folder != nil {
            guard try upToDate(wanted) == nil else { continue }
            try folder?.check(wanted.name, mark: wanted.mark, isForced: job.isForced, source: source)
        }
        switch plannedNames?.claim(wanted.map { ($0.name, $0.mark) }) {
        case .refused(let name):
            throw BatchError(.collision, "\(name.path.quoted) would be made for another item of this run")
        case .repeated: result.report.status = .skipped
        case .granted, nil: result.report.status = .planned
        }
        result.report.outputs = wanted.map { ItemReport.Output(path: $0.name.path) }
    }

    /// Makes what is not up to date.
    private func make(_ wanted: [Wanted], of material: Material, _ result: inout ItemResult) throws(BatchError) {
        var outputs: [ItemReport.Output?] = []
        for wanted in wanted { outputs.append(try upToDate(wanted)) }
        guard outputs.contains(nil) else { return skip(wanted, outputs.compactMap(\.self), &result) }
        guard !job.isDryRun, let folder else { return try plan(wanted, of: material.identity, &result) }
        let images = try decode(material.picture)
        result.report.source = ItemReport.Source(
            size: images.info.size, format: images.info.format, bytes: material.byteCount)
        result.report.warnings = Self.warnings(of: images)
        if let failure = BatchError(images) { throw failure }
        // Where a profile could not be applied, a run that can makes it anew.
        let lacksColor = images.colorWarning != nil && CodecLibraries.colorManagement == nil
        for (index, wanted) in wanted.enumerated() {
            if let output = outputs[index] {
                result.report.outputs.append(output)
                if index == 0 { result.tile = tile(.file(path(of: wanted, in: folder))) }
                continue
            }
            let picture = images.buffers[index]
            let size = job.cropped(picture.size, of: wanted.size)
            let mark = lacksColor ? wanted.mark.lackingColor : wanted.mark
            let bytes = try encode(
                size == picture.size ? picture : picture.croppedToCenter(size), material.format, mark, images.exif)
            let isNew = try folder.write(
                bytes, to: wanted.name, mark: mark, isForced: job.isForced, source: material.identity)
            result.report.outputs.append(
                ItemReport.Output(path: wanted.name.path, size: size, bytes: bytes.count))
            if isNew {
                result.bytesWritten += bytes.count
                result.filesWritten += 1
            }
            if index == 0 { result.tile = tile(.bytes(bytes)) }
        }
        // Another line of the manifest, or another process, has made the same meanwhile.
        if result.filesWritten == 0 { result.report.status = .skipped }
    }

    private func decode(_ picture: EncodedImage) throws(BatchError) -> DecodedImage {
        do throws(CodecError) {
            // By all sizes, also those that are up to date: what an earlier run got done must not change the bytes.
            return try services.decoder.decode(
                picture, to: sizes.map(job.target), filter: job.filter, isExact: job.isExact,
                readsMetadata: job.keepsMetadata,
                isCancelled: isCancelled)
        } catch {
            throw error.kind == .cancelled ? .cancelled : BatchError(error, services)
        }
    }

    private func encode(
        _ picture: PixelBuffer, _ source: ImageFormat, _ mark: Fingerprint, _ exif: [UInt8]?
    ) throws(BatchError) -> [UInt8] {
        if isCancelled() { throw .cancelled }
        do throws(CodecError) {
            return try job.encoder(job.resultFormat(of: source, item), mark: mark, exif: exif).encode(picture)
        } catch {
            throw BatchError(ofResult: error)
        }
    }

    /// What a contact sheet shows: the result as it stands in its file, so that a run that skips it shows the same.
    private func tile(_ result: EncodedImage) -> PixelBuffer? {
        guard let tileTarget else { return nil }
        return try? services.decoder.decode(result, to: tileTarget, isCancelled: isCancelled).pixels
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
