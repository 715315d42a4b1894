internal import Glibc
internal import SpyglassCCurl

/// Waits for libcurl's sockets (`epoll`), its timer and an `eventfd` that wakes the loop; used on the loop's thread.
///
/// With `curl_multi_socket_action` libcurl handles ready sockets only; `curl_multi_perform` checks every transfer.
final class CurlPoller {
    let wakeEvent = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    private let poll = epoll_create1(Int32(EPOLL_CLOEXEC))
    private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: 64)
    private var timerDue: ContinuousClock.Instant?

    init() throws(FetchError) {
        guard poll >= 0, wakeEvent >= 0, control(EPOLL_CTL_ADD, wakeEvent, EPOLLIN.rawValue) else {
            let message = String(cString: strerror(errno))
            throw FetchError(.unavailable, "cannot create descriptors for the network: \(message)")
        }
    }

    deinit {
        events.deallocate()
        for descriptor in [poll, wakeEvent] where descriptor >= 0 { close(descriptor) }
    }

    private func control(_ operation: Int32, _ socket: Int32, _ interest: UInt32) -> Bool {
        var event = epoll_event(events: interest, data: epoll_data_t(fd: socket))
        return epoll_ctl(poll, operation, socket, &event) == 0
    }

    /// Watches a socket for `CURL_POLL_IN`, `CURL_POLL_OUT` or both, or releases it (`CURL_POLL_REMOVE`).
    func watch(_ socket: Int32, for what: Int32) {
        guard what != CURL_POLL_REMOVE else { return _ = control(EPOLL_CTL_DEL, socket, 0) }
        let interest =
            (what & CURL_POLL_IN != 0 ? EPOLLIN.rawValue : 0) | (what & CURL_POLL_OUT != 0 ? EPOLLOUT.rawValue : 0)
        // The kernel forgets closed sockets, and their numbers are reused: its result decides.
        if !control(EPOLL_CTL_MOD, socket, interest) { _ = control(EPOLL_CTL_ADD, socket, interest) }
    }

    /// A negative time stops the timer.
    func setTimer(milliseconds: Int) { timerDue = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds) }

    /// Waits, then reports each ready socket with `CURL_CSELECT_...`, and the timer if it has expired.
    func wait(_ report: (_ socket: Int32, _ what: Int32) -> Void) {
        let rest = timerDue.map { max(.zero, min($0 - .now, .seconds(86_400))) }
        let timeout = rest.map { Int32($0 / .milliseconds(1) + ($0 == .zero ? 0 : 1)) } ?? -1
        let count = epoll_wait(poll, events.baseAddress, Int32(events.count), timeout)
        for event in events.prefix(Int(max(0, count))) {
            guard event.data.fd != wakeEvent else {
                var wakeUps: eventfd_t = 0
                eventfd_read(wakeEvent, &wakeUps)
                continue
            }
            // The call that fails gives the reason.
            let failed = event.events & EPOLLERR.rawValue != 0
            let canRead = failed || event.events & (EPOLLIN.rawValue | EPOLLHUP.rawValue) != 0
            let canWrite = failed || event.events & EPOLLOUT.rawValue != 0
            report(event.data.fd, Int32((canRead ? CURL_CSELECT_IN : 0) | (canWrite ? CURL_CSELECT_OUT : 0)))
        }
        guard let timerDue, timerDue <= .now else { return }
        self.timerDue = nil
        report(Int32(SG_SOCKET_TIMEOUT), 0)
    }
}

/// `CURLMOPT_SOCKETFUNCTION`.
func changeSocket(
    _ easy: UnsafeMutableRawPointer?, _ socket: Int32, _ what: Int32, _ context: UnsafeMutableRawPointer,
    _ socketContext: UnsafeMutableRawPointer?
) -> Int32 {
    Unmanaged<CurlPoller>.fromOpaque(context).takeUnretainedValue().watch(socket, for: what)
    return 0
}

/// `CURLMOPT_TIMERFUNCTION`.
func changeTimer(_ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer) -> Int32 {
    Unmanaged<CurlPoller>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds: milliseconds)
    return 0
}
