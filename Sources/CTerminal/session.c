#include "spyglass_session.h"

#include "send.h"
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/// Whose the terminal is; on the way from one to the other the negative number of the thread whose business that is.
enum { LEFT, TAKEN };
static atomic_int state = LEFT;

/// Set before the first handler and never changed.
static struct {
    int terminal, nothing, working, wake;
    /// Standard error as it was, and the pipe that stands in its place meanwhile; -1 where it is no business of ours.
    int error_output, held_in, held_out;
    struct termios before, during;
    const char *leaving;
    size_t leaving_count;
} session = {.terminal = -1, .wake = -1, .error_output = -1};

static atomic_uint events;
static atomic_uint way;
/// The thread that is in the middle of a write, or 0.
static atomic_int writer;

/// How often another thread is waited for, and a terminal that takes nothing: half a second, of which little is ever used.
enum { ATTEMPTS = 50 };
/// Milliseconds that answers on their way are waited for: from a terminal that has never answered, and from one that does.
/// It ends with the answers, which are slower only where the terminal is a continent away, or was spared the question.
enum { UNSURE_WAIT = 100, SURE_WAIT = 500 };

static void point(int descriptor, int target, int flags) {
    // EBUSY: another thread is opening a file and has been given this number.
    while (dup3(target, descriptor, flags) < 0 && (errno == EINTR || errno == EBUSY)) {}
}

// MARK: Giving back

static long long milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/// Reads and forgets until every answer that is owed has come: else a shell would take it for keys.
static void await_answers(unsigned owed, int wait) {
    enum { GROUND, ESCAPE, SEQUENCE } at = GROUND;
    owed &= SG_SESSION_OWES_STATUS | SG_SESSION_OWES_ATTRIBUTES;
    long long end = milliseconds() + wait;
    while (owed && milliseconds() < end) {
        char bytes[256];
        struct pollfd request = {.fd = session.terminal, .events = POLLIN};
        poll(&request, 1, SG_PAUSE);
        ssize_t count = read(session.terminal, bytes, sizeof bytes);
        if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) return;
        for (ssize_t i = 0; i < count; i++) {
            char byte = bytes[i];
            if (at == SEQUENCE && byte == 'n') owed &= ~(unsigned)SG_SESSION_OWES_STATUS;
            if (at == SEQUENCE && byte == 'c') owed &= ~(unsigned)SG_SESSION_OWES_ATTRIBUTES;
            bool goes_on = at == SEQUENCE && byte >= 0x20 && byte < 0x40;
            at = byte == 0x1B ? ESCAPE : at == ESCAPE && byte == '[' ? SEQUENCE : goes_on ? SEQUENCE : GROUND;
        }
    }
}

/// Shows what was written to standard error meanwhile: the last words of a trap among it.
static void release_error_output(void) {
    if (session.error_output < 0) return;
    point(STDERR_FILENO, session.error_output, 0);
    char bytes[1024];
    ssize_t count;
    while ((count = read(session.held_out, bytes, sizeof bytes)) > 0) {
        if (!sg_send(session.terminal, bytes, (size_t)count, ATTEMPTS)) return;
    }
}

static void give_back(void) {
    // From here on no frame reaches the terminal but by a write that has begun; such a one does not wait.
    point(session.working, session.nothing, O_CLOEXEC);
    int self = gettid();
    for (int i = 0; i < ATTEMPTS && atomic_load(&writer) != 0 && atomic_load(&writer) != self; i++) {
        poll(NULL, 0, SG_PAUSE);
    }
    sigset_t stop, mask;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &stop, &mask);
    unsigned notes = atomic_load(&way);
    // What the terminal has not read is of no use any more, and would keep it busy: seconds, on a slow line.
    if (notes & SG_SESSION_UNREAD) tcflush(session.terminal, TCOFLUSH);
    if (!sg_send(session.terminal, session.leaving, session.leaving_count, 0)) {
        tcflush(session.terminal, TCOFLUSH);
        // What takes nothing answers nothing.
        if (!sg_send(session.terminal, session.leaving, session.leaving_count, ATTEMPTS)) notes = 0;
    }
    await_answers(notes, notes & SG_SESSION_ANSWERS ? SURE_WAIT : UNSURE_WAIT);
    // In the background the settings are those of somebody else: of a shell, after SIGSTOP.
    pid_t foreground = tcgetpgrp(session.terminal);
    if (foreground == getpgrp() || foreground < 0) {
        tcflush(session.terminal, TCIFLUSH);
        // Not TCSADRAIN: on a serial line it waits for as long as the line does.
        tcsetattr(session.terminal, TCSANOW, &session.before);
    }
    release_error_output();
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

void sg_session_give_back(void) {
    int self = gettid();
    for (int i = 0; i < 2 * ATTEMPTS; i++) {
        int now = TAKEN;
        if (atomic_compare_exchange_strong(&state, &now, -self)) {
            give_back();
            atomic_store(&state, LEFT);
            return;
        }
        // This thread's business: a signal or a fault in the middle of it.
        if (now == LEFT || now == -self) return;
        poll(NULL, 0, SG_PAUSE);
    }
}

void sg_session_leave(void) {
    if (session.wake < 0) return;
    sg_session_give_back();
    sg_session_unwatch();
}

// MARK: Taking

/// The device number of `/dev/tty` (Linux, admin-guide/devices.txt).
enum { CONTROLLING_MAJOR = 5, CONTROLLING_MINOR = 0 };

/// Prepares a pipe for what is written to standard error, if that is the terminal: it would be painted over.
static void prepare_error_output(void) {
    struct stat ours, errors;
    int ends[2];
    if (fstat(session.terminal, &ours) != 0 || fstat(STDERR_FILENO, &errors) != 0 || !isatty(STDERR_FILENO)) return;
    // By the name of the controlling terminal nobody can tell which one it is.
    if (errors.st_rdev != ours.st_rdev && ours.st_rdev != makedev(CONTROLLING_MAJOR, CONTROLLING_MINOR)) return;
    int copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (copy < 0) return;
    // When the pipe is full, more is lost: nobody waits for it.
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        close(copy);
        return;
    }
    session.held_out = ends[0];
    session.held_in = ends[1];
    session.error_output = copy;
}

int sg_session_open(const char *path, const void *leaving, size_t count) {
    if (session.wake >= 0) return EBUSY;
    int terminal = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (terminal < 0) return errno;
    pid_t foreground = tcgetpgrp(terminal);
    bool is_behind = foreground >= 0 && foreground != getpgrp();
    int nothing = -1, working = -1, wake = -1;
    if (tcgetattr(terminal, &session.before) == 0 && !is_behind
        && (nothing = open("/dev/null", O_RDWR | O_CLOEXEC)) >= 0
        && (working = fcntl(nothing, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) >= 0
        && (wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) >= 0) {
        session.terminal = terminal;
        session.nothing = nothing;
        session.working = working;
        session.wake = wake;
        session.leaving = leaving;
        session.leaving_count = count;
        session.during = session.before;
        cfmakeraw(&session.during);
        // A read that finds nothing is EAGAIN then, and only the end of the terminal is 0.
        session.during.c_cc[VMIN] = 1;
        session.during.c_cc[VTIME] = 0;
        prepare_error_output();
        // Of a program that ends without an end.
        atexit(sg_session_leave);
        return 0;
    }
    int error = is_behind ? ENOTTY : errno;
    if (working >= 0) close(working);
    if (nothing >= 0) close(nothing);
    close(terminal);
    return error;
}

int sg_session_take(void) {
    // A handler on this thread would wait for itself.
    sigset_t all, mask;
    sigfillset(&all);
    const int faults[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_BLOCK, &all, &mask);

    int now = LEFT;
    // Taken already: after SIGSTOP, which asks nobody.
    while (!atomic_compare_exchange_strong(&state, &now, -gettid())) {
        if (now != TAKEN && now != LEFT) {
            poll(NULL, 0, SG_PAUSE);
            now = LEFT;
        }
    }
    int error = tcsetattr(session.terminal, TCSANOW, &session.during) == 0 ? 0 : errno;
    if (session.error_output >= 0) point(STDERR_FILENO, session.held_in, 0);
    point(session.working, session.terminal, O_CLOEXEC);
    atomic_store(&state, TAKEN);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    // Either its handler has seen that the terminal is taken, or this sees the signal.
    if (error != 0 || sg_session_ending() != 0) sg_session_give_back();
    return error;
}

bool sg_session_is_taken(void) { return atomic_load(&state) == TAKEN; }

bool sg_session_is_foreground(void) {
    pid_t foreground = tcgetpgrp(session.terminal);
    return foreground < 0 || foreground == getpgrp();
}

int sg_session_descriptor(void) { return session.working; }
int sg_session_terminal(void) { return session.terminal; }
int sg_session_wake_descriptor(void) { return session.wake; }

// MARK: While it is ours

void sg_session_post(sg_session_event event) {
    atomic_fetch_or(&events, event);
    const uint64_t one = 1;
    // Full is readable too.
    while (write(session.wake, &one, sizeof one) < 0 && errno == EINTR) {}
}

unsigned sg_session_events(void) {
    uint64_t count;
    while (read(session.wake, &count, sizeof count) < 0 && errno == EINTR) {}
    return atomic_exchange(&events, 0);
}

ssize_t sg_session_write(const void *bytes, size_t count) {
    atomic_store(&writer, gettid());
    ssize_t written = write(session.working, bytes, count);
    ssize_t result = written >= 0 ? written : -errno;
    atomic_store(&writer, 0);
    return result;
}

void sg_session_note_way(unsigned notes) { atomic_store(&way, notes); }
