import Glibc

/// A minimal shell with job control: starts one job in the foreground, takes the terminal when it stops, and continues it.
///
/// Without a shell a stop has no effect (an orphaned process group, setpgid(2)).
struct JobShell {
    let words: [String]
    /// Whether the job starts in the background.
    private var isBehind: Bool { words.contains("behind") }

    func run() {
        signal(SIGTTOU, SIG_IGN)
        let job = start()
        if !isBehind { tcsetpgrp(STDIN_FILENO, job) }
        var status: Int32 = 0
        while waitpid(job, &status, WUNTRACED) == job {
            guard status & 0xFF == 0x7F else { break }
            tcsetpgrp(STDIN_FILENO, getpgrp())
            Wire.tell("stopped")
            // The stopped job reads nothing: this line is for the shell.
            switch Wire.nextCommand() {
            case "fg":
                tcsetpgrp(STDIN_FILENO, job)
                kill(-job, SIGCONT)
            case "bg": kill(-job, SIGCONT)
            case "kill":
                kill(-job, SIGTERM)
                kill(-job, SIGCONT)
            case "kill late":
                // As if another thread were slow to handle SIGTERM.
                kill(-job, SIGCONT)
                poll(nil, 0, 20)
                kill(-job, SIGTERM)
            default: kill(-job, SIGKILL)
            }
        }
        Wire.tell("job ended \(status)")
    }

    private func start() -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF))
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        var arguments = (["terminal-worker"] + words + (isBehind ? [] : ["job"])).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var job: pid_t = 0
        guard posix_spawn(&job, "/proc/self/exe", nil, &attributes, &arguments, environ) == 0 else { exit(4) }
        return job
    }
}
