internal import Glibc

/// Prepares the standard streams of the process.
enum StandardStreams {
    /// Makes a closed pipe an error of `write` instead of a signal, and opens missing descriptors 0, 1 and 2.
    ///
    /// Otherwise the first file that is opened could become standard output. A missing stream is opened for the wrong
    /// direction, so that using it still fails.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // `open` returns the lowest free descriptor, which is the missing one (open(2)).
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
