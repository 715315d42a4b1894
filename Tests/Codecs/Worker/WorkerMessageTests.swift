import SpyglassPixels
import SpyglassSandbox
import Testing

@testable import SpyglassCodecs

@Suite("Messages of workers", .timeLimit(.minutes(10)))
struct WorkerMessageTests {
    private static var request: DecodeRequest {
        var request = DecodeRequest()
        request.format = .png
        request.options.windowBytes = 4096
        (request.spec.filter, request.spec.isExact, request.spec.keeps) = (.lanczos, true, [.exif, .position])
        request.spec.region = ImageRegion(x: 0.25, y: 0, width: 0.5, height: 0.75)
        let encoding = Self.encoding(.jpeg(.init(quality: 77, isProgressive: true, subsampling: .ratio422)))
        request.spec.plans = [
            FilePlan(.original, encoding: nil),
            FilePlan(.original, encoding: Self.encoding(.webp(quality: nil, effort: 6))),
            FilePlan(.original, encoding: Self.encoding(.avif(quality: 55, effort: 0))),
            FilePlan(
                .percent(50), filling: .crop(PixelSize(width: 9, height: 8), .point(x: 0.1, y: 1)), encoding: encoding),
            FilePlan(
                TargetSize(box: PixelSize(width: 3, height: 2), fit: .cover, allowsUpscaling: true, pixelAspect: 0.5)
                    .inCells(of: PixelSize(width: 2, height: 4)),
                filling: .pad(PixelSize(width: 3, height: 9), RGBA(1, 2, 3, 4)), encoding: nil),
        ]
        request.makesFiles = true
        (request.spec.copiedBytes, request.inputBytes) = (1 << 20, 1 << 10)
        return request
    }

    private static func encoding(_ format: FilePlan.Format) -> FilePlan.Encoding {
        FilePlan.Encoding(format, comment: "one", commentWithoutColor: "two", background: RGBA(255, 0, 7))
    }

    private static let replies: [WorkerReply] = {
        let info = ImageInfo(
            format: .tiff, storedSize: PixelSize(width: 2, height: 1), orientation: .left, isProgressive: true,
            hasAlpha: true, colorDescription: "grey, 4 bits")
        let image = DecodedImage(
            pixels: PixelBuffer(size: PixelSize(width: 2, height: 1)), info: info,
            completeness: .truncated(rows: 3, of: 5), warnings: 2, firstWarning: "bad", colorWarning: nil)
        var metadata = ImageMetadata(info: info)
        (metadata.camera, metadata.exposureTime, metadata.iso) = ("Caméra", 0.01, 400)
        return [
            .ready("landlock ABI 6, seccomp yes"), .failure(CodecError(.pixels(needing: 900), "too large")),
            .failure(.unsupported(.tiff, "DNG")), .failure(CodecError(.bodyBytes, "too long")), .elsewhere(.heif),
            .needs(workBytes: 3, sharedBytes: 0), .inspected(Inspection(metadata: metadata, frames: 7)), .nothing,
            .opened(OpenedReply(info: info, size: PixelSize(width: 1, height: 2), plays: 3)),
            .frame(plays: -1, duration: 40_000_000),
            .decoded(DecodedReply(image, [.init(size: PixelSize(width: 2, height: 1), byteCount: 8), .init()])),
        ]
    }()

    private static var requests: [[UInt8]] {
        var one = request
        one.spec.plans = [FilePlan(.original, encoding: nil)]
        let requests: [WorkerRequest] = [
            .start(WorkerLibraries(.tiff, encoder: .avif)), .inspect(InspectRequest(format: .gif, maxFrames: 2)),
            .decode(request), .proceed, .open(1, one), .next(2), .skip(3), .restart(4), .close(5), .refuse,
        ]
        return requests.map { (try? $0.bytes(numbered: 5)) ?? [] }
    }

    private static var replyMessages: [[UInt8]] { replies.map { (try? $0.bytes(numbered: 5)) ?? [] } }

    private static var messages: [[UInt8]] { requests + replyMessages }

    @Test("A request arrives as it was sent")
    func request() throws {
        guard
            case .decode(let found) = try WorkerRequest(numbered: WorkerRequest.decode(Self.request).bytes(numbered: 0))
        else {
            Issue.record("another kind")
            return
        }
        let (spec, sent) = (found.spec, Self.request.spec)
        #expect(spec.plans == sent.plans && found.limits == ImageLimits() && spec.region == sent.region)
        #expect((found.format, found.options.windowBytes) == (.png, 4096))
        #expect((spec.filter, spec.copiedBytes) == (.lanczos, 1 << 20))
        #expect(found.inputBytes == 1 << 10)
        #expect(spec.isExact && spec.keeps == [.exif, .position] && found.makesFiles && !found.isEmbeddedPreview)
        for message in Self.requests { #expect(try WorkerRequest(numbered: message).bytes(numbered: 5) == message) }
    }

    @Test("A reply arrives as it was sent")
    func reply() throws {
        for message in Self.replyMessages { #expect(try WorkerReply(numbered: message).bytes(numbered: 5) == message) }
        let found = Self.replyMessages.compactMap { try? WorkerReply(numbered: $0) }
        let errors = found.compactMap { if case .failure(let error) = $0 { error } else { nil } }
        #expect(
            errors == [
                CodecError(.pixels(needing: 900), "too large"), .unsupported(.tiff, "DNG"),
                CodecError(.bodyBytes, "too long"),
            ])
        #expect(errors.map(\.unsupportedFormat) == [nil, "TIFF: DNG", nil])
        let metadata = found.compactMap { if case .inspected(let inspection) = $0 { inspection.metadata } else { nil } }
        #expect(metadata.map(\.camera) == ["Caméra"] && metadata.map(\.info.orientation) == [.left])
    }

    @Test("A fraction outside the range of EXIF is malformed", arguments: [0, .nan, .infinity, 1e300, -1])
    func fraction(value: Double) throws {
        var metadata = ImageMetadata(info: .unknown)
        metadata.exposureTime = value
        #expect(throws: MalformedMessage.self) {
            try WorkerReply.inspected(Inspection(metadata: metadata)).bytes(numbered: 0)
        }
        metadata.exposureTime = 0.004
        let bytes = try WorkerReply.inspected(Inspection(metadata: metadata)).bytes(numbered: 0)
        let pattern = withUnsafeBytes(of: (0.004).bitPattern.littleEndian, Array.init)
        let at = try #require(bytes.indices.first { bytes[$0...].starts(with: pattern) })
        var changed = bytes
        changed.replaceSubrange(at..<at + 8, with: withUnsafeBytes(of: value.bitPattern.littleEndian, Array.init))
        #expect(throws: MalformedMessage.self) { try WorkerReply(numbered: changed) }
    }

    @Test("The largest request fits into one message")
    func largest() throws {
        var request = Self.request
        request.spec.plans = Array(repeating: request.spec.plans[3], count: DecodeRequest.maxPlans)
        let comment = String(repeating: "x", count: 78)
        for index in request.spec.plans.indices {
            request.spec.plans[index].encoding?.comment = comment
            request.spec.plans[index].encoding?.commentWithoutColor = comment
        }
        #expect(try WorkerRequest.decode(request).bytes(numbered: 0).count <= MessageSocket.maxBytes)
    }

    @Test("A message that is cut or continued is malformed, at every length")
    func everyLength() {
        func wrong(_ messages: [[UInt8]]) -> [[UInt8]] {
            messages.flatMap { message in message.indices.map { Array(message[..<$0]) } } + messages.map { $0 + [0] }
        }
        for other in wrong(Self.requests) {
            #expect(throws: MalformedMessage.self) { try WorkerRequest(numbered: other) }
        }
        for other in wrong(Self.replyMessages) {
            #expect(throws: MalformedMessage.self) { try WorkerReply(numbered: other) }
        }
    }

    @Test("A message with any byte changed is malformed or within its bounds")
    func everyByte() {
        for message in Self.messages {
            for index in message.indices {
                for value: UInt8 in [0, 1, 3, 0x7F, 0x80, 0xFF] {
                    var changed = message
                    changed[index] = value
                    if case .decoded(let reply)? = try? WorkerReply(numbered: changed) {
                        #expect(reply.exifBytes <= Exif.maxStored)
                    }
                    if case .decode(let request)? = try? WorkerRequest(numbered: changed) {
                        #expect(request.spec.plans.count <= DecodeRequest.maxPlans)
                    }
                }
            }
        }
    }

    @Test("Text of a worker is shortened and printable")
    func text() throws {
        let hostile = CodecError(.corrupt, "\u{1B}]0;x\u{7}" + String(repeating: "é", count: 1000))
        guard case .failure(let error) = try WorkerReply(numbered: WorkerReply.failure(hostile).bytes(numbered: 0))
        else {
            Issue.record("another kind")
            return
        }
        #expect(isOneLine(error.description) && error.description.utf8.count <= MessageCoder.maxText)
    }
}
