internal import Glibc

/// The output and requests that a session's callers leave for its thread.
struct SessionMailbox: Sendable {
    private enum Phase { case new, running, ending, over }

    enum Restoring {
        case notNeeded
        case byCaller
        case byThread
    }

    private var phase = Phase.new
    private var bytes: [UInt8] = []
    /// The number of status requests in `bytes`.
    private var requests = 0
    /// Whether `bytes` have queries, which DA1 ends.
    private var hasQueries = false
    private(set) var usesMouse = false
    private var queries: [UInt8] = []
    private var loans: [@Sendable (LentTerminal) -> Void] = []
    private var isThreadWriting = false
    private var thread: pthread_t?
    var isWriting: Bool { isThreadWriting || !bytes.isEmpty }
    var isEnding: Bool { phase == .ending }
    var isOver: Bool { phase == .over }

    mutating func begin(_ options: TerminalSession.Options) {
        phase = .running
        usesMouse = options.usesMouse
        queries = options.queries.raw
    }

    mutating func enter() -> (bytes: [UInt8], hasQueries: Bool) {
        thread = pthread_self()
        return (SessionSequences.setUp(usesMouse: usesMouse) + queries, !queries.isEmpty)
    }

    /// Adds output, and returns whether the thread must be woken.
    mutating func add(_ more: [UInt8]) -> Bool {
        guard phase == .running else { return false }
        let isFirst = bytes.isEmpty
        bytes.append(contentsOf: more)
        let request = ScreenControl.statusRequest
        let endsWithRequest = request.withUTF8Buffer { more.suffix($0.count).elementsEqual($0) }
        if endsWithRequest { requests += 1 }
        let attributes = TerminalProbe.attributes.utf8
        if more.suffix(attributes.count).elementsEqual(attributes) { hasQueries = true }
        return isFirst
    }

    mutating func setMouse(_ isOn: Bool) -> Bool {
        guard phase == .running, usesMouse != isOn else { return false }
        usesMouse = isOn
        var sequence: [UInt8] = []
        sequence.append(isOn ? SessionSequences.mouseOn : SessionSequences.mouseOff)
        return add(sequence)
    }

    mutating func lend(_ body: @escaping @Sendable (LentTerminal) -> Void) -> Bool {
        guard phase == .running else { return false }
        loans.append(body)
        return true
    }

    mutating func takeLoan() -> (@Sendable (LentTerminal) -> Void)? { loans.isEmpty ? nil : loans.removeFirst() }

    mutating func requestEnd() -> Restoring {
        guard phase == .running || phase == .ending else { return .notNeeded }
        phase = .ending
        if let thread, pthread_equal(thread, pthread_self()) != 0 { return .byCaller }
        return .byThread
    }

    mutating func close() {
        phase = .over
        removeOutput()
    }

    /// Removes and returns the output, with the replies that it leads to; if empty, the thread is done writing.
    mutating func takeOutput() -> (bytes: [UInt8], requests: Int, hasQueries: Bool) {
        defer { (bytes, requests, hasQueries) = ([], 0, false) }
        isThreadWriting = !bytes.isEmpty
        return (bytes, requests, hasQueries)
    }

    mutating func removeOutput() { (bytes, requests, hasQueries, isThreadWriting) = ([], 0, false, false) }
}
