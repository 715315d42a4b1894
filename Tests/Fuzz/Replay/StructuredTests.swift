import Foundation
import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

/// Files whose containers are well formed, with counts, lengths and offsets of 0, 1, the maximum, and one more than there is.
@Suite("Structured fuzzing", .timeLimit(.minutes(60)))
struct StructuredTests {
    /// Files of each container; more with `SPYGLASS_STRUCTURED=100000`.
    private static let count = ProcessInfo.processInfo.environment["SPYGLASS_STRUCTURED"].flatMap { Int($0) } ?? 1000

    private let folder: TemporaryFolder
    private let decoder: ImageDecoder
    private let box = TargetSize(box: PixelSize(width: 4, height: 4))

    init() throws {
        folder = try TemporaryFolder()
        var limits = ImageLimits()
        limits.pixels = 1 << 18
        limits.frames = 100
        limits.framePixels = 1 << 20
        decoder = ImageDecoder(limits: limits, workers: .inProcess)
    }

    /// A trap leaves the file in a temporary folder, with the container and the seed as its name.
    @Test(
        "Every call returns a result or an error, with little work for the file's size", arguments: Container.allCases)
    func promises(container: Container) throws {
        for seed in 0..<Self.count {
            let (bytes, isPlain) = container.file(seed)
            let name = "\(container)-\(seed)"
            try folder.write(name, bytes)
            defer { try? FileManager.default.removeItem(atPath: folder.path(name)) }
            let work = Work()
            let failure = check(.file(folder.path(name)), work)
            if failure?.kind == .unsupported, seed == 0 {
                print("skipped: \(container): \(failure?.description ?? "")")
                return
            }
            if isPlain { #expect(failure == nil, "\(name) is right") }
            #expect(work.steps < 10_000 + bytes.count, "\(name) of \(bytes.count) bytes")
        }
    }

    /// Returns the error of decoding.
    private func check(_ file: EncodedImage, _ work: Work) -> CodecError? {
        func input() throws(CodecError) -> ByteReader { try ByteReader(file, isCancelled: work.step) }
        let info = try? expectLine { () throws(CodecError) in try decoder.probe(input()) }
        let inspection = try? expectLine { () throws(CodecError) in
            try decoder.inspection(of: input(), maxFrames: .max)
        }
        if let inspection { #expect(inspection.metadata.info == info) }
        let preview = try? expectLine { () throws(CodecError) in try decoder.embeddedPreview(of: file, for: box) }
        if let preview, let info { #expect(preview.pixels.size == box.size(for: info.size)) }
        do throws(CodecError) {
            let image = try expectLine { () throws(CodecError) in
                try decoder.decode(input(), DecodeSpec(box, isExact: false))
            }
            #expect(image.info == info)
            #expect(image.pixels.size == box.size(for: image.info.size))
            return image.completeness == .complete ? nil : CodecError(.corrupt, "incomplete")
        } catch {
            return error
        }
    }

    private func expectLine<Value>(_ body: () throws(CodecError) -> Value) throws(CodecError) -> Value {
        do {
            return try body()
        } catch {
            let isLine = !error.description.isEmpty && error.description.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            #expect(isLine, "\(error)")
            throw error
        }
    }
}

/// Counts how often decoders ask whether to go on: before they read, and after every few rows.
private final class Work {
    private(set) var steps = 0

    func step() -> Bool {
        steps += 1
        return false
    }
}
