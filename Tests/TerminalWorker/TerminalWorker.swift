import Glibc
import SpyglassTerminalUI

/// A program that tests run on a pty, stop and kill.
///
///     terminal-worker session [mouse] [ask] [obstinate] [nohup]   a session: events on descriptor 3, commands on 4
///     terminal-worker query SECONDS   asks what the terminal draws, and tells the best way
///     terminal-worker shell WORDS...   a shell with job control that runs `terminal-worker WORDS...`; `behind`: in the background
@main
struct TerminalWorker {
    static func main() {
        let words = CommandLine.arguments.dropFirst()
        switch words.first {
        case "session": SessionProgram(options: Set(words.dropFirst())).run()
        case "query": query(timeout: .seconds(Int(words.last ?? "") ?? 0))
        case "shell": JobShell(words: Array(words.dropFirst())).run()
        default: exit(2)
        }
    }

    private static func query(timeout: Duration) {
        let variables = ["TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"]
        var support = PixelSupport { variables[$0] }
        switch TerminalQuery.ask(timeout: timeout, asksPalette: false, environment: { variables[$0] }) {
        case .answered(let answers):
            support.answers = answers
            Wire.tell(support.best.value.rawValue)
        case .silent: Wire.tell("silent")
        case .notAsked: Wire.tell("not asked")
        }
    }
}

enum Wire {
    static let events: Int32 = 3
    static let commands: Int32 = 4

    static func tell(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        bytes.withUnsafeBytes { _ = write(events, $0.baseAddress, $0.count) }
    }

    /// The next line of the test, or `nil` at the end.
    static func nextCommand() -> String? {
        var line: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            switch read(commands, &byte, 1) {
            case 1 where byte == UInt8(ascii: "\n"): return String(decoding: line, as: UTF8.self)
            case 1: line.append(byte)
            case -1 where errno == EINTR: continue
            default: return nil
            }
        }
    }
}
