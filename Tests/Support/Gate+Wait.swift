internal import Glibc

extension Gate {
    /// Blocks the calling thread until the gate is open (`poll`). Never call it on the cooperative pool.
    public func wait() {
        var watched = pollfd(fd: descriptor, events: 0, revents: 0)
        while poll(&watched, 1, -1) < 1 {}
    }
}
