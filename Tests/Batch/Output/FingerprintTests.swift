import Glibc
import SpyglassCodecs
import SpyglassFetching
import SpyglassFiles
import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassBatch

@Suite("Fingerprint")
struct FingerprintTests {
    @Test("Text is parsed again, and nothing else")
    func text() {
        let fingerprint = Fingerprint(id: "m31", source: .max, options: 0)
        #expect(Fingerprint(fingerprint.text) == fingerprint && fingerprint.text.utf8.count == 78)
        #expect(fingerprint.text.hasSuffix(" ffffffffffffffff 0000000000000000"))
        let others = [
            "", "spyglass 1 ", fingerprint.text + " ", fingerprint.text.uppercased(),
            String(fingerprint.text.dropLast()), "spyglass 2" + fingerprint.text.dropFirst(10),
        ]
        #expect(others.allSatisfy { Fingerprint($0) == nil })
        #expect(Fingerprint(id: "m32", source: .max, options: 0) != fingerprint)
    }

    @Test("It is found after other parts of a JPEG and a PNG, and in the XMP of a WebP and an AVIF with their length")
    func found() {
        let jfif: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + [UInt8](repeating: 0, count: 14)
        let files = [jfif + markedJPEG(.sample).dropFirst(2), png(.sample), webp(.sample), avif(.sample)]
        #expect(files.map(found) == Array(repeating: .sample, count: 4))
        let lengths = files.suffix(2).map { file in
            Fingerprint.find { (count, offset) in Array(file.dropFirst(offset).prefix(count)) }?.fileBytes
        }
        #expect(lengths == files.suffix(2).map(\.count))
    }

    private func found(in file: [UInt8]) -> Fingerprint? {
        Fingerprint.find { count, offset in Array(file.dropFirst(offset).prefix(count)) }?.fingerprint
    }

    private func png(_ fingerprint: Fingerprint) -> [UInt8] {
        let header: [UInt8] = [0, 0, 0, 13] + Array("IHDR".utf8) + [UInt8](repeating: 1, count: 17)
        let text = Array("Comment\0\(fingerprint.text)".utf8)
        let comment = [0, 0, 0, UInt8(text.count)] + Array("tEXt".utf8) + text + [0, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + header + comment
    }

    private func xmp(_ fingerprint: Fingerprint) -> [UInt8] { Array("xmp:CreatorTool=\"\(fingerprint.text)\"/> ".utf8) }

    private func webp(_ fingerprint: Fingerprint) -> [UInt8] {
        let xmp = xmp(fingerprint)
        let canvas = Array("VP8X".utf8) + [10, 0, 0, 0] + [UInt8](repeating: 0, count: 10)
        let chunks = Array("WEBP".utf8) + canvas + Array("XMP ".utf8) + [UInt8(xmp.count), 0, 0, 0] + xmp
        return Array("RIFF".utf8) + [UInt8(chunks.count), 0, 0, 0] + chunks
    }

    private func avif(_ fingerprint: Fingerprint) -> [UInt8] {
        let brands = [0, 0, 0, 16] + Array("ftypavif".utf8) + [0, 0, 0, 0]
        let (exif, xmp) = ([UInt8](repeating: 0, count: 9), xmp(fingerprint))
        return brands + [0, 0, 0, 12] + Array("meta".utf8) + [0, 0, 0, 0]
            + [0, 0, 0, UInt8(8 + exif.count + xmp.count)] + Array("mdat".utf8) + exif + xmp
    }

    @Test("Truncated and corrupt heads have none")
    func damaged() {
        for whole in [markedJPEG(.sample), png(.sample), webp(.sample), avif(.sample)] {
            for length in 0..<whole.count {
                let found = found(in: Array(whole.prefix(length)))
                // A PNG's checksum or a JPEG's end may be missing.
                #expect(found == nil || length >= whole.count - 4)
            }
            for index in whole.indices {
                var bytes = whole
                bytes[index] ^= 0xFF
                _ = found(in: bytes)
            }
        }
        #expect(found(in: [0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 0xFF, 0xFE]) == nil)
        // A text chunk that is shorter than its keyword.
        for length in UInt8(0)..<8 {
            var bytes = png(.sample)
            bytes[8 + 25 + 3] = length
            #expect(found(in: bytes) == nil)
        }
    }
}

@Suite("SourceHash")
struct SourceHashTests {
    @Test("A file's hash is that of its bytes, wherever windows end", arguments: [1, 65_535, 65_536, 65_537, 200_000])
    func file(length: Int) throws {
        let folder = try TemporaryFolder()
        var bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try folder.write("x", bytes)
        let hash = SourceHash.of(bytes)
        bytes[length - 1] ^= 1
        #expect(try SourceFile(opening: .sample(folder.path("x"))).hash() == hash && SourceHash.of(bytes) != hash)
    }

    @Test("A changed signature does not change the hash of a URL")
    func address() {
        let hashes = ["a.jpg?token=1", "a.jpg?token=2", "b.jpg?token=1"].compactMap { name in
            WebAddress("https://x.test/\(name)").map { SourceHash.of($0) }
        }
        #expect(hashes.count == 3 && hashes[0] == hashes[1] && hashes[0] != hashes[2])
    }

    @Test("A change of an open file's bytes or name is noticed, and it stays open", arguments: [true, false])
    func changed(isRenamed: Bool) throws {
        let folder = try TemporaryFolder()
        let images = try [1, 2].map { try BatchFixture.png(64, 64, seed: $0) }
        try folder.write("a.png", images[0])
        let file = try SourceFile(opening: .sample(folder.path("a.png")))
        #expect(try file.hash() == SourceHash.of(images[0]))
        if isRenamed {
            try folder.write("b.png", images[1])
            try #require(rename(folder.path("b.png"), folder.path("a.png")) == 0)
        } else {
            try folder.write("a.png", images[1] + [0])
        }
        #expect(throws: BatchError(.unreadable, "changed while it was read")) { try file.checkUnchanged() }
        let info = try ImageDecoder().probe(.bytes([]), opened: file.number)
        #expect(info.storedSize == PixelSize(width: 64, height: 64))
    }

    @Test("A copy keeps the bytes that the file had; a changed file has none", arguments: [1, 65_536, 200_000])
    func copied(length: Int) throws {
        let folder = try TemporaryFolder()
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        try folder.write("x", bytes)
        let file = try SourceFile(opening: .sample(folder.path("x")))
        let copy = try file.sealedCopy()
        try folder.write("x", bytes.map { ~$0 } + [0])
        #expect(try copy.byteCount == length && copy.hash() == SourceHash.of(bytes))
        try copy.checkUnchanged()
        #expect(write(copy.number, bytes, 1) == -1 && errno == EPERM)
        #expect(throws: BatchError(.unreadable, "changed while it was read")) { try file.sealedCopy() }
    }

    @Test("A missing, empty or special file fails with the reason")
    func opening() throws {
        let folder = try TemporaryFolder()
        try folder.write("empty.jpg", "")
        try folder.pipe("pipe.jpg")
        let files: [(String, BatchError.Kind)] = [
            ("gone.jpg", .unreadable), ("empty.jpg", .empty), ("pipe.jpg", .unreadable), ("", .unreadable),
        ]
        for (name, kind) in files {
            #expect(batchError { try SourceFile(opening: .sample(folder.path(name))) }?.kind == kind, "\(name)")
        }
    }
}
