internal import Glibc
internal import SpyglassCCurl

/// Polls libcurl's sockets (`epoll`), its timer, and an `eventfd` that wakes the loop; used on the loop's thread.
///
/// With `curl_multi_socket_action` libcurl handles ready sockets only; `curl_multi_perform` would check every transfer.
final class CurlPoller {
    let wakeEvent: Int32
    private let poll: Int32
    private let events: UnsafeMutablePointer<epoll_event>
    /// By socket: its part in the kernel's interest set.
    private var watched: [Watch] = []
    private var timerDue: ContinuousClock.Instant?

    private enum Watch {
        case none, wanted
        /// Released by libcurl: the next transfer of the connection usually needs it again.
        case released
    }

    private static let eventLimit = 64
    private static let readable = EPOLLIN.rawValue
    private static let writable = EPOLLOUT.rawValue

    init() throws(FetchError) {
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeEvent = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        events = .allocate(capacity: Self.eventLimit)
        guard poll >= 0, wakeEvent >= 0, control(EPOLL_CTL_ADD, wakeEvent, Self.readable) else {
            let message = String(cString: strerror(errno))
            throw FetchError(.unavailable, "cannot create descriptors for the network: \(message)")
        }
    }

    deinit {
        events.deallocate()
        if poll >= 0 { close(poll) }
        if wakeEvent >= 0 { close(wakeEvent) }
    }

    private func control(_ operation: Int32, _ socket: Int32, _ interest: UInt32) -> Bool {
        var event = epoll_event()
        event.events = interest
        event.data.fd = socket
        return epoll_ctl(poll, operation, socket, &event) == 0
    }

    func change(_ socket: Int32, to what: Int32) {
        let index = Int(socket)
        if index >= watched.count { watched += repeatElement(.none, count: index + 1 - watched.count) }
        guard what != CURL_POLL_REMOVE else {
            watched[index] = .released
            return
        }
        let interest = (what & CURL_POLL_IN != 0 ? Self.readable : 0) | (what & CURL_POLL_OUT != 0 ? Self.writable : 0)
        // The kernel drops closed sockets, and their numbers are reused: its result decides.
        let isKnown = watched[index] != .none && control(EPOLL_CTL_MOD, socket, interest)
        watched[index] = isKnown || control(EPOLL_CTL_ADD, socket, interest) ? .wanted : .none
    }

    func setTimer(milliseconds: Int) { timerDue = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds) }

    /// Whether libcurl's timer has expired; stops it.
    func takeTimer() -> Bool {
        guard let timerDue, timerDue <= .now else { return false }
        self.timerDue = nil
        return true
    }

    /// Reports ready sockets as `CURL_CSELECT_...`; blocks only if `mayBlock`.
    func wait(mayBlock: Bool, _ ready: (_ socket: Int32, _ what: Int32) -> Void) {
        let count = epoll_wait(poll, events, Int32(Self.eventLimit), mayBlock ? timeoutMilliseconds : 0)
        for index in 0..<Int(max(0, count)) {
            let (socket, happened) = (events[index].data.fd, events[index].events)
            if socket == wakeEvent {
                var rings: UInt64 = 0
                _ = read(wakeEvent, &rings, MemoryLayout<UInt64>.size)
            } else if watched[Int(socket)] == .released {
                // The server closed an idle connection; libcurl notices when it reuses it.
                _ = control(EPOLL_CTL_DEL, socket, 0)
                watched[Int(socket)] = .none
            } else {
                // As libcurl reads `poll`: the failing call gives the reason.
                let failed = happened & EPOLLERR.rawValue != 0
                let canRead = failed || happened & (Self.readable | EPOLLHUP.rawValue) != 0
                let canWrite = failed || happened & Self.writable != 0
                ready(socket, (canRead ? Int32(CURL_CSELECT_IN) : 0) | (canWrite ? Int32(CURL_CSELECT_OUT) : 0))
            }
        }
    }

    /// Rounded up; -1 without a timer.
    private var timeoutMilliseconds: Int32 {
        guard let timerDue else { return -1 }
        let rest = timerDue - .now
        guard rest > .zero else { return 0 }
        return Int32(clamping: Int64(min(rest, .seconds(86_400)) / .milliseconds(1)) + 1)
    }
}
