internal import Glibc

/// Where a session's callers leave what its thread is to do.
struct SessionMailbox: Sendable {
    private enum Phase { case new, running, ending, over }

    /// Who gives the terminal back.
    enum Ending {
        /// There is nothing to give back.
        case nothing
        /// The caller: it is the session's thread.
        case here
        /// The session's thread, which is to be called.
        case thread
    }

    private var phase = Phase.new
    private var bytes: [UInt8] = []
    /// How many of them ask for the status.
    private var requests = 0
    private(set) var usesMouse = false
    private var questions: [UInt8] = []
    /// What the thread has taken from here and the terminal has not taken.
    private var isThreadWriting = false
    private var thread: pthread_t?

    var isWriting: Bool { isThreadWriting || !bytes.isEmpty }
    var isEnding: Bool { phase == .ending }
    var isOver: Bool { phase == .over }

    mutating func begin(_ options: TerminalSession.Options) {
        phase = .running
        usesMouse = options.usesMouse
        questions = options.questions.raw
    }

    /// What is sent first, by the thread that calls.
    mutating func enter() -> (bytes: [UInt8], hasQuestions: Bool) {
        thread = pthread_self()
        return (SessionSequences.entering(usesMouse: usesMouse) + questions, !questions.isEmpty)
    }

    // MARK: What callers leave

    /// Adds bytes; whether the thread is to be called.
    mutating func add(_ more: [UInt8]) -> Bool {
        guard phase == .running else { return false }
        let isFirst = bytes.isEmpty
        bytes.append(contentsOf: more)
        if more.ends(with: SessionSequences.statusRequest) { requests += 1 }
        return isFirst
    }

    mutating func setMouse(_ isOn: Bool) -> Bool {
        guard phase == .running, usesMouse != isOn else { return false }
        usesMouse = isOn
        var sequence: [UInt8] = []
        sequence.append(isOn ? SessionSequences.mouseOn : SessionSequences.mouseOff)
        return add(sequence)
    }

    mutating func askForEnd() -> Ending {
        guard phase == .running || phase == .ending else { return .nothing }
        phase = .ending
        if let thread, pthread_equal(thread, pthread_self()) != 0 { return .here }
        return .thread
    }

    mutating func close() {
        phase = .over
        drop()
    }

    // MARK: What the thread takes

    /// What was left here, with the number of its requests for the status; without any, the thread has nothing to write.
    mutating func take() -> (bytes: [UInt8], requests: Int) {
        defer { (bytes, requests) = ([], 0) }
        isThreadWriting = !bytes.isEmpty
        return (bytes, requests)
    }

    /// Forgets what was left here.
    mutating func drop() {
        (bytes, requests, isThreadWriting) = ([], 0, false)
    }
}

extension [UInt8] {
    /// Whether the last bytes are these.
    fileprivate func ends(with text: StaticString) -> Bool {
        suffix(text.utf8CodeUnitCount)
            .elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
