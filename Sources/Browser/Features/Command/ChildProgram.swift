internal import Glibc
internal import SpyglassCTerminal
internal import SpyglassCatalog
internal import SpyglassFiles
internal import SpyglassTerminalUI

/// Another program, which is found as shells find it (`posix_spawnp`), and gets words without a shell.
struct ChildProgram: Sendable {
    enum End: Hashable, Sendable {
        case exit(Int32)
        case signal(Int32)
    }

    private let process: pid_t

    /// `POSIX_SPAWN_SETSID` (<spawn.h>), which Swift does not import: keeps Ctrl-C from the program.
    private static let newSession: Int16 = 0x80

    /// Starts a program whose streams are a terminal; without one, in a session of its own and without our streams.
    ///
    /// - Throws: `BrowserError` if the program cannot be started.
    init(_ words: [[UInt8]], on terminal: String?, in folder: [UInt8]? = nil) throws(BrowserError) {
        let name = words.first ?? []
        guard !words.contains(where: \.containsZero) else {
            throw BrowserError("\(name.shown): a word has a zero byte")
        }
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (stream, mode) in [(STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_WRONLY), (STDERR_FILENO, O_WRONLY)] {
            let path = terminal ?? "/dev/null"
            posix_spawn_file_actions_addopen(&actions, stream, path, terminal == nil ? mode : O_RDWR, 0)
        }
        if let folder {
            // The error of the program that is started would blame the program.
            do throws(FileError) { _ = try Folder(opening: folder) } catch {
                throw BrowserError("\(folder.shown): \(error.reason)")
            }
            guard folder.withCPath({ sg_spawn_add_chdir(&actions, $0) }) == 0 else {
                throw BrowserError("\(folder.shown): out of memory")
            }
        }
        // libcurl 7.88 opens two sockets without close-on-exec.
        // `posix_spawn` tolerates those of `/proc/self/fd` (proc(5)) that have been closed since.
        for name in (try? Folder(opening: "/proc/self/fd").names()) ?? [] {
            guard let descriptor = Int32(name.shown), descriptor > STDERR_FILENO else { continue }
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        // The program must not inherit blocked or ignored signals.
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let session = terminal == nil ? Self.newSession : 0
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | session)
        var strings = words.map { word in word.withCPath { strdup($0) } } + [nil]
        defer { for word in strings { free(word) } }
        var process: pid_t = 0
        let status = name.withCPath { posix_spawnp(&process, $0, &actions, &attributes, &strings, environ) }
        guard status == 0 else {
            let isUnknown = status == ENOENT && !name.contains(UInt8(ascii: "/"))
            let reason = isUnknown ? "command not found" : String(cString: strerror(status))
            throw BrowserError("\(name.shown): \(reason)")
        }
        self.process = process
    }

    /// Milliseconds between two looks for the end, while this program may be asked to end, too.
    private static let interval: Int32 = 20

    /// Waits for the end; blocks.
    ///
    /// Ends the program (SIGTERM) if `isEnding` says so, and then waits for a fifth of a second at most.
    func wait(isEnding: (() -> Bool)? = nil) -> End {
        var status: Int32 = 0
        var looksLeft: Int?
        while true {
            let ended = waitpid(process, &status, isEnding == nil ? 0 : WNOHANG)
            if ended == process { break }
            guard ended == 0 || errno == EINTR else { return .exit(0) }
            if let left = looksLeft {
                guard left > 0 else { return .signal(SIGTERM) }
                looksLeft = left - 1
            } else if isEnding?() == true {
                kill(process, SIGTERM)
                looksLeft = 10
            }
            if ended == 0 { poll(nil, 0, Self.interval) }
        }
        // WIFSIGNALED of <sys/wait.h>, which Swift does not import.
        let signal = status & 0x7F
        return signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal)
    }
}

extension PictureViewer {
    /// Runs a command in the terminal, once the photos of the web are saved; replaces an earlier one that has not begun.
    mutating func run(
        _ job: CommandJob, from backend: BrowserBackend, _ search: BrowserSearch, on terminal: some BrowserTerminal
    ) {
        begin(with: job.items, from: backend, search, onFailure: { .cannotRun($0) }) { [queue] files in
            let words = job.command.words(for: files)
            terminal.lend { terminal in
                do throws(BrowserError) {
                    let isNextTyped = try job.run(words, on: terminal)
                    let lost = job.items.map(\.photo).filter { photo in
                        photo.file.map { (try? LocalFile($0.path)) == nil } ?? false
                    }
                    queue.add(.event(.commandEnded(lost: lost)))
                    if isNextTyped { queue.add(.event(.input(.key(.plain(":"))))) }
                } catch {
                    queue.add(.event(.notice(.cannotRun(error.reason))))
                }
            }
        }
    }
}

extension CommandJob {
    /// Runs the command, and reports its end; blocks.
    ///
    /// Returns whether `:` was pressed then.
    fileprivate func run(_ words: [[UInt8]], on terminal: LentTerminal) throws(BrowserError) -> Bool {
        let strings = UIStrings(language)
        terminal.print(TerminalText(cleaning: ": " + text), glyphs: glyphs)
        let program = try ChildProgram(words, on: terminal.path, in: folder)
        let line =
            switch program.wait(isEnding: { terminal.isEnding }) {
            case .exit(let code): strings.command.ended("\(code)")
            case .signal(SIGINT): strings.command.interrupted
            case .signal(let number): strings.command.killed("\(number)")
            }
        terminal.print(TerminalText(cleaning: line), glyphs: glyphs)
        return terminal.waitForKey() == UInt8(ascii: ":")
    }
}
