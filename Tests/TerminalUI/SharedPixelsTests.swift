import SpyglassFiles
import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassTerminalUI

@Suite("SharedPixels")
struct SharedPixelsTests {
    private let folder: TemporaryFolder
    private let memory: SharedPixels

    init() throws {
        folder = try TemporaryFolder()
        memory = SharedPixels(folder: folder.path)
    }

    private var names: [String] {
        get throws { try Folder(opening: folder.path).names().map { String(decoding: $0, as: UTF8.self) } }
    }

    @Test("An object is named by this process, for this user alone, and removed in the end")
    func publishing() throws {
        let name = String(decoding: try #require(memory.publish([1, 2, 3])), as: UTF8.self)
        #expect(name.hasPrefix("/spyglass-") && name.utf8.count == SharedPixels.nameLength)
        #expect(try Folder.working.read(folder.path + name, limit: 10) == [1, 2, 3])
        #expect(try Folder.working.status(of: folder.path + name).permissions == 0o600)
        _ = memory.publish([4])
        // The terminal has removed one already.
        try Folder.working.remove(folder.path + name)
        memory.removeAll()
        #expect(try names.isEmpty)
    }

    @Test("What a killed process has left is removed, and what others use stays")
    func leftObjects() throws {
        // No process has the highest number.
        let left = "spyglass-\(Int32.max)-a"
        let kept = ["spyglass-1-a", "spyglass-0-a", "spyglass-x-a", "spyglass", "other-\(Int32.max)-a"]
        for name in kept + [left] { try folder.write(name, "pixels") }
        _ = memory.publish([1])
        memory.removeAll()
        #expect(try Set(names) == Set(kept))
    }

    @Test("Of a terminal that reads nothing only the newest objects are left")
    func limit() throws {
        let pixels = [UInt8](repeating: 7, count: 50_000_000)
        for _ in 0..<5 { _ = memory.publish(pixels) }
        #expect(try names.count == 3)
        memory.removeAll()
        #expect(try names.isEmpty)
    }

    @Test("Without shared memory the pixels are in the transmission itself")
    func unavailable() throws {
        let missing = SharedPixels(folder: folder.path("missing"))
        let payload = try PixelPayload(.kittyPlacement, number: 3, columns: 8, rows: 4, in: missing)
        let bytes = payload.transmission(0..<payload.bytes.count, id: 12_345_678)
        let (commands, faults) = KittyCommand.read(bytes)
        try #require(faults == [] && commands.count == 1)
        #expect(commands[0].data == payload.shared.first?.bytes)
        #expect(["i", "f", "t"].map { commands[0].keys[$0] } == ["12345678", "32", nil])
    }

    @Test("A terminal is asked once, with an object of its own, unless ssh or a multiplexer is between")
    func query() throws {
        func query(_ variables: [String: String]) -> String {
            let kitty = ["TERM": "xterm-kitty"].merging(variables) { $1 }
            return String(
                decoding: TerminalProbe.bytes(sharedPixels: memory) { kitty[$0] }.raw, as: UTF8.self)
        }
        let text = query([:])
        #expect(text.ranges(of: "\u{1B}_Gi=32,s=1,v=1,a=q,t=s,f=24;").count == 1 && text.hasSuffix("\u{1B}[c"))
        for variables in [
            ["SSH_CONNECTION": "::1 1 ::1 2"], ["SSH_TTY": "/dev/pts/1"], ["ZELLIJ": "0"],
            ["TMUX": "/tmp/t", "TERM": "tmux-256color"], ["TERM_PROGRAM": "Apple_Terminal"], ["TERM": "linux"],
        ] {
            #expect(!query(variables).contains("i=32"))
        }
        #expect(try names.count == 1)
    }

    @Test("Only a reply allows shared memory, for this run, and never over ssh or in a multiplexer")
    func support() throws {
        func isShared(_ variables: [String: String], _ replies: TerminalReply...) -> Bool {
            var support = PixelSupport { ["TERM": "xterm-kitty", "LANG": "C.UTF-8"].merging(variables) { $1 }[$0] }
            for reply in replies { support.answers.add(reply, window: nil) }
            return support.sharesMemory
        }
        #expect(isShared([:], .sharedMemory(true)))
        #expect(!isShared([:]) && !isShared([:], .graphics(true)) && !isShared([:], .sharedMemory(false)))
        let remote = [["SSH_CLIENT": "::1 1 2"], ["ZELLIJ": "0"]]
        #expect(remote.allSatisfy { !isShared($0, .sharedMemory(true)) })
        var answers = TerminalAnswers()
        answers.add(.sharedMemory(true), window: nil)
        #expect(TerminalAnswers(stored: answers.stored)?.sharesMemory == false)
    }
}
