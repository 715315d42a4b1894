internal import SpyglassFiles
internal import SpyglassPixels
internal import SpyglassThreads

/// Requests to workers, and the checks of their replies.
extension WorkerPool {
    /// Reads a header.
    func inspect(_ input: ByteReader, _ request: InspectRequest) throws(CodecError) -> Inspection {
        let file = try input.descriptor()
        return try withWorker(request.format.entry.libraries, input.cancellation) {
            (worker) throws(WorkerConnection.Failure) in
            let (reply, _) = try worker.ask(.inspect(request), file.number)
            guard case .inspected(let inspection) = reply, request.format.mayBe(inspection.metadata.info.format) else {
                throw .invalidReply
            }
            return inspection
        }
    }

    /// Decodes an image, and encodes files of it; `nil` without the embedded preview that was asked for.
    func decode(
        _ input: ByteReader, _ request: DecodeRequest, in memory: WorkMemory?
    ) throws(CodecError) -> (image: DecodedImage, files: [EncodedFiles.File?])? {
        guard request.spec.plans.count <= DecodeRequest.maxPlans else {
            throw CodecError(.limit, "more than \(DecodeRequest.maxPlans) sizes")
        }
        var request = request
        request.spec.copiedBytes = input.copiedBytes(request.limits, isShared: true)
        var grant: DecodeSpec.Grant = Self.grantAll
        if let memory { grant = memory.grantToDecode(input.cancellation) }
        let bytes = input.sharedBytes ?? []
        if !bytes.isEmpty { request.inputBytes = bytes.count }
        let file = bytes.isEmpty ? try input.descriptor() : FileDescriptor(owning: -1)
        return try withWorker(request.format.entry.libraries, encoder: request.encoder, input.cancellation) {
            (worker) throws(WorkerConnection.Failure) in
            let (reply, share): (WorkerReply, WorkMemory.Share?)
            do throws(WorkerConnection.Failure) {
                (reply, share) = try worker.ask(
                    .decode(request), bytes.isEmpty ? file.number : nil, input: bytes,
                    sharing: Self.maxSharedBytes(request), metadata: Self.maxMetadata(of: request),
                    granting: request.isEmbeddedPreview ? nil : grant)
            } catch {
                if case .ended = error { request.spec.hasCrashed = true }
                throw error
            }
            if case .nothing = reply, request.isEmbeddedPreview { return nil }
            guard case .decoded(let decoded) = reply, request.format.mayBe(decoded.info.format) else {
                throw .invalidReply
            }
            let (buffers, files, exif) = try Self.parts(of: decoded, request, from: worker)
            return (
                DecodedImage(
                    buffers: buffers, info: decoded.info, completeness: decoded.completeness,
                    warnings: decoded.warnings, firstWarning: decoded.firstWarning, colorWarning: decoded.colorWarning,
                    exif: exif
                ).holding(share), files
            )
        }
    }

    /// Grants anything, without a budget.
    private static func grantAll(_ bytes: Int) throws(CodecError) -> WorkMemory.Share? { nil }

    /// The shared memory that the outputs of one image may take: as much as their pixels, with metadata.
    private static func maxSharedBytes(_ request: DecodeRequest) -> Int {
        let pixels = request.isEmbeddedPreview ? ImageDecoder.maxPreviewPixels : request.limits.pixels
        return min(max(pixels, 1 << 18), 1 << 29) * PixelBuffer.bytesPerPixel + 1 << 20
    }

    /// More than any encoder needs for noise.
    private static let maxFileBytesPerPixel = 8

    /// EXIF and a profile, which work memory does not count; each file has a copy.
    private static func maxMetadata(of request: DecodeRequest) -> Int {
        guard !request.spec.keeps.isEmpty else { return 1 << 20 }
        let exif = min(max(request.limits.pngChunkBytes, 1 << 20), 1 << 24)
        let bytes = exif + (request.spec.keeps.contains(.profile) ? EmbeddedProfile.maxBytes : 0)
        return bytes * (request.makesFiles ? max(request.spec.plans.count, 1) : 1) + 1 << 20
    }

    /// Copies pixels or files out of the shared memory, and checks that they are what was asked for.
    private static func parts(
        of reply: DecodedReply, _ request: DecodeRequest, from worker: WorkerConnection
    ) throws(WorkerConnection.Failure) -> ([PixelBuffer], [EncodedFiles.File?], exif: [UInt8]?) {
        var offset = 0
        func next(_ count: Int) throws(WorkerConnection.Failure) -> [UInt8] {
            defer { offset += count }
            return try worker.copy(count, at: offset)
        }
        guard let sizes = try? request.spec.displayedSizes(of: reply.info, request.limits) else { throw .invalidReply }
        var buffers: [PixelBuffer] = []
        var files: [EncodedFiles.File?] = []
        if request.makesFiles {
            let isMade = reply.completeness == .complete || request.spec.plans.contains { $0.isMadeOfDamage }
            guard reply.parts.count == (isMade ? request.spec.plans.count : 0) else {
                throw .invalidReply
            }
            for (index, (part, plan)) in zip(reply.parts, request.spec.plans).enumerated() {
                guard (part.byteCount >= 0) == (plan.encoding != nil) else { throw .invalidReply }
                guard let encoding = plan.encoding else {
                    files.append(nil)
                    continue
                }
                guard part.size == plan.size(of: sizes[index]),
                    part.byteCount <= part.size.pixelCount * maxFileBytesPerPixel + maxMetadata(of: request)
                else { throw .invalidReply }
                let file = EncodedFiles.File(size: part.size, bytes: try next(part.byteCount))
                guard encoding.isSigned(file.bytes) else { throw .invalidReply }
                files.append(file)
            }
        } else {
            guard reply.parts.map(\.size) == sizes else { throw .invalidReply }
            for part in reply.parts {
                guard part.byteCount / PixelBuffer.bytesPerPixel == part.size.pixelCount,
                    part.byteCount % PixelBuffer.bytesPerPixel == 0
                else { throw .invalidReply }
                buffers.append(PixelBuffer(size: part.size, bytes: try next(part.byteCount)))
            }
        }
        guard request.spec.keeps.contains(.exif) && !request.makesFiles || reply.exifBytes < 0 else {
            throw .invalidReply
        }
        return (buffers, files, reply.exifBytes < 0 ? nil : try next(reply.exifBytes))
    }

    /// Opens an animation in a worker, which then holds it among other work; `nil` for a still image.
    func animation(
        _ input: ByteReader, _ request: DecodeRequest, in memory: WorkMemory?
    ) throws(CodecError) -> WorkerFrames? {
        var request = request
        request.spec.copiedBytes = input.copiedBytes(request.limits, isShared: false)
        var grant: DecodeSpec.Grant = Self.grantAll
        if let memory { grant = memory.grantToAnimate() }
        let file = try input.descriptor()
        let cancellation = input.cancellation
        return try withWorker(request.format.entry.libraries, cancellation, toAnimate: true) {
            (worker) throws(WorkerConnection.Failure) in
            let number = worker.newNumber()
            let (reply, share) = try worker.ask(
                .open(number, request), file.number, granting: grant)
            if case .nothing = reply { return nil }
            guard case .opened(let opened) = reply, opened.info.format == request.format else { throw .invalidReply }
            guard (try? request.spec.displayedSizes(of: opened.info, request.limits)) == [opened.size] else {
                throw .invalidReply
            }
            worker.hold(number)
            return WorkerFrames(self, worker, number, opened, cancellation, share)
        }
    }

    /// Asks the worker that holds an animation, as soon as it has time.
    func frame(
        _ request: WorkerRequest, _ frames: WorkerFrames, size: PixelSize?
    ) throws(CodecError) -> (plays: Int, duration: Int, PixelBuffer?) {
        let worker = frames.worker
        let isTaken = try wait(frames.cancellation) { state -> Bool? in
            if state.takeIdle(where: { $0 === worker }) != nil { return true }
            return state.busy.contains { $0 === worker } ? nil : false
        }
        guard isTaken else { throw CodecError(.crashed, "the worker of the animation ended") }
        switch use(
            worker, frames.cancellation,
            { (worker) throws(WorkerConnection.Failure) in
                try worker.frame(request, size)
            })
        {
        case .success(let reply): return reply
        case .failure(let failure): throw error(of: failure, after: worker.end())
        }
    }

    /// Releases an animation: at once where its worker is idle, otherwise after the request that is being answered.
    func release(_ number: Int, of worker: WorkerConnection) {
        worker.release(number)
        if state.withLock({ $0.takeIdle { $0 === worker } != nil }) { giveBack(worker) }
    }
}

extension ImageFormat {
    /// Whether a worker may find that a file of this format, by its first bytes, has another one.
    fileprivate func mayBe(_ other: ImageFormat) -> Bool { self == other || self == .tiff && other == .raw }
}
