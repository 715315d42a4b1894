internal import Glibc
package import SpyglassFetching
internal import SpyglassThreads

/// Why a page could not be opened, in one line.
package struct OpeningError: Error, Hashable, Sendable {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

/// Has the user's own program show a page: `xdg-open` of the freedesktop.org specifications.
package enum PageOpener {
    /// Starts the program, which gets no stream of ours and no signal of our terminal.
    ///
    /// There is no shell between: the address is one word, whatever is in it. C: `posix_spawnp`.
    ///
    /// - Throws: `OpeningError` when there is no such program.
    package static func open(_ address: WebAddress) throws(OpeningError) {
        try open(address, with: "xdg-open")
    }

    static func open(_ address: WebAddress, with program: String) throws(OpeningError) {
        guard let process = start(program, address.text) else {
            throw OpeningError("\(program): \(String(cString: strerror(errno)))")
        }
        reap(process)
    }

    /// `POSIX_SPAWN_SETSID` (<spawn.h>), which Swift does not see: Ctrl-C in our terminal is not for it.
    private static let newSession: Int16 = 0x80

    private static func start(_ program: String, _ argument: String) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        guard posix_spawn_file_actions_init(&actions) == 0, posix_spawnattr_init(&attributes) == 0 else { return nil }
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        // Our threads hold signals back, and what we ignore would be ignored by the program too.
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | newSession)
        var words: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup(argument), nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let status = posix_spawnp(&process, program, &actions, &attributes, &words, environ)
        guard status == 0 else {
            errno = status
            return nil
        }
        return process
    }

    /// Waits for the program's end on a thread of its own, so that no zombie stays.
    private static func reap(_ process: pid_t) {
        Task.detached {
            try? await reaper.run { _ in
                var status: Int32 = 0
                while waitpid(process, &status, 0) < 0, errno == EINTR {}
            }
        }
    }

    private static let reaper = WorkerThreads(count: 1)
}
