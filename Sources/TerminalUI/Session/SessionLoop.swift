internal import Glibc
internal import SpyglassCTerminal
internal import SpyglassThreads

/// What a session's thread does: sleeps in `poll` until the terminal, a signal or a caller has something for it.
///
/// The only place that writes to the terminal, so that a handler needs to wait for one write at most (`sg_session_write`).
struct SessionLoop: ~Copyable {
    /// How long an escape may stand alone until it is the key: the next byte of a sequence follows at once, also over a line of 2 KB/s.
    private static let escapeWait = Duration.milliseconds(40)
    /// How often a process that was continued in the background, and that nobody can stop, looks whether it has come to the front.
    private static let foregroundWait = Duration.seconds(1)
    /// Bytes handed over in one `write`: what a pty of Linux holds at most is 12 KB.
    private static let writeSize = 8192
    private static let readSize = 4096

    private let session: TerminalSession
    private let clock = ContinuousClock()
    private var parser = InputParser()
    private var buffer = [UInt8](repeating: 0, count: SessionLoop.readSize)
    /// What is being written, and how much of it the terminal has.
    private var bytes: [UInt8] = []
    private var position = 0
    private var way = Way()
    private var parserDeadline: ContinuousClock.Instant?
    private var isBehind = false
    private var isClosed = false

    /// What is known of the way to the terminal.
    private struct Way {
        var statusesOwed = 0
        var owesAttributes = false
        var answers = false
        var isUnread = false

        var notes: UInt32 {
            (isUnread ? SG_SESSION_UNREAD.rawValue : 0) | (statusesOwed > 0 ? SG_SESSION_OWES_STATUS.rawValue : 0)
                | (owesAttributes ? SG_SESSION_OWES_ATTRIBUTES.rawValue : 0)
                | (answers ? SG_SESSION_ANSWERS.rawValue : 0)
        }
    }

    init(_ session: consuming TerminalSession) {
        self.session = session
    }

    mutating func run() {
        sg_session_enter_thread()
        enter()
        while !session.desk.withLock({ $0.isOver }) {
            guard !session.desk.withLock({ $0.isEnding }) else { return session.finish() }
            heed(sg_session_events())
            pass()
            // What a callback has asked for comes first.
            if !session.desk.withLock({ $0.isEnding || $0.isOver }) { wait() }
        }
    }

    /// What signals have left.
    private mutating func heed(_ events: UInt32) {
        if events & SG_SESSION_ENDED.rawValue != 0 {
            drop()
            session.onEvent(.ended(signal: sg_session_ending()))
        }
        let isContinued = events & SG_SESSION_CONTINUED.rawValue != 0 || isBehind
        if isContinued && sg_session_ending() == 0 && !isClosed { comeBack() }
        if events & SG_SESSION_RESIZED.rawValue != 0 { tellSize() }
    }

    private func tellSize() {
        if let window = session.window { session.onEvent(.resized(window)) }
    }

    private mutating func close() {
        isClosed = true
        drop()
        session.onEvent(.closed)
    }

    // MARK: Taking the terminal

    private mutating func enter() {
        let first = session.desk.withLock { $0.enter() }
        bytes = first.bytes
        position = 0
        way.isUnread = true
        way.owesAttributes = first.hasQuestions
        parser.expectsReplies = first.hasQuestions
        noteWay()
    }

    private mutating func comeBack() {
        isBehind = !sg_session_is_foreground()
        guard !isBehind else {
            // Stops the process, as it stops everybody who wants the terminal from the background.
            raise(SIGTTOU)
            return
        }
        drop()
        parser = InputParser()
        parser.expectsReplies = false
        parserDeadline = nil
        guard sg_session_take() == 0 else { return close() }
        // A signal that came meanwhile has taken it away again.
        guard sg_session_is_taken() else { return }
        bytes = session.desk.withLock { SessionSequences.entering(usesMouse: $0.usesMouse) }
        position = 0
        // What was owed has been waited for, or is lost with what was dropped.
        way.statusesOwed = 0
        way.owesAttributes = false
        way.isUnread = true
        noteWay()
        session.onEvent(.continued)
        tellSize()
    }

    // MARK: Writing

    private mutating func drop() {
        session.desk.withLock { $0.drop() }
        bytes = []
        position = 0
    }

    /// Writes what the terminal takes.
    private mutating func pass() {
        while true {
            if position == bytes.count, !refill() { return }
            let count = bytes.withUnsafeBytes { all in
                let part = all[position...].prefix(Self.writeSize)
                let slice = UnsafeRawBufferPointer(rebasing: part)
                return slice.baseAddress.map { sg_session_write($0, slice.count) } ?? 0
            }
            if count > 0 {
                position += count
            } else if count == -Int(EAGAIN) {
                return
            } else if count != -Int(EINTR) {
                return close()
            }
        }
    }

    /// Takes what callers have left; whether there is anything.
    private mutating func refill() -> Bool {
        let wasWriting = !bytes.isEmpty
        let next = session.desk.withLock { $0.take() }
        (bytes, position) = (next.bytes, 0)
        guard !bytes.isEmpty else {
            if wasWriting { session.onEvent(.drained) }
            return false
        }
        // Nothing reaches a terminal that has gone, or has been given back.
        guard !isClosed, sg_session_is_taken() else {
            drop()
            return false
        }
        way.isUnread = true
        way.statusesOwed += next.requests
        noteWay()
        return true
    }

    private func noteWay() { sg_session_note_way(way.notes) }

    // MARK: Reading

    private mutating func wait() {
        let isListening = !isClosed && sg_session_is_taken()
        let wants = position < bytes.count ? POLLIN | POLLOUT : POLLIN
        var requests = [
            pollfd(fd: sg_session_wake_descriptor(), events: Int16(POLLIN), revents: 0),
            pollfd(fd: isListening ? sg_session_descriptor() : -1, events: Int16(wants), revents: 0),
        ]
        let count = poll(&requests, 2, timeout())
        let isBroken = requests[1].revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0
        if count > 0, isBroken || requests[1].revents & Int16(POLLIN) != 0 { read(isBroken: isBroken) }
        if let parserDeadline, clock.now >= parserDeadline {
            self.parserDeadline = nil
            for event in parser.timeOut() { tell(event) }
        }
    }

    /// Milliseconds, rounded up; -1 is for ever.
    private func timeout() -> Int32 {
        var wait: Duration? = isBehind ? Self.foregroundWait : nil
        if let parserDeadline {
            let left = max(.zero, clock.now.duration(to: parserDeadline))
            wait = min(wait ?? left, left)
        }
        return wait.map { Int32($0 / .milliseconds(1)) + 1 } ?? -1
    }

    private mutating func read(isBroken: Bool) {
        let count = buffer.withUnsafeMutableBytes { Glibc.read(sg_session_descriptor(), $0.baseAddress, $0.count) }
        let error = errno
        guard count > 0 else {
            let isOver = count == 0 || isBroken || (error != EAGAIN && error != EINTR)
            // While it is not ours, what answers is the null device.
            if isOver && sg_session_is_taken() { close() }
            return
        }
        for event in parser.parse(buffer[..<count]) { tell(event) }
        parserDeadline = parser.hasPending ? clock.now.advanced(by: Self.escapeWait) : nil
    }

    private mutating func tell(_ event: InputEvent) {
        if case .reply(let reply) = event { note(reply) }
        session.onEvent(.input(event))
    }

    private mutating func note(_ reply: TerminalReply) {
        switch reply {
        case .status: way.statusesOwed = max(0, way.statusesOwed - 1)
        case .attributes: way.owesAttributes = false
        default: return
        }
        way.answers = true
        way.isUnread = way.statusesOwed > 0 || way.owesAttributes || session.isWriting
        noteWay()
    }
}
