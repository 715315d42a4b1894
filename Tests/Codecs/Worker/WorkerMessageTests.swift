import SpyglassPixels
import Testing

@testable import SpyglassCodecs

@Suite("Messages of workers", .timeLimit(.minutes(10)))
struct WorkerMessageTests {
    private static var request: DecodeRequest {
        var spec = DecodeSpec([.original, .box(3, 4)], .lanczos, isExact: true, readsMetadata: true)
        spec.region = ImageRegion(x: 0.25, y: 0, width: 0.5, height: 0.75)
        var request = DecodeRequest(ImageLimits(), windowBytes: 4096, spec)
        request.sizes = [PixelSize(width: 9, height: 8), PixelSize(width: 3, height: 2)]
        return request
    }

    private static let replies: [WorkerReply] = {
        let info = ImageInfo(format: .png, storedSize: PixelSize(width: 2, height: 1), colorDescription: "")
        let image = DecodedImage(
            pixels: PixelBuffer(size: PixelSize(width: 2, height: 1)), info: info,
            completeness: .truncated(rows: 3, of: 5), warnings: 2, firstWarning: "bad", colorWarning: nil)
        return [
            .ready("landlock ABI 6, seccomp yes"), .failure(CodecError(.pixels(needing: 900), "too large")),
            .failure(.unsupported(.tiff, "DNG")), .failure(CodecError(.bodyBytes, "too long")), .still,
            .frame(plays: -1, duration: 40_000_000),
            .decoded(DecodedReply(image)),
        ]
    }()

    private static var requests: [[UInt8]] {
        var one = request
        one.sizes = [PixelSize(width: 9, height: 8)]
        let requests: [WorkerRequest] = [.decode(request), .open(1, one), .next(2), .skip(3), .restart(4), .close(5)]
        return requests.map(\.bytes)
    }

    private static var messages: [[UInt8]] { requests + replies.map(\.bytes) }

    @Test("A request arrives as it was sent")
    func request() throws {
        guard case .decode(let found) = try WorkerRequest(WorkerRequest.decode(Self.request).bytes) else {
            Issue.record("another kind")
            return
        }
        #expect(found.limits == ImageLimits())
        #expect(found.windowBytes == 4096)
        #expect(found.sizes == Self.request.sizes)
        #expect(found.spec.region == Self.request.spec.region)
        #expect(found.spec.filter == .lanczos)
        #expect(found.spec.isExact && found.spec.readsMetadata)
        let source = PixelSize(width: 100, height: 50)
        #expect(found.spec.targets.map { $0.size(for: source) } == found.sizes)
    }

    @Test("A reply arrives as it was sent")
    func reply() throws {
        for reply in Self.replies {
            #expect(try WorkerReply(reply.bytes).bytes == reply.bytes)
        }
        let errors = Self.replies.compactMap { reply in
            if case .failure(let error)? = try? WorkerReply(reply.bytes) { error } else { nil }
        }
        #expect(
            errors == [
                CodecError(.pixels(needing: 900), "too large"), .unsupported(.tiff, "DNG"),
                CodecError(.bodyBytes, "too long"),
            ])
        #expect(errors.map(\.unsupportedFormat) == [nil, "TIFF: DNG", nil])
    }

    @Test("A message that is cut or continued is malformed, at every length")
    func everyLength() {
        for message in Self.requests {
            for other in (0..<message.count).map({ Array(message[..<$0]) }) + [message + [0]] {
                #expect(throws: MalformedMessage.self) { try WorkerRequest(other) }
            }
        }
        for message in Self.replies.map(\.bytes) {
            for other in (0..<message.count).map({ Array(message[..<$0]) }) + [message + [0]] {
                #expect(throws: MalformedMessage.self) { try WorkerReply(other) }
            }
        }
    }

    @Test("A message with any byte changed is malformed or within its bounds")
    func everyByte() {
        for message in Self.messages {
            for index in message.indices {
                for value: UInt8 in [0, 1, 3, 0x7F, 0x80, 0xFF] {
                    var changed = message
                    changed[index] = value
                    if case .decoded(let reply)? = try? WorkerReply(changed) {
                        #expect(reply.exifBytes <= DecodedReply.maxExif)
                    }
                    if case .decode(let request)? = try? WorkerRequest(changed) {
                        #expect(request.sizes.count <= WorkerRequest.maxTargets)
                    }
                }
            }
        }
    }

    @Test("Text of a worker is shortened and printable")
    func text() throws {
        let hostile = CodecError(.corrupt, "\u{1B}]0;x\u{7}" + String(repeating: "é", count: 1000))
        guard case .failure(let error) = try WorkerReply(WorkerReply.failure(hostile).bytes) else {
            Issue.record("another kind")
            return
        }
        #expect(error.description.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
        #expect(error.description.utf8.count <= MessageWriter.maxText)
    }
}
