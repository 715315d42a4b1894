internal import Glibc
internal import SpyglassFiles

extension OutputFolder {
    /// Refuses a folder whose tar files have another layout, which would repeat samples; `isForced` allows other programs' files.
    func checkTars(_ layout: Tar.Layout, _ isForced: Bool) throws(BatchError) {
        let names: [[UInt8]]
        do throws(FileError) { names = try root.names() } catch {
            throw BatchError(.unavailable, "cannot read the folder \(path.quoted): \(error.reason)")
        }
        for bytes in names {
            let name = String(decoding: bytes, as: UTF8.self)
            guard name.isTarName, let found = try firstHeader(name) else { continue }
            guard let other = found.layout else {
                if isForced { continue }
                throw BatchError(
                    .usage, "\(shown(name)) was not made by spyglass", remedy: "choose another --out, or use --force")
            }
            guard other == layout else {
                func text(_ layout: Tar.Layout) -> String {
                    "--pack tar:\(layout.inputs)" + (layout.shards > 1 ? " in \(layout.shards) shards" : "")
                }
                let problem = "was made with \(text(other)), not \(text(layout))"
                throw BatchError(
                    .usage, "\(shown(name)) \(problem)",
                    remedy: "use the same --pack, choose another --out, or remove the file")
            }
        }
        // A run that finds everything up to date makes no temporary file.
        if !isReadOnly { TemporaryFile.sweep(root) }
    }

    /// Keeps other runs from packing the folder, or this shard of it; returns the lock of a shard, which ends when it is closed.
    func lockTars(_ shard: Shard?) throws(BatchError) -> FileDescriptor? {
        guard !isReadOnly else { return nil }
        func refusal(_ what: String) -> BatchError {
            BatchError(
                .unavailable, "another run is packing \(what)", remedy: "wait for its end, or choose another --out")
        }
        guard root.descriptor.lock(isShared: shard != nil) != .isHeldElsewhere else { throw refusal(path.quoted) }
        guard let shard else { return nil }
        let name = ".spyglass-shard-\(shard.index).lock"
        while true {
            let file: FileDescriptor
            do throws(FileError) { file = try root.open(name, [.write, .create, .refusingLinks]) } catch {
                throw BatchError(.unavailable, "cannot write \(shown(name)): \(error.reason)")
            }
            guard file.lock() != .isHeldElsewhere else {
                throw refusal("shard \(shard.index) of \(path.quoted)")
            }
            // A run that has ended meanwhile removed it.
            guard (try? file.status.linkCount) != 0 else { continue }
            removeAtEnd(name)
            return file
        }
    }

    /// Returns the error of a tar file that was made from another list.
    func otherList(_ name: String) -> BatchError {
        BatchError(
            .usage, "\(shown(name)) has none of these images: it was made from another list",
            remedy: "choose another --out, or use --force")
    }

    /// The tar file of an earlier run; `nil` without one.
    func oldTar(_ name: String) throws(BatchError) -> PackedTar? {
        guard try firstHeader(name)?.layout != nil else { return nil }
        do throws(FileError) { return try PackedTar(root.openRegular(name)) } catch { throw unreadable(name, error) }
    }

    /// `nil` for no file, and for an empty one; without a layout for a file of another program.
    private func firstHeader(_ name: String) throws(BatchError) -> (layout: Tar.Layout?, Void)? {
        do throws(FileError) {
            let file = try root.openRegular(name)
            let block = try file.bytes(Tar.blockBytes)
            return block.isEmpty ? nil : (Tar.header(block)?.layout, ())
        } catch {
            if error.code == ENOENT { return nil }
            throw unreadable(name, error)
        }
    }

    private func unreadable(_ name: String, _ error: FileError) -> BatchError {
        BatchError(.unavailable, "cannot read \(shown(name)): \(error.reason)")
    }

    private func shown(_ name: String) -> String { "\(path)/\(name)".quoted }

    /// The names of all tar files; empty if the folder cannot be read.
    var tarNames: [String] {
        ((try? root.names()) ?? []).map { String(decoding: $0, as: UTF8.self) }.filter(\.isTarName)
    }

    func temporaryTar(_ name: String) throws(BatchError) -> TemporaryFile {
        try makeTemporary(in: root, OutputName(components: [name]))
    }

    /// Waits until the bytes are on the disk, since a tar file holds many results; replaces the old one.
    func publish(_ temporary: consuming TemporaryFile, asTar name: String, _ isForced: Bool) throws {
        let temporaryName = temporary.name
        defer { forget(temporaryName) }
        do {
            try temporary.file.synchronize()
            guard try !root.renameIfAbsent(temporaryName, to: name) else { return }
            // An earlier run has made it, or another process at the same time.
            if !isForced, let found = try firstHeader(name), found.layout == nil {
                throw BatchError(.collision, "another program has made it")
            }
            try root.move(temporaryName, to: name, in: root)
        } catch {
            try? root.remove(temporaryName)
            throw error
        }
    }

    /// No further tar file can be written.
    func endRun(_ error: any Error, _ name: String) {
        // A full disk has ended it already.
        guard (error as? BatchError)?.kind != .cancelled else { return }
        let reason = (error as? FileError)?.reason ?? (error as? BatchError)?.reason ?? "\(error)"
        fail(BatchError(.unavailable, "cannot write \(shown(name)): \(reason)"))
    }
}

extension String {
    /// `00012.tar`, `3-00012.tar`.
    fileprivate var isTarName: Bool {
        guard hasSuffix(".tar") else { return false }
        let parts = dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
        return (1...2).contains(parts.count) && (parts.last?.utf8.count ?? 0) >= 5
            && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    }
}
