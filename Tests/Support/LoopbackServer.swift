internal import Glibc
public import SpyglassFetching

/// A small HTTP/1.1 server on 127.0.0.1 with scripted responses.
///
///     let server = try LoopbackServer { request in
///         request.path == "/moon.jpg" ? .init(body: moon) : .init(404)
///     }
///     let response = try await transport.fetch(FetchRequest(server.address("/moon.jpg")))
///
/// The kernel chooses the port. Every connection has its own thread. All have ended when `stop` returns;
/// `deinit` stops it, too.
public final class LoopbackServer: Sendable {
    /// The port.
    public let port: UInt16
    private let core: LoopbackCore

    /// Creating a socket failed.
    public struct SocketError: Error, CustomStringConvertible {
        /// The call and the system's message.
        public let description: String
    }

    /// Starts a server, which calls `answer` on the threads of its connections.
    public init(port: UInt16 = 0, _ answer: @escaping @Sendable (Request) -> Reply) throws {
        let (listener, port) = try Self.listen(on: port)
        self.port = port
        core = LoopbackCore(listener: listener, answer: answer)
        core.start()
    }

    deinit { core.stop() }

    /// Stops immediately, and returns after its threads have ended.
    public func stop() { core.stop() }

    /// The address of a path and query on this server.
    public func address(_ target: String) -> WebAddress {
        guard let address = WebAddress("http://127.0.0.1:\(port)\(target)") else {
            preconditionFailure("\(target) is not a path")
        }
        return address
    }

    /// All requests, in order of arrival.
    public var requests: [Request] { core.state.value.requests }

    /// The current counters.
    public var counts: Counts { core.state.value.counts }

    /// Waits until the counters match.
    public func wait(until condition: @escaping @Sendable (Counts) -> Bool) async {
        await core.state.wait { condition($0.counts) }
    }

    private static func listen(on wanted: UInt16) throws -> (Int32, UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        // A client may leave between `poll` and `accept`.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        name.sin_port = wanted.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                guard bind(descriptor, name, length) == 0, Glibc.listen(descriptor, 512) == 0 else { return errno }
                return getsockname(descriptor, name, &length) == 0 ? 0 : errno
            }
        }
        guard descriptor >= 0, code == 0 else {
            close(descriptor)
            throw SocketError(description: "cannot listen on 127.0.0.1: \(String(cString: strerror(code)))")
        }
        return (descriptor, UInt16(bigEndian: name.sin_port))
    }
}

/// The server's threads and shared state; the threads retain it, so that the server can stop them.
final class LoopbackCore: Sendable {
    struct State {
        var counts = LoopbackServer.Counts()
        var requests: [LoopbackServer.Request] = []
        var threads: [pthread_t] = []
    }

    let answer: @Sendable (LoopbackServer.Request) -> LoopbackServer.Reply
    let state = WatchedValue(State())
    let stopped = Gate()
    private let listener: Int32

    init(listener: Int32, answer: @escaping @Sendable (LoopbackServer.Request) -> LoopbackServer.Reply) {
        self.listener = listener
        self.answer = answer
    }

    func start() { startThread { $0.acceptConnections() } }

    func stop() {
        stopped.open()
        // The accepting thread may add others while it is joined.
        while let thread = state.change({ $0.threads.popLast() }) { pthread_join(thread, nil) }
    }

    /// Waits until a descriptor is ready for `events`; `false` if the server stops first.
    func wait(for descriptor: Int32, _ events: Int32) -> Bool {
        var both = [
            pollfd(fd: descriptor, events: Int16(events), revents: 0),
            pollfd(fd: stopped.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let ready = poll(&both, nfds_t(both.count), -1)
            if both[1].revents != 0 { return false }
            if ready > 0 { return true }
            if ready < 0, errno != EINTR { return false }
        }
    }

    private func acceptConnections() {
        defer { close(listener) }
        while wait(for: listener, POLLIN) {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { continue }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            let number = state.change { state in
                state.counts.connections += 1
                state.counts.openConnections += 1
                state.counts.maxConnections = max(state.counts.maxConnections, state.counts.openConnections)
                return state.counts.connections
            }
            startThread { LoopbackConnection(core: $0, descriptor: descriptor, number: number).serve() }
        }
    }

    private func startThread(_ body: @escaping @Sendable (LoopbackCore) -> Void) {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(ThreadBody { [self] in body(self) })
        state.change { state in
            guard pthread_create(&thread, nil, runThread, box.toOpaque()) == 0 else { return box.release() }
            state.threads.append(thread)
        }
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
