internal import Glibc
internal import SpyglassCTerminal
internal import SpyglassThreads

/// A terminal that belongs to a full-screen program, from `start` to `end`.
///
///     let session = TerminalSession { event in queue.add(event) }
///     try session.start(.init(usesMouse: true))
///     session.write(frame.bytes)
///     session.end()
///
/// Raw mode, the alternate screen, no wrapping, the mouse (SGR), bracketed paste and kitty's keyboard flags, put back on every way out:
/// `end`, `exit`, a signal, a stop (SIGTSTP) and a trap. A thread of its own reads and writes, on a descriptor of its own, so that no call here
/// waits and nobody else's descriptor becomes non-blocking. What anybody writes to standard error meanwhile, were it the last words of a
/// trap, is held back (64 KiB of it) and comes out when the terminal has been given back.
///
/// A process has one session, once. Not covered: SIGKILL, and a thread other than the session's that overflows its stack.
public final class TerminalSession: Sendable {
    /// What is wanted of the terminal.
    public struct Options: Hashable, Sendable {
        /// Whether clicks and the wheel are reported.
        public var usesMouse: Bool
        /// What the terminal is asked at the beginning.
        public var questions: TerminalBytes

        /// Options.
        public init(usesMouse: Bool = true, questions: TerminalBytes = TerminalProbe.bytes) {
            self.usesMouse = usesMouse
            self.questions = questions
        }
    }

    /// What happens to the terminal.
    public enum Event: Hashable, Sendable {
        /// Something came from it.
        case input(InputEvent)
        /// Its size changed, or may have (SIGWINCH).
        case resized(TerminalCapabilities.WindowReport)
        /// The program was stopped and goes on (SIGCONT): the screen is empty and to be painted anew, and what was written before is
        /// dropped. `resized` follows.
        case continued
        /// The terminal has taken everything that was written.
        case drained
        /// A signal asks the program to end; the terminal has been restored already, and what is written is dropped.
        ///
        /// The program has one second to save its state and call `terminate(bySignal:)`; then the process ends by the signal anyway. A second SIGINT
        /// or SIGQUIT ends it at once.
        case ended(signal: Int32)
        /// The terminal is gone.
        case closed
    }

    let onEvent: @Sendable (Event) -> Void
    let desk = Mutex(SessionMailbox())
    /// Posted once, when the terminal has been given back, and again by everybody who waited for it.
    ///
    /// `nonisolated(unsafe)`: the pointer never changes, and what is there is made for threads (sem_overview(7)).
    private nonisolated(unsafe) let isOver: UnsafeMutablePointer<sem_t>

    /// A session that has not begun.
    ///
    /// - Parameter onEvent: told of everything, on the session's thread; it must return at once.
    public init(onEvent: @escaping @Sendable (Event) -> Void) {
        self.onEvent = onEvent
        isOver = .allocate(capacity: 1)
        isOver.initialize(to: sem_t())
        sem_init(isOver, 0, 0)
    }

    deinit {
        sem_destroy(isOver)
        isOver.deallocate()
    }

    /// Takes the terminal over, and asks what it can do; nobody waits for its answers.
    ///
    /// Opens the terminal of standard output anew, sets handlers for SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH, SIGALRM
    /// and faults, and starts a thread. C: `ttyname_r`, `open`, `tcsetattr`, `sigaction`, `pthread_create`.
    ///
    /// - Throws: `noTerminal`, after which it may be tried again; `failed`.
    public func start(_ options: Options = Options()) throws(TerminalError) {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { throw .noTerminal }
        try Self.open()
        desk.withLock { $0.begin(options) }
        sg_session_watch()
        let error = sg_session_take()
        guard error == 0 else { throw giveUp(error) }
        // The thread owns one reference to the session until it ends.
        let owned = Unmanaged.passRetained(self)
        let status = Self.startThread(owned.toOpaque())
        guard status == 0 else {
            owned.release()
            throw giveUp(status)
        }
    }

    /// Sends bytes, after those before; never waits.
    public func write(_ bytes: TerminalBytes) {
        guard !bytes.isEmpty else { return }
        send { $0.add(bytes.raw) }
    }

    /// Whether the terminal has not taken everything yet.
    public var isWriting: Bool { desk.withLock { $0.isWriting } }

    /// The size of the window now, or `nil` before `start`.
    ///
    /// C: `ioctl(TIOCGWINSZ)`. Changes are told from `start` on, so who reads it after that misses none.
    public var window: TerminalCapabilities.WindowReport? {
        TerminalCapabilities.WindowReport(descriptor: sg_session_terminal(), source: "the terminal")
    }

    /// Switches the reports of the mouse on or off, so that text can be selected with it.
    public func setMouse(_ isOn: Bool) {
        send { $0.setMouse(isOn) }
    }

    /// Stops the program as Ctrl-Z does elsewhere; it goes on with `continued`.
    ///
    /// C: `kill(0, SIGTSTP)`. Where nobody could continue it, in a window of its own, it goes on at once.
    public func suspend() {
        // The whole job, as the terminal driver does it: what started this program is to stop too.
        kill(0, SIGTSTP)
    }

    /// Puts the terminal back as it was; takes less than a second, however slowly it reads.
    ///
    /// What the terminal has not taken is dropped, and answers that are on their way are waited for briefly and dropped. Then the signals'
    /// handlers are those from before `start`. Again, or before `start`, it does nothing.
    public func end() {
        switch desk.withLock({ $0.askForEnd() }) {
        case .nothing: return
        case .here: finish()
        case .thread:
            sg_session_post(SG_SESSION_CALLED)
            while sem_wait(isOver) != 0 && errno == EINTR {}
            sem_post(isOver)
        }
    }

    /// Ends the process by a signal's default action, after `ended`.
    ///
    /// Gives the terminal back first, if that has not been done. C: `signal(SIG_DFL)`, `raise`.
    public static func terminate(bySignal signal: Int32) -> Never { sg_session_terminate(signal) }

    // MARK: Beginning and ending

    private static func open() throws(TerminalError) {
        // The name is not always there (a container has the terminal of its host), and not always ours to open (after su).
        for path in [name(of: STDOUT_FILENO), "/dev/tty"].compactMap({ $0 }) {
            let leaving = SessionSequences.leaving
            switch sg_session_open(path, leaving.utf8Start, leaving.utf8CodeUnitCount) {
            case 0: return
            case EBUSY: throw .openFailed("the process already has a terminal session")
            default: continue
            }
        }
        throw .noTerminal
    }

    private static func name(of descriptor: Int32) -> String? {
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

    private func giveUp(_ error: Int32) -> TerminalError {
        finish()
        return .openFailed(String(cString: strerror(error)))
    }

    /// Gives the terminal back, on the session's thread.
    func finish() {
        sg_session_leave()
        desk.withLock { $0.close() }
        sem_post(isOver)
    }

    private func send(_ add: (inout SessionMailbox) -> Bool) {
        if desk.withLock({ add(&$0) }) { sg_session_post(SG_SESSION_CALLED) }
    }
}
