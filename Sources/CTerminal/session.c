#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/// Who has the terminal; during a change the negative number of the thread that makes it.
enum { RESTORED, TAKEN };
static atomic_int state = RESTORED;

/// Set before the first handler and not changed while there are any.
static struct {
    int terminal, nothing, working;
    /// The original standard error, and the pipe that replaces it; -1 if it is not this terminal.
    int error_output, held_in, held_out;
    struct termios before, during;
} session = {.terminal = -1, .nothing = -1, .working = -1, .error_output = -1};

/// Whether a session has been opened and has not left.
static atomic_bool is_open;
static atomic_uint reply_state;
/// The writing thread, or 0.
static atomic_int writer;
/// The kinds that a session restores.
enum { RESTORED_KINDS = SG_RESTORE_IMAGES | SG_RESTORE_SESSION };

/// Attempts, SG_PAUSE apart, for another thread and for a full terminal: half a second, rarely used.
enum { ATTEMPTS = 50 };
/// Milliseconds of waiting for replies: from a silent terminal, from one that replies or has just sent something, in all.
enum { UNSURE_WAIT = 250, SURE_WAIT = 500, MAX_WAIT = 900 };

static void point(int descriptor, int target, int flags) {
    // EBUSY: another thread is opening a file with this number.
    while (dup3(target, descriptor, flags) < 0 && (errno == EINTR || errno == EBUSY)) {}
}

static bool is_foreground(int terminal) {
    pid_t foreground = tcgetpgrp(terminal);
    return foreground < 0 || foreground == getpgrp();
}

// MARK: Restoring

static long long milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/// Reads and drops input until every due reply has arrived; a shell would read them as keys.
static void await_replies(unsigned due, int wait) {
    enum { GROUND, ESCAPE, SEQUENCE } at = GROUND;
    unsigned statuses = due / SG_SESSION_STATUS;
    bool attributes = due & SG_SESSION_EXPECTS_ATTRIBUTES;
    long long end = milliseconds() + wait, last = end - wait + MAX_WAIT;
    while ((statuses || attributes) && milliseconds() < end) {
        char bytes[256];
        struct pollfd request = {.fd = session.terminal, .events = POLLIN};
        poll(&request, 1, SG_PAUSE);
        ssize_t count = read(session.terminal, bytes, sizeof bytes);
        if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) return;
        // The rest of a reply may come later.
        if (count > 0) end = milliseconds() + SURE_WAIT;
        if (end > last) end = last;
        for (ssize_t i = 0; i < count; i++) {
            char byte = bytes[i];
            if (at == SEQUENCE && byte == 'n' && statuses) statuses--;
            if (at == SEQUENCE && byte == 'c') attributes = false;
            bool continues = at == SEQUENCE && byte >= 0x20 && byte < 0x40;
            at = byte == 0x1B ? ESCAPE : at == ESCAPE && byte == '[' ? SEQUENCE : continues ? SEQUENCE : GROUND;
        }
    }
}

/// Shows the held standard error, for example a trap's message.
static void release_error_output(void) {
    if (session.error_output < 0) return;
    point(STDERR_FILENO, session.error_output, 0);
    char bytes[1024];
    ssize_t count;
    while ((count = read(session.held_out, bytes, sizeof bytes)) > 0) {
        if (!sg_send(session.terminal, bytes, (size_t)count, ATTEMPTS)) return;
    }
}

static void restore(void) {
    // From here on only a write that has begun can reach the terminal; it does not block.
    point(session.working, session.nothing, O_CLOEXEC);
    int self = gettid();
    for (int i = 0; i < ATTEMPTS && atomic_load(&writer) != 0 && atomic_load(&writer) != self; i++) {
        poll(NULL, 0, SG_PAUSE);
    }
    sigset_t stop, mask;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &stop, &mask);
    unsigned replies = atomic_load(&reply_state);
    // Unread output is useless now, and would take seconds on a slow line.
    if (replies & SG_SESSION_UNREAD) tcflush(session.terminal, TCOFLUSH);
    if (!sg_restore_send(session.terminal, RESTORED_KINDS, 0)) {
        tcflush(session.terminal, TCOFLUSH);
        // A full terminal does not reply.
        if (!sg_restore_send(session.terminal, RESTORED_KINDS, ATTEMPTS)) replies = 0;
    }
    await_replies(replies, replies & SG_SESSION_HAS_REPLIED ? SURE_WAIT : UNSURE_WAIT);
    // In the background the settings are another process's: a shell's, after SIGSTOP.
    if (is_foreground(session.terminal)) {
        tcflush(session.terminal, TCIFLUSH);
        // Not TCSADRAIN: on a serial line it waits for as long as the line does.
        tcsetattr(session.terminal, TCSANOW, &session.before);
    }
    release_error_output();
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

void sg_session_restore(void) {
    int self = gettid();
    for (int i = 0; i < 2 * ATTEMPTS; i++) {
        int now = TAKEN;
        if (atomic_compare_exchange_strong(&state, &now, -self)) {
            restore();
            atomic_store(&state, RESTORED);
            return;
        }
        // A signal or a fault during the change on this thread.
        if (now == RESTORED || now == -self) return;
        poll(NULL, 0, SG_PAUSE);
    }
}

void sg_session_leave(void) {
    sg_session_restore();
    sg_signals_unwatch_session();
    atomic_store(&is_open, false);
}

// MARK: Taking

/// The device number of `/dev/tty` (Linux, admin-guide/devices.txt).
enum { CONTROLLING_MAJOR = 5, CONTROLLING_MINOR = 0 };

/// Prepares a pipe that holds standard error, if that is the terminal: messages would be overwritten.
static void prepare_error_output(void) {
    struct stat ours, errors;
    int ends[2];
    if (fstat(session.terminal, &ours) != 0 || fstat(STDERR_FILENO, &errors) != 0 || !isatty(STDERR_FILENO)) return;
    // /dev/tty may be any terminal.
    if (errors.st_rdev != ours.st_rdev && ours.st_rdev != makedev(CONTROLLING_MAJOR, CONTROLLING_MINOR)) return;
    int copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (copy < 0) return;
    // A full pipe drops more, so that no writer blocks.
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        close(copy);
        return;
    }
    session.held_out = ends[0], session.held_in = ends[1], session.error_output = copy;
}

/// Opens the terminal, or uses that of an earlier session, whose handlers are gone.
static int open_terminal(const char *path) {
    bool is_first = session.terminal < 0;
    if (session.nothing < 0 && (session.nothing = open("/dev/null", O_RDWR | O_CLOEXEC)) < 0) return errno;
    if (session.working < 0) session.working = fcntl(session.nothing, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (session.working < 0) return errno;
    int terminal = is_first ? open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) : session.terminal;
    if (terminal < 0) return errno;
    int error = !is_foreground(terminal) ? ENOTTY : tcgetattr(terminal, &session.before) != 0 ? errno : 0;
    if (error != 0) {
        if (is_first) close(terminal);
        return error;
    }
    session.terminal = terminal;
    session.during = session.before;
    cfmakeraw(&session.during);
    // So that a read without input is EAGAIN, and 0 only the end of the terminal.
    session.during.c_cc[VMIN] = 1;
    session.during.c_cc[VTIME] = 0;
    atomic_store(&reply_state, 0);
    sg_restore_prepare(SG_RESTORE_IMAGES, "", 0);
    if (!is_first) return 0;
    prepare_error_output();
    // For `exit` without `sg_session_leave`.
    atexit(sg_session_leave);
    return 0;
}

int sg_session_open(const char *path) {
    if (atomic_exchange(&is_open, true)) return EBUSY;
    int error = open_terminal(path);
    if (error != 0) atomic_store(&is_open, false);
    return error;
}

int sg_session_take(void) {
    // A handler on this thread would deadlock.
    sigset_t mask;
    sg_signals_block(&mask);

    int now = RESTORED;
    // After SIGSTOP, which has no handler, it is still taken.
    while (!atomic_compare_exchange_strong(&state, &now, -gettid())) {
        if (now != TAKEN && now != RESTORED) {
            poll(NULL, 0, SG_PAUSE);
            now = RESTORED;
        }
    }
    int error = tcsetattr(session.terminal, TCSANOW, &session.during) == 0 ? 0 : errno;
    if (session.error_output >= 0) point(STDERR_FILENO, session.held_in, 0);
    point(session.working, session.terminal, O_CLOEXEC);
    atomic_store(&state, TAKEN);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    // Either a signal's handler has seen that the terminal is taken, or the signal is visible here.
    if (error != 0 || sg_signals_recorded() != 0) sg_session_restore();
    return error;
}

bool sg_session_is_taken(void) { return atomic_load(&state) == TAKEN; }

bool sg_session_is_foreground(void) { return is_foreground(session.terminal); }

int sg_session_descriptor(void) { return session.working; }
int sg_session_terminal(void) { return session.terminal; }

int sg_spawn_add_chdir(posix_spawn_file_actions_t *actions, const char *folder) {
    return posix_spawn_file_actions_addchdir_np(actions, folder);
}

// MARK: While taken

ssize_t sg_session_write(const void *bytes, size_t count) {
    atomic_store(&writer, gettid());
    ssize_t written = write(session.working, bytes, count);
    ssize_t result = written >= 0 ? written : -errno;
    atomic_store(&writer, 0);
    return result;
}

void sg_session_set_reply_state(unsigned bits) { atomic_store(&reply_state, bits); }
