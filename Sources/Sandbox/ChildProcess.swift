internal import Glibc
internal import SpyglassCSandbox
package import SpyglassFiles

/// A process that was started with one socket and nothing else.
package enum ChildProcess {
    /// The number of the socket in the started process.
    package static let socket: Int32 = 3

    /// Starts a program with an empty environment (`posix_spawn`), in a process group of its own: keys do not end it.
    ///
    /// It has `socket` as descriptor 3, and `/dev/null` as standard input, output and error. It calls `closeOthers`. `ps` shows it as `name`.
    package static func spawn(
        _ path: String, as name: String = "spyglass", _ arguments: [String], socket: Int32
    ) throws(FileError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        // First, since the others may take its number.
        posix_spawn_file_actions_adddup2(&actions, socket, Self.socket)
        for stream in STDIN_FILENO...STDERR_FILENO {
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
        }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        let words = ([name] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, path, &actions, &attributes, words + [nil], [nil])
        guard code == 0 else { throw FileError("posix_spawn", path, code: code) }
        return process
    }

    /// Closes what a started program inherited besides the socket (`close_range`).
    package static func closeOthers() { sg_close_range(Self.socket + 1, .max) }

    /// Ends this process as soon as the one that has started it is gone (`PR_SET_PDEATHSIG`), whatever it does then.
    package static func endWithParent() { sg_end_with_parent() }

    /// Gives the threads of libraries stacks of 8 MiB: with `ulimit -s 65536`, those of libheif would exceed this process's memory.
    package static func limitStacks() { sg_set_stack_size(8 << 20) }

    /// Closes every descriptor but one and the standard streams (`close_range`).
    package static func closeAll(except number: Int32) {
        if number > STDERR_FILENO + 1 { sg_close_range(STDERR_FILENO + 1, UInt32(number - 1)) }
        sg_close_range(number + 1, .max)
    }

    /// Ends a process (SIGKILL), waits until nothing of it remains, and returns its wait status (`waitpid`); `nil` if it is not ours.
    @discardableResult
    package static func end(_ process: Int32) -> Int32? {
        guard process > 0 else { return nil }
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return nil } }
        return status
    }

    /// A copy of this process, which must have one thread (`fork`): 0 in the copy, otherwise the number of the copy.
    package static func fork() throws(FileError) -> Int32 { try checked("fork") { sg_fork() } }
}
