import Glibc
import SpyglassFiles
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassBatch

@Suite("OutputFolder", .timeLimit(.minutes(10)))
struct OutputFolderTests {
    private let folder: TemporaryFolder
    private let fingerprint = Fingerprint.sample

    init() throws { folder = try TemporaryFolder() }

    private func output() throws -> OutputFolder { try OutputFolder(path: folder.path("out")) }

    /// Writes an output with its fingerprint.
    private func make(
        _ output: OutputFolder, _ path: String, _ fingerprint: Fingerprint, isForced: Bool = false,
        source: FileIdentity? = nil, padding: Int = 0
    ) throws(BatchError) {
        try output.write(
            markedJPEG(fingerprint, padding: padding), to: OutputName(path), fingerprint: fingerprint,
            isForced: isForced, source: source)
    }

    /// The kind of the error of `make`, if any.
    private func refusal(
        _ output: OutputFolder, _ path: String, _ fingerprint: Fingerprint, isForced: Bool = false,
        source: FileIdentity? = nil
    ) -> BatchError.Kind? {
        batchError { try make(output, path, fingerprint, isForced: isForced, source: source) }?.kind
    }

    @Test("An output appears in created folders with its fingerprint, and nothing else")
    func writing() throws {
        let output = try output()
        let name = OutputName("a/b/m31.jpg")
        #expect(try output.existing(name) == .nothing)
        try make(output, name.path, fingerprint, padding: 5)
        #expect(try output.existing(name) == .made(fingerprint, bytes: 91))
        #expect(folder.files == ["out/a/b/m31.jpg"])
    }

    @Test("A folder that cannot be created, opened or written is unavailable")
    func unavailable() throws {
        try folder.write("file", "x")
        for path in [folder.path("file"), folder.path("file/below"), "/proc/nothing/here", "/proc/self"] {
            #expect(batchError { try OutputFolder(path: path) }?.kind == .unavailable, "\(path)")
        }
        #expect(OutputFolder.readOnly(at: folder.path("nowhere")) == nil && folder.files == ["file"])
    }

    @Test("An output of the same item is replaced when it has changed")
    func replaced() throws {
        try make(output(), "m31.jpg", fingerprint)
        let changed = Fingerprint(id: "m31.jpg", source: 9, options: 2)
        let later = try output()
        try make(later, "m31.jpg", changed)
        #expect(try later.existing(OutputName("m31.jpg")) == .made(changed, bytes: 86))
    }

    @Test("Other items' outputs and unrelated files are replaced only by force")
    func collisions() throws {
        let other = Fingerprint(id: "m32.jpg", source: 1, options: 2)
        try make(output(), "ours.jpg", other)
        try folder.write("out/foreign.jpg", "unrelated")
        try folder.link("out/link.jpg", to: folder.path("out/foreign.jpg"))
        let later = try output()
        for name in ["ours.jpg", "foreign.jpg", "link.jpg"] {
            #expect(refusal(later, name, fingerprint) == .collision)
            try make(later, name, fingerprint, isForced: true)
            #expect(try later.existing(OutputName(name)) == .made(fingerprint, bytes: 86))
        }
        let elsewhere = Fingerprint(id: "m31.jpg", manifestSource: "/elsewhere/m31.jpg", source: 3, options: 2)
        #expect(refusal(try output(), "ours.jpg", elsewhere) == .collision)
        try make(output(), "ours.jpg", elsewhere, isForced: true)
        mkdir(folder.path("out/folder.jpg"), 0o755)
        #expect(refusal(later, "folder.jpg", fingerprint, isForced: true) == .collision)
        #expect(folder.files == ["out/foreign.jpg", "out/link.jpg", "out/ours.jpg"])
    }

    @Test("A damaged output counts as changed")
    func damaged() throws {
        try make(output(), "m31.jpg", fingerprint)
        let whole = try folder.read("out/m31.jpg")
        for damaged in [Array(whole.dropLast(2)), whole.dropLast(2) + [0, 0]] {
            try folder.write("out/m31.jpg", damaged)
            let later = try output()
            let found = try later.existing(OutputName("m31.jpg"))
            #expect(found == .made(fingerprint.ofDamage, bytes: damaged.count))
            try make(later, "m31.jpg", fingerprint)
            #expect(try folder.read("out/m31.jpg") == whole)
        }
    }

    @Test("With a manifest, unrelated files stay, even with force")
    func unrecognizedFiles() throws {
        try make(output(), "ours.jpg", Fingerprint(id: "m32.jpg", source: 1, options: 2))
        try folder.write("out/foreign.jpg", "an input")
        let later = try output()
        later.keepForeignFiles()
        #expect(refusal(later, "foreign.jpg", fingerprint, isForced: true) == .collision)
        try make(later, "ours.jpg", fingerprint, isForced: true)
        #expect(try folder.text("out/foreign.jpg") == "an input")
    }

    @Test("Outputs of this run are never replaced, even by force")
    func thisRun() throws {
        let output = try output()
        try make(output, "a.jpg", fingerprint)
        let other = Fingerprint(id: "b.jpg", source: 1, options: 2)
        let changed = Fingerprint(id: "m31.jpg", source: 7, options: 2)
        for isForced in [false, true] {
            let found = [other, changed, fingerprint].map { refusal(output, "a.jpg", $0, isForced: isForced) }
            #expect(found == [.collision, .collision, nil])
        }
        #expect(folder.files == ["out/a.jpg"])
    }

    @Test("An input is never replaced, nor a file of an operand in the output folder")
    func inputs() throws {
        let names = ["out/a.jpg", "out/b.jpg", "out/in/c.jpg"]
        for name in names { try folder.write(name, "an input") }
        let inputs = try names.map { try SourceFile(opening: .sample(folder.path($0))).identity }
        let protecting = try output()
        protecting.protect([inputs[1]])
        #expect(refusal(protecting, "a.jpg", fingerprint, isForced: true, source: inputs[0]) == .collision)
        #expect(refusal(protecting, "b.jpg", fingerprint, isForced: true) == .collision)
        for operand in ["out/in", "out/in/c.jpg"] {
            let output = try output()
            _ = ArgumentFeed([Array(folder.path(operand).utf8)], try .sample("320"), into: output)
            #expect(refusal(output, "in/c.jpg", fingerprint, isForced: true) == .collision)
        }
        #expect(try names.map { try folder.text($0) } == Array(repeating: "an input", count: 3))
    }

    @Test("An empty file, as after a power failure, is replaced")
    func emptyFile() throws {
        try folder.write("out/a.jpg", "")
        try make(output(), "a.jpg", fingerprint)
    }

    @Test("Links below the output folder are not followed")
    func links() throws {
        try folder.write("elsewhere/x", "x")
        try folder.link("out/away", to: folder.path("elsewhere"))
        try folder.write("out/file", "x")
        let output = try output()
        for path in ["away/a.jpg", "file/a.jpg"] {
            #expect(refusal(output, path, fingerprint, isForced: true) == .unwritable)
            #expect(throws: BatchError.self) { try output.existing(OutputName(path)) }
        }
        #expect(folder.files == ["elsewhere/x", "out/away", "out/file"])
    }

    @Test("A pipe with an output's name does not block")
    func pipe() throws {
        try folder.pipe("a.jpg")
        let output = try OutputFolder(path: folder.path)
        #expect(try output.existing(OutputName("a.jpg")) == .foreign)
        #expect(refusal(output, "a.jpg", fingerprint) == .collision)
    }

    @Test("An unwritable folder fails the item with the system's message", .enabled(if: geteuid() != 0))
    func readOnly() throws {
        let output = try output()
        chmod(folder.path("out"), 0o555)
        defer { chmod(folder.path("out"), 0o755) }
        #expect(refusal(output, "a.jpg", fingerprint) == .unwritable)
        #expect(refusal(output, "sub/a.jpg", fingerprint) == .unwritable)
        #expect(throws: BatchError.self) { try self.output() }
    }

    @Test(
        "A full disk is a problem of the folder, other errors are of the item",
        arguments: [(ENOSPC, true), (EDQUOT, true), (EROFS, true), (EFBIG, false), (EIO, false), (EACCES, false)])
    func problem(code: Int32, isFolders: Bool) throws {
        let output = try OutputFolder(path: folder.path("out"), .failing(with: code))
        #expect(refusal(output, "a.jpg", fingerprint) == (isFolders ? .cancelled : .unwritable))
        let reason = "cannot write to the folder '\(folder.path("out"))': \(String(cString: strerror(code)))"
        #expect(output.runError == (isFolders ? BatchError(.unavailable, reason) : nil))
        #expect(folder.files.isEmpty)
    }

    @Test(
        "An error on close is found before the rename",
        arguments: [(EIO, BatchError.Kind.unwritable), (EDQUOT, .cancelled)])
    func lateError(code: Int32, kind: BatchError.Kind) throws {
        let calls = FileCalls(close: { file in
            close(file)
            errno = code
            return -1
        })
        let output = try OutputFolder(path: folder.path("out"), calls)
        #expect(refusal(output, "a.jpg", fingerprint) == kind)
        #expect((output.runError != nil) == (code == EDQUOT) && folder.files.isEmpty)
    }

    @Test("A write of 0 bytes is a full disk")
    func nothingTaken() throws {
        let output = try OutputFolder(path: folder.path("out"), FileCalls(write: { _, _, _ in 0 }))
        #expect(refusal(output, "a.jpg", fingerprint) == .cancelled)
        #expect(output.runError?.message.hasSuffix(String(cString: strerror(ENOSPC))) == true)
    }

    @Test("Only temporary files of ended processes are removed")
    func leftovers() throws {
        let dead = ".spyglass-999999999-7.tmp"
        let living = ".spyglass-\(getpid())-8.tmp"
        for name in [dead, living, ".spyglass-1.tmp", ".spyglass-x-1.tmp", ".other"] {
            try folder.write("out/sub/\(name)", "x")
        }
        let held = open(folder.path("out/sub/\(living)"), O_RDWR)
        defer { close(held) }
        try #require(flock(held, LOCK_EX) == 0)
        try make(output(), "sub/a.jpg", fingerprint)
        #expect(
            Set(folder.files)
                == Set([living, ".spyglass-1.tmp", ".spyglass-x-1.tmp", ".other", "a.jpg"].map { "out/sub/\($0)" }))
    }

    @Test("After the end, nothing is written")
    func closed() throws {
        let output = try output()
        output.removeTemporaries()
        #expect(refusal(output, "a.jpg", fingerprint) == .cancelled && folder.files.isEmpty)
    }

    @Test("Of concurrent items with the same names, one has each name", arguments: [false, true])
    func storm(isForced: Bool) async throws {
        try folder.write("out/0.jpg", "unrelated")
        let earlier = Fingerprint(id: "item 1", source: 0, options: 0)
        try make(output(), "1.jpg", earlier)
        let output = try output()
        let (names, writers) = (8, 24)
        let threads = ThreadPool(count: 8)
        let winners = Monitor<[Int: [Int]]>([:])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                for name in (0..<names).shuffled() {
                    group.addTask {
                        try await threads.run { _ in
                            let fingerprint = Fingerprint(id: "item \(writer)", source: 1, options: 0)
                            let failure = batchError {
                                try self.make(output, "\(name).jpg", fingerprint, isForced: isForced, padding: 5000)
                            }
                            if failure == nil { winners.withLock { $0[name, default: []].append(writer) } }
                            #expect([nil, .collision].contains(failure?.kind))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let made = winners.withLock(\.self)
        for name in 0..<names {
            // Without force, unrelated files and other items' outputs stay.
            guard isForced || name != 0 else {
                #expect(made[0] == nil)
                continue
            }
            let winner = try #require(made[name])
            #expect(winner.count == 1)
            if !isForced, name == 1 { #expect(winner == [1]) }
            let expected = Fingerprint(id: "item \(winner[0])", source: 1, options: 0)
            #expect(try folder.read("out/\(name).jpg") == markedJPEG(expected, padding: 5000))
        }
        #expect(folder.files.count == names)
    }
}
