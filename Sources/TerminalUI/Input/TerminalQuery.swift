internal import Glibc
internal import SpyglassFiles
internal import SpyglassThreads

/// Asks the terminal of a stream, before anything is drawn, what images it supports.
///
///     if case .answered(let answers) = TerminalQuery.ask(asksPalette: false, environment: environment) { capabilities.learn(answers) }
///
/// For a program without a `TerminalSession`.
package enum TerminalQuery {
    /// The result of asking.
    package enum Outcome: Hashable, Sendable {
        /// The terminal replied to DA1, the last query, or at least that it draws kitty's images, in time.
        case answered(TerminalAnswers)
        /// It did not: a reply may come later.
        case silent
        /// Nothing was sent: standard output is not the controlling terminal, the process is in the background, the user has
        /// typed ahead, or the connection is remote.
        case notAsked
    }

    /// The time that a local terminal has for its replies.
    static let timeout = Duration.milliseconds(100)
    /// The input that is read at most, above the size of all replies; also that of a terminal's queue.
    fileprivate static let maxBytes = 4096

    /// Whether replies may still arrive.
    private static let isDue = Mutex(false)

    /// Asks, and waits for the replies, at most for `timeout`.
    ///
    /// Not over ssh, in tmux or screen, where a late reply would be typed into the shell. Meanwhile the terminal neither
    /// echoes nor edits lines, and signals wait. Then its settings are those from before. What the user types in this time
    /// is given back to the terminal (`TIOCSTI`), where the system permits. Call it before starting threads. C: `tcgetpgrp`,
    /// `tcsetattr`, `pthread_sigmask`, `poll`. With `asksPalette` it also asks for the sixteen colours.
    package static func ask(
        timeout: Duration = TerminalQuery.timeout, asksPalette: Bool, environment: (String) -> String?
    ) -> Outcome {
        let variables = TerminalVariables(environment)
        guard !variables.isRemote, variables.answersItself, let term = variables["TERM"],
            !["dumb", "linux"].contains(term)
        else { return .notAsked }
        let outcome = listening { reader in
            // Typed ahead: it stays in the terminal's queue.
            reader.hasInput(within: 0)
                ? .notAsked : reader.ask(TerminalProbe.images(variables, asksPalette: asksPalette), timeout)
        }
        switch outcome {
        case .answered(let answers) where answers.isComplete: break
        case .answered, .silent: isDue.withLock { $0 = true }
        case .notAsked, nil: break
        }
        return outcome ?? .notAsked
    }

    /// Removes the replies that came too late, before a shell reads them; what the user has typed stays.
    ///
    /// Call it before the process ends. Does nothing unless DA1 is due; never waits. Leaves all input where a
    /// program cannot give it back (`dev.tty.legacy_tiocsti`, sysctl(8)).
    package static func dropLateReplies() {
        guard isDue.withLock({ $0 }) else { return }
        let permission = try? Folder.working.open("/proc/sys/dev/tty/legacy_tiocsti").readAll(limit: 16)
        guard permission?.first != UInt8(ascii: "0") else { return }
        _ = listening { $0.readReplies(until: ContinuousClock.now) }
    }

    /// Runs `body` while the terminal neither echoes nor edits lines; `nil` if this process may not change that.
    private static func listening(_ body: (inout ReplyReader) -> Outcome) -> Outcome? {
        guard tcgetpgrp(STDOUT_FILENO) == getpgrp(),
            let terminal = try? Folder.working.open("/dev/tty", [.readAndWrite, .nonBlocking])
        else { return nil }
        var before = termios()
        guard tcgetattr(terminal.number, &before) == 0 else { return nil }

        var (all, mask) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &mask)
        defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
        var during = before
        during.c_lflag &= ~tcflag_t(ICANON | ECHO)
        withUnsafeMutableBytes(of: &during.c_cc) { characters in
            characters[Int(VMIN)] = 0
            characters[Int(VTIME)] = 0
        }
        guard tcsetattr(terminal.number, TCSANOW, &during) == 0 else { return nil }
        var reader = ReplyReader(terminal: terminal.number)
        let outcome = body(&reader)
        tcsetattr(terminal.number, TCSANOW, &before)
        for var byte in reader.typed { _ = ioctl(terminal.number, UInt(TIOCSTI), &byte) }
        return outcome
    }
}

private struct ReplyReader {
    let terminal: Int32
    /// Keys that the user typed between replies.
    private(set) var typed: [UInt8] = []
    private var parser = InputParser()
    private var answers = TerminalAnswers()
    /// The bytes of an incomplete event.
    private var pending: [UInt8] = []

    init(terminal: Int32) { self.terminal = terminal }

    func hasInput(within milliseconds: Int32) -> Bool {
        var request = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, milliseconds) > 0 && request.revents & Int16(POLLIN) != 0
    }

    mutating func ask(_ query: [UInt8], _ timeout: Duration) -> TerminalQuery.Outcome {
        let end = ContinuousClock.now.advanced(by: timeout)
        // A terminal that takes nothing replies nothing.
        guard query.withUnsafeBytes({ write(terminal, $0.baseAddress, $0.count) }) == query.count else {
            return .silent
        }
        return readReplies(until: end)
    }

    mutating func readReplies(until end: ContinuousClock.Instant) -> TerminalQuery.Outcome {
        let report = TerminalCapabilities.WindowReport(descriptor: terminal, source: "the terminal")
        let window = report.flatMap {
            $0.columns > 0 && $0.rows > 0 ? CellSize(clamping: Int($0.columns), Int($0.rows)) : nil
        }
        var buffer = [UInt8](repeating: 0, count: TerminalQuery.maxBytes)
        // Another program may write for ever.
        var (room, hasTime) = (buffer.count, true)
        while !answers.isComplete, hasTime, room > 0 {
            let left = max(.zero, ContinuousClock.now.duration(to: end))
            hasTime = left > .zero
            guard hasInput(within: Int32((left / .milliseconds(1)).rounded(.up))) else { break }
            let count = buffer.withUnsafeMutableBytes { read(terminal, $0.baseAddress, room) }
            guard count > 0 else { break }
            room -= count
            for byte in buffer[..<count] { take(byte, window) }
        }
        // A key without an end, as Escape; the start of a reply is dropped.
        if !parser.isInSequence || pending == [ControlByte.escape] { typed += pending }
        return answers.isComplete || answers.drawsKitty == true ? .answered(answers) : .silent
    }

    private mutating func take(_ byte: UInt8, _ window: CellSize?) {
        pending.append(byte)
        let events = parser.parse(CollectionOfOne(byte))
        guard !events.isEmpty || !parser.isInSequence else { return }
        let replies = events.compactMap { if case .reply(let reply) = $0 { reply } else { nil } }
        for reply in replies { answers.add(reply, window: window) }
        if replies.isEmpty { typed += pending }
        pending = []
    }
}
