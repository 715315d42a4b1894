internal import Glibc

/// What a process must settle before it does anything else.
enum StandardStreams {
    /// Makes a closed pipe an error of `write` instead of a signal, and makes sure that descriptors 0, 1 and 2 exist.
    ///
    /// Without the second, the first file that is opened would become standard output of a caller that closed it, and be
    /// written to. A missing stream is opened for the wrong direction, so that using it still fails.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // The lowest free descriptor is the one that is missing (open(2)).
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
