internal import Glibc
internal import SpyglassCCurl

/// Watches libcurl's sockets and its timer (`epoll`), and the bell by which other threads wake the loop (`eventfd`).
///
/// `curl_multi_perform` asks the system about every transfer in turn whatever happened; here libcurl is told which sockets are
/// ready (`curl_multi_socket_action`) and touches no others. Lives on the loop's thread.
final class CurlPoller {
    /// What is written to wake the loop; owned here.
    let bell: Int32
    private let poll: Int32
    private let events: UnsafeMutablePointer<epoll_event>
    /// What each socket is watched for by the kernel now, sockets that libcurl no longer cares about included.
    private var watched: [Int32: UInt32] = [:]
    /// Sockets that libcurl no longer cares about: it usually does again with the next transfer on that connection.
    private var unwanted: Set<Int32> = []
    /// When libcurl wants to be called.
    private var timerDue: ContinuousClock.Instant?

    /// How many events are taken from the kernel at once.
    private static let eventLimit = 64
    private static let readable = EPOLLIN.rawValue
    private static let writable = EPOLLOUT.rawValue

    /// Opens both descriptors.
    init() throws(FetchError) {
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        events = .allocate(capacity: Self.eventLimit)
        guard poll >= 0, bell >= 0, control(EPOLL_CTL_ADD, bell, Self.readable) else {
            let words = String(cString: strerror(errno))
            throw FetchError(.unavailable, "the system gives no descriptors to wait for the network with (\(words))")
        }
    }

    deinit {
        events.deallocate()
        if poll >= 0 { close(poll) }
        if bell >= 0 { close(bell) }
    }

    private func control(_ operation: Int32, _ socket: Int32, _ interest: UInt32) -> Bool {
        var event = epoll_event()
        event.events = interest
        event.data.fd = socket
        return epoll_ctl(poll, operation, socket, &event) == 0
    }

    /// `CURLMOPT_SOCKETFUNCTION`: libcurl wants a socket watched for something else.
    func change(_ socket: Int32, to what: Int32) {
        guard what != CURL_POLL_REMOVE else {
            unwanted.insert(socket)
            return
        }
        unwanted.remove(socket)
        let interest =
            (what & CURL_POLL_IN != 0 ? Self.readable : 0) | (what & CURL_POLL_OUT != 0 ? Self.writable : 0)
        // The kernel forgets a socket that is closed, and its number may be another one's by now: it has the last word.
        let isKnown = watched[socket] != nil && control(EPOLL_CTL_MOD, socket, interest)
        watched[socket] = isKnown || control(EPOLL_CTL_ADD, socket, interest) ? interest : nil
    }

    /// `CURLMOPT_TIMERFUNCTION`.
    func setTimer(milliseconds: Int) {
        timerDue = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
    }

    /// Whether libcurl's timer has run out; it is off then.
    func takeTimer() -> Bool {
        guard let timerDue, timerDue <= .now else { return false }
        self.timerDue = nil
        return true
    }

    /// Waits for sockets, the timer or the bell, and tells of the sockets that are ready, as `CURL_CSELECT_...`.
    ///
    /// Without `mayRest` it only looks. Returns whether anything had happened.
    func wait(mayRest: Bool, _ ready: (_ socket: Int32, _ what: Int32) -> Void) -> Bool {
        let count = epoll_wait(poll, events, Int32(Self.eventLimit), mayRest ? restMilliseconds : 0)
        for index in 0..<Int(max(0, count)) {
            let (socket, happened) = (events[index].data.fd, events[index].events)
            if socket == bell {
                var rings: UInt64 = 0
                _ = read(bell, &rings, MemoryLayout<UInt64>.size)
            } else if unwanted.contains(socket) {
                // The server closed a kept connection: libcurl finds out when it wants to use it.
                _ = control(EPOLL_CTL_DEL, socket, 0)
                unwanted.remove(socket)
                watched[socket] = nil
            } else {
                // As libcurl itself reads `poll`: the call that fails then says why.
                let failed = happened & EPOLLERR.rawValue != 0
                let canRead = failed || happened & (Self.readable | EPOLLHUP.rawValue) != 0
                let canWrite = failed || happened & Self.writable != 0
                ready(socket, (canRead ? Int32(CURL_CSELECT_IN) : 0) | (canWrite ? Int32(CURL_CSELECT_OUT) : 0))
            }
        }
        return count > 0
    }

    /// Until the timer runs out, rounded up; for ever without one.
    private var restMilliseconds: Int32 {
        guard let timerDue else { return -1 }
        let rest = timerDue - .now
        guard rest > .zero else { return 0 }
        return Int32(clamping: Int64(min(rest, .seconds(86_400)) / .milliseconds(1)) + 1)
    }
}
