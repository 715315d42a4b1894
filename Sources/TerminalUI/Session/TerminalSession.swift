internal import Glibc
internal import SpyglassCTerminal
internal import SpyglassThreads

/// Controls the terminal for a full-screen program, from `start` to `end`.
///
///     let session = TerminalSession { event in queue.add(event) }
///     try session.start(.init(usesMouse: true))
///     session.write(frame.bytes)
///     session.end()
///
/// Sets raw mode, the alternate screen, no wrapping, the mouse (SGR), bracketed paste, reports of dark and light mode (2031),
/// and kitty's keyboard flags. Restores the terminal on every exit: `end`, `exit`, a signal, a stop (SIGTSTP) and a trap.
/// Its own thread reads and writes on its own descriptor, so no call blocks and no other descriptor becomes non-blocking.
/// Up to 64 KiB of standard error, such as the message of a trap, are held until the terminal is restored.
///
/// A process has one session at a time, on one terminal. SIGKILL, and a stack overflow on another thread, leave the terminal as it is.
public final class TerminalSession: Sendable {
    /// The configuration of a session.
    public struct Options: Hashable, Sendable {
        /// Whether clicks and the wheel are reported.
        public var usesMouse: Bool
        /// The queries sent at the start.
        public var queries: TerminalBytes
        /// Whether standard input must be a terminal; keys come from the terminal of standard output in any case.
        public var needsInput: Bool
        /// Whether the controlling terminal serves where standard input and output are none.
        package var usesControllingTerminal = false

        /// Creates options.
        public init(
            usesMouse: Bool = true, queries: TerminalBytes = TerminalProbe.bytes, needsInput: Bool = true
        ) {
            self.usesMouse = usesMouse
            self.queries = queries
            self.needsInput = needsInput
        }
    }

    /// A terminal event.
    @nonexhaustive
    public enum Event: Hashable, Sendable {
        /// Input from the terminal.
        case input(InputEvent)
        /// Its size may have changed (SIGWINCH).
        case resized(TerminalCapabilities.WindowReport)
        /// The stopped program continues (SIGCONT). Repaint the screen: it is empty, and earlier output is dropped.
        /// `resized` follows.
        case continued
        /// The terminal has taken all output.
        case drained
        /// A signal ends the program. The terminal has been restored, and output is dropped.
        ///
        /// The program has one second to save its state and call `terminate(bySignal:)`; then the signal ends the
        /// process. A second SIGINT or SIGQUIT ends it immediately.
        case ended(signal: Int32)
        /// The terminal is gone.
        case closed
    }

    let onEvent: @Sendable (Event) -> Void
    let mailbox = Mutex(SessionMailbox())
    /// True once the terminal has been restored.
    private let isOver = Monitor(false)

    /// Creates a session that has not begun.
    ///
    /// - Parameter onEvent: receives all events on the session's thread; it must return immediately.
    public init(onEvent: @escaping @Sendable (Event) -> Void) { self.onEvent = onEvent }

    /// Takes over the terminal and sends the queries, without waiting for replies.
    ///
    /// Reopens the terminal of standard output, sets handlers for SIGTSTP, SIGCONT, SIGWINCH, faults and all signals whose
    /// default action ends the process, and starts a thread. C: `ttyname_r`, `open`, `tcsetattr`, `sigaction`, `pthread_create`.
    ///
    /// - Throws: `noTerminal`, after which a retry is possible; `openFailed`.
    public func start(_ options: Options = Options()) throws(TerminalError) {
        let hasStreams = (!options.needsInput || isatty(STDIN_FILENO) == 1) && isatty(STDOUT_FILENO) == 1
        guard hasStreams || options.usesControllingTerminal else { throw .noTerminal }
        try Self.open()
        mailbox.withLock { $0.begin(options) }
        var error = sg_signals_watch(SG_SIGNALS_SESSION)
        if error == 0 { error = sg_session_take() }
        guard error == 0 else { throw cancelStart(error) }
        // The thread owns one reference to the session until it ends.
        let owned = Unmanaged.passRetained(self)
        let status = Self.startThread(owned.toOpaque())
        guard status == 0 else {
            owned.release()
            throw cancelStart(status)
        }
    }

    /// Queues output; never waits.
    public func write(_ bytes: TerminalBytes) {
        guard !bytes.isEmpty else { return }
        let images = bytes.kittyImages
        if images.count > 0 {
            let deletions = images.isInsideTmux ? SessionSequences.ImageDeletions.throughTmux : .direct
            sg_restore_prepare(SG_RESTORE_IMAGES, deletions.bytes, deletions.count(of: images.count))
        }
        send { $0.add(bytes.raw) }
    }

    /// Whether some output has not reached the terminal.
    package var isWriting: Bool { mailbox.withLock { $0.isWriting } }

    /// The current size of the window, or `nil` before `start`.
    ///
    /// C: `ioctl(TIOCGWINSZ)`. Changes are reported from `start` on, so a later read misses none.
    public var window: TerminalCapabilities.WindowReport? {
        TerminalCapabilities.WindowReport(descriptor: sg_session_terminal(), source: "the terminal")
    }

    /// Switches mouse reports on or off; while off, the terminal can select text.
    public func setMouse(_ isOn: Bool) { send { $0.setMouse(isOn) } }

    /// Stops the program, as Ctrl-Z does elsewhere; `continued` follows later.
    ///
    /// C: `kill(0, SIGTSTP)`. Without a shell that could continue it, the program continues immediately.
    public func suspend() {
        // The whole job, as the terminal driver does, including this program's parent in the same job.
        kill(0, SIGTSTP)
    }

    /// Restores the terminal, runs `body` on the session's thread, and takes the terminal again; `continued` follows.
    ///
    /// Meanwhile Ctrl-C ends no more than the program that `body` starts, and Ctrl-Z stops both.
    package func lend(_ body: @escaping @Sendable (LentTerminal) -> Void) { send { $0.lend(body) } }

    /// Restores the terminal; takes less than a second, however slowly it reads.
    ///
    /// Drops pending output, and waits briefly for pending replies. Then the signal handlers are those from before
    /// `start`. Does nothing before `start` or a second time.
    public func end() {
        switch mailbox.withLock({ $0.requestEnd() }) {
        case .notNeeded: return
        case .byCaller: finish()
        case .byThread:
            sg_session_post(SG_SESSION_CALLED)
            isOver.wait { $0 ? () : nil }
        }
    }

    /// Ends the process by a signal's default action, after `ended`.
    ///
    /// Restores the terminal first, if necessary. C: `signal(SIG_DFL)`, `raise`.
    public static func terminate(bySignal signal: Int32) -> Never { sg_signals_terminate(signal) }

    private static func open() throws(TerminalError) {
        TerminalRestorer.prepare(SG_RESTORE_SESSION, SessionSequences.restore)
        // The name may be missing (a container has its host's terminal) or not permitted (after su).
        for path in [name(of: STDOUT_FILENO), "/dev/tty"].compactMap({ $0 }) {
            switch sg_session_open(path) {
            case 0: return
            case EBUSY: throw .openFailed("the process already has a terminal session")
            default: continue
            }
        }
        throw .noTerminal
    }

    /// The path of a terminal's device; C: `ttyname_r`.
    package static func name(of descriptor: Int32) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard ttyname_r(descriptor, &buffer, buffer.count) == 0 else { return nil }
        return String(decoding: buffer.lazy.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func startThread(_ context: UnsafeMutableRawPointer) -> Int32 {
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                var loop = SessionLoop(Unmanaged<TerminalSession>.fromOpaque(context).takeRetainedValue())
                loop.run()
                return nil
            }, context)
        if status == 0 { pthread_detach(thread) }
        return status
    }

    private func cancelStart(_ error: Int32) -> TerminalError {
        finish()
        return .openFailed(String(cString: strerror(error)))
    }

    func finish() {
        sg_session_leave()
        mailbox.withLock { $0.close() }
        isOver.withLock { $0 = true }
        isOver.wakeAll()
    }

    private func send(_ add: (inout SessionMailbox) -> Bool) {
        if mailbox.withLock({ add(&$0) }) { sg_session_post(SG_SESSION_CALLED) }
    }
}
