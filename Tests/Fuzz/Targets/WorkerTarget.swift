import SpyglassPixels

@testable import SpyglassCodecs

/// Any message to or from a worker: malformed, or within its bounds and the same when it is written again.
///
/// The first byte, a message's number, chooses the direction.
enum WorkerTarget {
    static func run(_ input: [UInt8]) {
        guard let first = input.first else { return }
        if first & 1 == 0 { expectRequest(input) } else { expectReply(input) }
    }

    private static func expectRequest(_ message: [UInt8]) {
        guard let request = try? WorkerRequest(numbered: message) else { return }
        let bytes = try? request.bytes(numbered: 0)
        precondition(bytes != nil && (try? WorkerRequest(numbered: bytes ?? []).bytes(numbered: 0)) == bytes)
        guard case .decode(let decode) = request else { return }
        precondition(decode.spec.plans.count <= DecodeRequest.maxPlans && decode.options.windowBytes > 0)
        let region = decode.spec.region
        precondition(region.x >= 0 && region.y >= 0 && region.x + region.width <= 1 && region.y + region.height <= 1)
    }

    private static func expectReply(_ message: [UInt8]) {
        guard let reply = try? WorkerReply(numbered: message) else { return }
        let bytes = try? reply.bytes(numbered: 0)
        precondition(bytes != nil && (try? WorkerReply(numbered: bytes ?? []).bytes(numbered: 0)) == bytes)
        switch reply {
        case .failure(let error): precondition(error.description.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
        case .decoded(let decoded):
            precondition(decoded.parts.allSatisfy { $0.size.width > 0 && $0.size.height > 0 && $0.byteCount >= -1 })
            precondition((-1...Exif.maxStored).contains(decoded.exifBytes))
        default: break
        }
    }
}
