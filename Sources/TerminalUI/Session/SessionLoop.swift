internal import Glibc
internal import SpyglassCTerminal
internal import SpyglassThreads

/// The session's thread: the only writer to the terminal, so a signal handler waits for at most one write (`sg_session_write`).
struct SessionLoop: ~Copyable {
    /// The time after which a lone escape is the Escape key; keys arrive in one piece, even at 2 KB/s.
    private static let escapeTimeout = Duration.milliseconds(40)
    /// The longer timeout while replies are due, which a busy line splits.
    private static let splitReplyTimeout = Duration.milliseconds(500)
    /// The time after which no reply is expected; a line around the world takes less.
    private static let silenceTimeout = Duration.seconds(5)
    /// The pause after which the end of a paste is lost.
    private static let pasteTimeout = Duration.seconds(2)
    /// The time in the background before the process stops again: a shell's `kill` sends SIGTERM together with SIGCONT, and
    /// another thread may be handling it.
    private static let backgroundGrace = Duration.milliseconds(200)
    /// The interval of foreground checks of a process that cannot be stopped.
    private static let foregroundInterval = Duration.seconds(1)
    /// Bytes of one `write`; a Linux pty holds at most 12 KB.
    private static let writeSize = 8192
    private static let readSize = 4096
    private let session: TerminalSession
    private let clock = ContinuousClock()
    private var parser = InputParser()
    private var buffer = [UInt8](repeating: 0, count: SessionLoop.readSize)
    private var bytes: [UInt8] = []
    private var position = 0
    private var replies = ReplyState()
    private var parserDeadline: ContinuousClock.Instant?
    private var replyDeadline = ContinuousClock.now
    /// When a process in the background stops; `nil` in the foreground.
    private var stopDeadline: ContinuousClock.Instant?
    private var isClosed = false

    private struct ReplyState {
        var pendingStatuses = 0
        var expectsAttributes = false
        var hasReplied = false
        /// Whether a frame has been acknowledged: from then on a lone escape is the key.
        var isAcknowledged = false
        var hasUnreadOutput = false
        /// Whether input ended within a sequence, perhaps a reply.
        var isInSequence = false
        var areDue: Bool { pendingStatuses > 0 || expectsAttributes }

        var bits: UInt32 {
            (hasUnreadOutput ? SG_SESSION_UNREAD.rawValue : 0)
                | UInt32(clamping: min(pendingStatuses, 1000)) * SG_SESSION_STATUS.rawValue
                | (expectsAttributes ? SG_SESSION_EXPECTS_ATTRIBUTES.rawValue : 0)
                | (hasReplied || isInSequence ? SG_SESSION_HAS_REPLIED.rawValue : 0)
        }
    }

    init(_ session: consuming TerminalSession) { self.session = session }

    mutating func run() {
        sg_session_enter_thread()
        enter()
        while !session.mailbox.withLock({ $0.isOver }) {
            guard !session.mailbox.withLock({ $0.isEnding }) else { return session.finish() }
            handle(sg_session_events())
            lend()
            flush()
            // A callback may have ended the session.
            if !session.mailbox.withLock({ $0.isEnding || $0.isOver }) { wait() }
        }
    }

    private mutating func handle(_ events: UInt32) {
        if events & SG_SESSION_ENDED.rawValue != 0 {
            discardOutput()
            stopDeadline = nil
            session.onEvent(.ended(signal: sg_signals_recorded()))
        }
        if events & SG_SESSION_STOPPED.rawValue != 0 { sg_session_stop() }
        let isContinued = events & SG_SESSION_CONTINUED.rawValue != 0 || stopDeadline != nil
        if isContinued && sg_signals_recorded() == 0 && !isClosed { resume() }
        if events & SG_SESSION_RESIZED.rawValue != 0 { reportSize() }
    }

    /// Lets another program have the terminal, if a caller wants that.
    private mutating func lend() {
        guard !isClosed, stopDeadline == nil, sg_session_is_taken(),
            let body = session.mailbox.withLock({ $0.takeLoan() })
        else { return }
        sg_session_restore()
        sg_signals_lend(true)
        body(LentTerminal(descriptor: sg_session_terminal()))
        sg_signals_lend(false)
        if sg_signals_recorded() == 0 { resume() }
    }

    private func reportSize() {
        if let window = session.window { session.onEvent(.resized(window)) }
    }

    private mutating func close() {
        isClosed = true
        stopDeadline = nil
        discardOutput()
        session.onEvent(.closed)
    }

    private mutating func enter() {
        let first = session.mailbox.withLock { $0.enter() }
        bytes = first.bytes
        position = 0
        replies.hasUnreadOutput = true
        replies.expectsAttributes = first.hasQueries
        replyDeadline = clock.now.advanced(by: Self.silenceTimeout)
        parser.expectsReplies = first.hasQueries
        publishReplies()
    }

    private mutating func resume() {
        guard sg_session_is_foreground() else { return stopInBackground() }
        stopDeadline = nil
        discardOutput()
        parser = InputParser()
        parser.expectsReplies = false
        parserDeadline = nil
        guard sg_session_take() == 0 else { return close() }
        // A signal may have taken it away again.
        guard sg_session_is_taken() else { return }
        bytes = session.mailbox.withLock { SessionSequences.setUp(usesMouse: $0.usesMouse) }
        position = 0
        // Earlier replies have been awaited, or discarded with the output.
        replies.pendingStatuses = 0
        replies.expectsAttributes = false
        replies.isInSequence = false
        replies.hasUnreadOutput = true
        publishReplies()
        session.onEvent(.continued)
        reportSize()
    }

    /// Stops the process, like every program that uses the terminal in the background.
    private mutating func stopInBackground() {
        // After SIGSTOP the terminal is still taken.
        discardOutput()
        guard let deadline = stopDeadline else {
            stopDeadline = clock.now.advanced(by: Self.backgroundGrace)
            return
        }
        guard clock.now >= deadline else { return }
        raise(SIGTTOU)
        stopDeadline = clock.now.advanced(by: Self.foregroundInterval)
    }

    private mutating func discardOutput() {
        session.mailbox.withLock { $0.removeOutput() }
        bytes = []
        position = 0
    }

    private mutating func flush() {
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

    /// Takes the callers' output; returns whether there is any.
    private mutating func refill() -> Bool {
        let wasWriting = !bytes.isEmpty
        let next = session.mailbox.withLock { $0.takeOutput() }
        (bytes, position) = (next.bytes, 0)
        guard !bytes.isEmpty else {
            if wasWriting { session.onEvent(.drained) }
            return false
        }
        // A terminal that is closed or restored receives nothing.
        guard !isClosed, stopDeadline == nil, sg_session_is_taken() else {
            discardOutput()
            return false
        }
        replies.hasUnreadOutput = true
        replies.pendingStatuses += next.requests
        if next.hasQueries {
            replies.expectsAttributes = true
            parser.expectsReplies = true
        }
        if replies.hasReplied { replyDeadline = clock.now.advanced(by: Self.silenceTimeout) }
        publishReplies()
        return true
    }

    private func publishReplies() { sg_session_set_reply_state(replies.bits) }

    private mutating func wait() {
        let isListening = !isClosed && stopDeadline == nil && sg_session_is_taken()
        let wants = position < bytes.count ? POLLIN | POLLOUT : POLLIN
        var requests = [
            pollfd(fd: sg_session_wake_descriptor(), events: Int16(POLLIN), revents: 0),
            pollfd(fd: isListening ? sg_session_descriptor() : -1, events: Int16(wants), revents: 0),
        ]
        let count = poll(&requests, 2, timeout())
        let isBroken = requests[1].revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0
        if count > 0, isBroken || requests[1].revents & Int16(POLLIN) != 0 { read(isBroken: isBroken) }
        if let parserDeadline, clock.now >= parserDeadline {
            let awaitsReply = replies.areDue && !replies.isAcknowledged && clock.now < replyDeadline
            let events = parser.isPasting ? parser.endPaste() : parser.timeOut(awaitingReply: awaitsReply)
            setParserDeadline(Self.splitReplyTimeout)
            for event in events { report(event) }
        }
    }

    private mutating func setParserDeadline(_ escapeTimeout: Duration) {
        let pause = parser.isPasting ? Self.pasteTimeout : parser.hasPending ? escapeTimeout : nil
        parserDeadline = pause.map { clock.now.advanced(by: $0) }
    }

    /// Milliseconds, rounded up; -1 without a timeout.
    private func timeout() -> Int32 {
        guard let next = [stopDeadline, parserDeadline].compactMap({ $0 }).min() else { return -1 }
        return Int32(max(.zero, clock.now.duration(to: next)) / .milliseconds(1)) + 1
    }

    private mutating func read(isBroken: Bool) {
        let count = buffer.withUnsafeMutableBytes { Glibc.read(sg_session_descriptor(), $0.baseAddress, $0.count) }
        let error = errno
        guard count > 0 else {
            let isOver = count == 0 || isBroken || (error != EAGAIN && error != EINTR)
            // While the terminal is restored, the descriptor is the null device.
            if isOver && sg_session_is_taken() { close() }
            return
        }
        let events = parser.parse(buffer[..<count])
        setParserDeadline(Self.escapeTimeout)
        replies.isInSequence = parser.isInSequence
        publishReplies()
        for event in events { report(event) }
    }

    private mutating func report(_ event: InputEvent) {
        if case .reply(let reply) = event { record(reply) }
        session.onEvent(.input(event))
    }

    private mutating func record(_ reply: TerminalReply) {
        switch reply {
        case .status:
            replies.pendingStatuses = max(0, replies.pendingStatuses - 1)
            replies.isAcknowledged = true
        case .attributes: replies.expectsAttributes = false
        default: return
        }
        replies.hasReplied = true
        replies.hasUnreadOutput = replies.pendingStatuses > 0 || replies.expectsAttributes || session.isWriting
        publishReplies()
    }
}
