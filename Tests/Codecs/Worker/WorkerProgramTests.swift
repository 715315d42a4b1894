import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite(
    "Worker programs",
    .enabled(if: TestLauncher.path != nil, "decode-worker has not been built beside the tests"),
    .timeLimit(.minutes(10)))
struct WorkerProgramTests {
    private static let remedy = "the program must call DecodeWorker.runIfRequested() first of all"

    @Test("A program that was started as a worker starts none, even if it has forgotten to become one")
    func nested() throws {
        let pool = WorkerPool(launcher: TestLauncher("--decode-worker"), count: 1)
        #expect(try pool.prepare(.builtIn) == "a worker starts no workers; \(Self.remedy)")
    }

    @Test("An executable that is not a worker is named in the error", arguments: ["/bin/true", "/bin/false"])
    func otherProgram(path: String) {
        let error = #expect(throws: CodecError.self) { try WorkerPool(executable: path).prepare(.builtIn) }
        #expect(error == CodecError(.library, "\(path) does not answer as a worker; \(Self.remedy)"))
    }

    @Test("A program that goes on without becoming a worker is named, too, and ended")
    func mute() {
        let launcher = TestLauncher("mute")
        let pool = WorkerPool(launcher: launcher, count: 1, startLimit: .milliseconds(300))
        // Known after the first image, so no further process starts.
        for _ in 0..<2 {
            let error = #expect(throws: CodecError.self) { try pool.prepare(.builtIn) }
            #expect(error?.description == "this program does not answer as a worker; \(Self.remedy)")
        }
        #expect(launcher.processes.count == 1)
    }

    @Test("A worker that crashes while it starts is reported as a crash, and another may start later")
    func stillborn() {
        let launcher = TestLauncher("stillborn", "stillborn", "honest")
        let pool = WorkerPool(launcher: launcher, count: 1)
        #expect(throws: CodecError(.crashed, "decoder crashed (signal 4)")) { try pool.prepare(.builtIn) }
        #expect(throws: Never.self) { try pool.prepare(.builtIn) }
    }
}
