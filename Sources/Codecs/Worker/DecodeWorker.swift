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
        return serve(MessageSocket(owning: ChildProcess.socket)) { () throws(CodecError) in
            try family.load()
            _ = LCMSLibrary.system
            let use: SandboxUse =
                family == .heif ? .threadedWorker(memoryBytes: memoryBytes) : .worker(memoryBytes: memoryBytes)
            return "\(Sandbox.lock(use))"
        }
    }

    /// Seconds after which a request ends the process, should the one that sent it be gone.
    private static let maxSeconds: UInt32 = 600

    /// Sends what `prepare` returns, then answers requests.
    package static func serve(
        _ socket: consuming MessageSocket, prepare: () throws(CodecError) -> String
    ) -> Int32 {
        do throws(FileError) {
            do throws(CodecError) {
                let report = try prepare()
                try send(.ready(report), through: socket)
            } catch {
                try socket.send(WorkerReply.failure(error).bytes)
                return 1
            }
            var memory: SharedMemory?
            while true {
                let (bytes, descriptors) = try socket.receive()
                guard !bytes.isEmpty else { return 0 }
                alarm(maxSeconds)
                let files = descriptors.map { OpenFile(FileDescriptor(owning: $0)) }
                if descriptors.count > 1 { memory = try SharedMemory(receiving: descriptors[1]) }
                guard let memory, let request = try? WorkerRequest(bytes), let file = files.first else { return 2 }
                try socket.send(reply(to: request, file, memory).bytes)
                alarm(0)
            }
        } catch {
            return 2
        }
    }

    private static func send(_ reply: WorkerReply, through socket: borrowing MessageSocket) throws(CodecError) {
        do throws(FileError) { try socket.send(reply.bytes) } catch {
            throw CodecError(.library, error.reason)
        }
    }

    private final class OpenFile {
        let descriptor: FileDescriptor
        init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
    }

    private static func reply(to request: WorkerRequest, _ file: OpenFile, _ memory: SharedMemory) -> WorkerReply {
        do throws(CodecError) {
            switch request {
            case .decode(let request):
                let decoder = ImageDecoder(
                    limits: request.limits, windowBytes: request.windowBytes, workers: .inProcess)
                let source: ByteSource = { (buffer, offset) throws(CodecError) in
                    do throws(FileError) { return try file.descriptor.read(into: buffer, at: offset) } catch {
                        throw CodecError(.unreadable, "cannot read: \(error.reason)")
                    }
                }
                let input = try ByteReader(reading: source, isCancelled: { false })
                let image = try decoder.decode(input, request.spec)
                let reply = DecodedReply(image)
                var offset = 0
                for buffer in image.buffers.map(\.bytes) + (reply.exifBytes > 0 ? [image.exif ?? []] : []) {
                    guard memory.write(buffer, at: offset) else {
                        throw CodecError(.library, "the memory is too small")
                    }
                    offset += buffer.count
                }
                return .decoded(reply)
            }
        } catch {
            return .failure(error)
        }
    }
}
