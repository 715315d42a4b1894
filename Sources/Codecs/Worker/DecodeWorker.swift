internal import Glibc
internal import SpyglassFiles
internal import SpyglassPixels
package import SpyglassSandbox

/// The worker's side: a process that decodes for another one, and can do nothing else.
public enum DecodeWorker {
    /// Opens the libraries, locks this process, and decodes what comes through descriptor 3, until that is closed.
    ///
    /// Call it first of all in a program that a `WorkerLauncher` has started; nothing can be opened or started afterwards.
    ///
    /// - Parameters:
    ///   - family: the libraries that it decodes with.
    ///   - memoryBytes: the memory that it may use for images.
    /// - Returns: the program's exit code.
    public static func run(_ family: LibraryFamily, memoryBytes: Int) -> Int32 {
        ChildProcess.closeOthers()
        let checksNeed = family == .avif
        return serve(MessageSocket(owning: ChildProcess.socket), checksNeed: checksNeed) { () throws(CodecError) in
            try family.load()
            _ = LCMSLibrary.system
            let use: SandboxUse =
                family.usesThreads
                ? .threadedWorker(memoryBytes: memoryBytes)
                : .worker(memoryBytes: memoryBytes, limitsItself: checksNeed)
            return "\(Sandbox.lock(use))"
        }
    }

    /// Seconds after which a request ends the process, should the one that sent it be gone.
    private static let maxSeconds: UInt32 = 600

    /// Sends what `prepare` returns, then answers requests.
    package static func serve(
        _ socket: consuming MessageSocket, checksNeed: Bool = false, prepare: () throws(CodecError) -> String
    ) -> Int32 {
        // Without Swift's backtrace, which takes a second and would need another program.
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] { signal(fault, SIG_DFL) }
        let report: String
        do throws(FileError) {
            do throws(CodecError) { report = try prepare() } catch {
                try socket.send(WorkerReply.failure(error).bytes)
                return 1
            }
            try socket.send(WorkerReply.ready(report).bytes)
            var worker = Requests(checksNeed: checksNeed && AVIFLibrary.system != nil)
            while true {
                let (bytes, descriptors) = try socket.receive()
                guard !bytes.isEmpty else { return 0 }
                alarm(maxSeconds)
                guard let request = try? WorkerRequest(bytes) else { return 2 }
                let fileCount = min(request.hasFile ? 1 : 0, descriptors.count)
                let file = descriptors[..<fileCount].first.map { OpenFile($0) }
                if descriptors.count > fileCount {
                    worker.memory = try SharedMemory(receiving: descriptors[fileCount])
                }
                if let reply = worker.reply(to: request, file) { try socket.send(reply.bytes) }
                alarm(0)
            }
        } catch {
            return 2
        }
    }
}

private final class OpenFile {
    let descriptor: FileDescriptor
    init(_ number: Int32) { descriptor = FileDescriptor(owning: number) }
}

/// Answers the requests of one process.
private struct Requests {
    /// Whether a header may understate what its image needs: samples are stated apart from the codec's data.
    let checksNeed: Bool
    var memory: SharedMemory?
    private var animations: [Int: Animation] = [:]

    init(checksNeed: Bool) { self.checksNeed = checksNeed }

    /// Private memory of a worker besides its image.
    private static let ownBytes = 32 << 20

    mutating func reply(to request: WorkerRequest, _ file: OpenFile?) -> WorkerReply? {
        do throws(CodecError) {
            switch request {
            case .decode(let request): return try decode(request, file)
            case .open(let number, let request): return try openFrames(number, request, file)
            case .next(let number):
                let frame = try animation(number).next()
                if let frame { try share([frame.pixels.bytes]) }
                return try position(of: number, after: frame?.duration)
            case .skip(let number): return try position(of: number, after: animation(number).skip())
            case .restart(let number):
                try animation(number).restart()
                return try position(of: number)
            case .close(let number):
                animations[number] = nil
                return nil
            }
        } catch {
            return .failure(error)
        }
    }

    private func decode(_ request: DecodeRequest, _ file: OpenFile?) throws(CodecError) -> WorkerReply {
        let input = try input(file)
        if checksNeed {
            let header = try HEIFDecoding(input, request.limits, .avif)
            let outputs = DecodeSpec.byteCount(request.sizes, of: header.info.storedSize, copies: 4)
            Sandbox.limitMemory(to: Self.ownBytes + header.avifBytes + outputs)
        }
        let image = try decoder(request).decode(input, request.spec)
        let reply = DecodedReply(image)
        try share(image.buffers.map(\.bytes) + (reply.exifBytes > 0 ? [image.exif ?? []] : []))
        return .decoded(reply)
    }

    private mutating func openFrames(
        _ number: Int, _ request: DecodeRequest, _ file: OpenFile?
    ) throws(CodecError) -> WorkerReply {
        let input = try input(file)
        guard
            let animation = try decoder(request).animation(
                of: input, region: request.spec.region, to: request.spec.targets[0])
        else { return .still }
        animations[number] = animation
        return try position(of: number)
    }

    private func decoder(_ request: DecodeRequest) -> ImageDecoder {
        ImageDecoder(limits: request.limits, windowBytes: request.windowBytes, workers: .inProcess)
    }

    private func animation(_ number: Int) throws(CodecError) -> Animation {
        guard let animation = animations[number] else { throw CodecError(.library, "no such animation") }
        return animation
    }

    /// Where an animation is after a frame; `nil` if there was none.
    private func position(of number: Int, after duration: Duration? = nil) throws(CodecError) -> WorkerReply {
        .frame(
            plays: try animation(number).plays.map { max($0, 0) } ?? -1, duration: duration.map(\.nanoseconds) ?? -1)
    }

    private func input(_ file: OpenFile?) throws(CodecError) -> ByteReader {
        guard let file else { throw CodecError(.library, "no file") }
        let source: ByteSource = { (buffer, offset) throws(CodecError) in
            do throws(FileError) { return try file.descriptor.read(into: buffer, at: offset) } catch {
                throw CodecError(.unreadable, "cannot read: \(error.reason)")
            }
        }
        return try ByteReader(reading: source, isCancelled: { false })
    }

    /// Copies bytes, one after the other, to where the other process looks for them.
    private func share(_ parts: [[UInt8]]) throws(CodecError) {
        var offset = 0
        for part in parts {
            guard let memory, memory.write(part, at: offset) else {
                throw CodecError(.library, "the shared memory is too small")
            }
            offset += part.count
        }
    }
}

extension Duration {
    fileprivate var nanoseconds: Int {
        let (seconds, attoseconds) = components
        return Int(min(max(seconds, 0), 86_399)) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    }
}
