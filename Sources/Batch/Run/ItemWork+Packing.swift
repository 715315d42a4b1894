internal import SpyglassCaching
internal import SpyglassCodecs
internal import SpyglassFiles

// Tar files: what is up to date is copied from the old one, and all members of a sample are made together.
extension ItemWork {
    /// `KEY.EXT`, with several sizes `KEY.WIDTH.EXT`, or `KEY.WIDTHxHEIGHT.EXT` where the width does not tell them apart.
    func member(_ size: OutputSize, _ format: ResultFormat, in slot: PackSlot) -> String {
        guard sizes.count > 1 else { return "\(slot.key).\(format.fileExtension)" }
        let isDistinct = !size.nameOfWidth.isEmpty && sizes.count { $0.nameOfWidth == size.nameOfWidth } == 1
        return "\(slot.key).\(isDistinct ? size.nameOfWidth : size.name).\(format.fileExtension)"
    }

    /// Skips an item whose sample is up to date.
    func skipPacked(_ targets: [Target], _ result: inout ItemResult) throws(BatchError) -> Bool {
        guard let slot, !job.isForced, let sample = sample(of: targets, where: isUpToDate) else { return false }
        var outputs: [ItemReport.Output] = []
        for target in targets {
            // An output with a corrupt header is made again.
            guard let range = range(of: target, in: sample), let bytes = try? slot.old?.bytes(range),
                let info = try? services.decoder.probe(.bytes(bytes))
            else { return false }
            outputs.append(ItemReport.Output(path: slot.path(target.name.path), size: info.size, bytes: bytes.count))
        }
        result.report.status = .skipped
        result.report.outputs = outputs
        result.report.member = targets.first?.name.path
        result.packed = .kept(sample.range)
        return true
    }

    /// The sample that an earlier run has made of an item that fails now, as a file of its own would stay.
    func packedBefore() -> PackedItem {
        guard let slot, let old = slot.old?.sample(slot.key) else { return .nothing }
        for format in job.isForced ? [] : job.possibleFormats(of: item) {
            let targets = (try? targets(format, source: 0)) ?? []
            let sample = sample(of: targets) { found, target in
                fingerprints(of: target).contains { wanted in
                    (found.id, found.manifestSource, found.options) == (
                        wanted.id, wanted.manifestSource, wanted.options
                    )
                }
            }
            if let sample { return .kept(sample.range) }
        }
        let own = Fingerprint(id: item.id, manifestSource: item.manifestSource, source: 0, options: 0)
        let isOwn = old.members.values.contains { range in
            let found = try? fingerprint(in: range)
            return found?.id == own.id && found?.manifestSource == own.manifestSource
        }
        return isOwn ? .stale(old.range) : .nothing
    }

    private func sample(
        of targets: [Target], where isFitting: (Fingerprint, Target) -> Bool
    ) -> PackedTar.Sample? {
        guard let slot, let sample = slot.old?.sample(slot.key), !targets.isEmpty,
            sample.members.count == targets.count + (item.caption == nil ? 1 : 2), sample.members["json"] != nil
        else { return nil }
        for target in targets {
            guard let range = range(of: target, in: sample), let found = try? fingerprint(in: range),
                isFitting(found, target)
            else { return nil }
        }
        return sample
    }

    private func range(of target: Target, in sample: PackedTar.Sample) -> Range<Int>? {
        guard let slot, let range = sample.members[String(target.name.file.dropFirst(slot.key.count + 1))],
            range.count <= services.bodyLimit
        else { return nil }
        return range
    }

    private func fingerprint(in range: Range<Int>) throws(FileError) -> Fingerprint? {
        try Fingerprint.find { (count, offset) throws(FileError) in
            try slot?.old?.bytes(range.dropFirst(offset).prefix(count)) ?? []
        }?.fingerprint
    }

    /// Hashes the source where that is reported or compared.
    func check(_ source: Source, _ result: inout ItemResult) throws(BatchError) {
        guard job.hashesSources || item.expectedHash != nil else { return }
        let hash = try source.file.map { file throws(BatchError) in try file.sha256() } ?? SHA256.text(of: source.bytes)
        result.report.hash = hash
        guard let expected = item.expectedHash, expected != hash else { return }
        throw BatchError(.hashMismatch, "the SHA-256 is \(hash), not \(expected.quoted)")
    }

    func pack(_ made: EncodedFiles, _ targets: [Target], in slot: PackSlot, _ result: inout ItemResult) {
        let files = zip(targets, made.files).compactMap { target, file in
            file.map { (name: target.name.path, size: $0.size, bytes: $0.bytes) }
        }
        result.report.outputs = files.map {
            ItemReport.Output(path: slot.path($0.name), size: $0.size, bytes: $0.bytes.count)
        }
        result.report.member = slot.tar.flatMap { _ in files.first?.name }
        result.packed = .made(slot.sample(files.map { ($0.name, $0.bytes) }, result.report, caption: item.caption))
    }
}
