internal import Glibc
internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassThreads

/// Opens pages and pictures with `xdg-open` (freedesktop.org), in the user's web browser and viewer.
package enum DesktopOpener {
    /// Starts the program without a shell, in its own session and without our streams (`posix_spawnp`).
    /// - Throws: `BrowserError` if the program cannot be started.
    package static func open(_ target: OpenTarget) throws(BrowserError) {
        try Self.open(target, with: "xdg-open")
    }

    static func open(
        _ target: OpenTarget, with program: String, onEnd: @escaping @Sendable (Int32) -> Void = { _ in }
    ) throws(BrowserError) {
        let argument =
            switch target {
            case .page(let address): Array(address.text.utf8)
            case .file(let path): path
            }
        reap(try start(program, argument), onEnd)
    }

    /// `POSIX_SPAWN_SETSID` (<spawn.h>), which Swift does not import: keeps Ctrl-C from the program.
    private static let newSession: Int16 = 0x80

    private static func start(_ program: String, _ argument: [UInt8]) throws(BrowserError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        // libcurl 7.88 opens two sockets without close-on-exec.
        for descriptor in openDescriptors() where descriptor > STDERR_FILENO {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        // The program must not inherit blocked or ignored signals.
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | newSession)
        var strings: [UnsafeMutablePointer<CChar>?] = [strdup(program), argument.withCPath { strdup($0) }, nil]
        defer { for word in strings { free(word) } }
        var process: pid_t = 0
        let status = posix_spawnp(&process, program, &actions, &attributes, &strings, environ)
        guard status == 0 else { throw BrowserError("\(program): \(String(cString: strerror(status)))") }
        return process
    }

    /// Descriptors in `/proc/self/fd` (proc(5)); `posix_spawn` tolerates those closed since.
    private static func openDescriptors() -> [Int32] {
        let names = (try? Folder(opening: "/proc/self/fd").names()) ?? []
        return names.compactMap { Int32($0.shown) }
    }

    /// Waits for the program on its own thread, so that no zombie stays; a web browser may run for hours.
    private static func reap(_ process: pid_t, _ onEnd: @escaping @Sendable (Int32) -> Void) {
        Task.detached {
            let status = try? await ThreadPool(count: 1).run { _ in
                var status: Int32 = 0
                while waitpid(process, &status, 0) < 0, errno == EINTR {}
                return status
            }
            onEnd(status ?? 0)
        }
    }
}
