#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

/// Handlers here call only functions of signal-safety(7), and dup3(2), which is a plain system call.

/// Seconds for a session to save its state after a signal, and for a batch to end what it has begun.
enum { GRACE = 1, BATCH_GRACE = 5 };
/// Attempts to write, SG_PAUSE apart: one second in all for a terminal that reads slowly or not at all.
enum { ATTEMPTS = 100 };
enum { DESCRIPTORS = 3, DESCRIPTOR_MASK = 3, DESCRIPTOR_BITS = 2 };

static const int faults[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGSYS};
enum { FAULT_COUNT = sizeof faults / sizeof *faults };

// MARK: Prepared bytes

static struct {
    const char *_Atomic bytes;
    atomic_size_t count;
} prepared[SG_RESTORE_SESSION + 1];
static bool is_terminal[DESCRIPTORS];

/// The kinds to restore and, in the low bits, their descriptor. One atomic number, so that a handler sees both or none.
static atomic_uint due;
/// The writing thread, or 0 (never a thread of glibc).
static _Atomic(pthread_t) writer;
/// Whether the process ends, and the thread that ends it.
static atomic_bool is_ending;
static _Atomic(pthread_t) ender;

void sg_restore_prepare(sg_restore_kind kind, const void *bytes, size_t count) {
    atomic_store(&prepared[kind].bytes, bytes);
    atomic_store(&prepared[kind].count, count);
}

bool sg_send(int descriptor, const char *bytes, size_t count, int attempts) {
    while (count > 0) {
        ssize_t written = write(descriptor, bytes, count);
        if (written > 0) {
            bytes += written;
            count -= (size_t)written;
        } else if (written < 0 && errno == EAGAIN && attempts-- > 0) {
            poll(NULL, 0, SG_PAUSE);
        } else if (!(written < 0 && errno == EINTR)) {
            break;
        }
    }
    return count == 0;
}

bool sg_restore_send(int descriptor, unsigned kinds, int attempts) {
    for (unsigned kind = 1; kind <= SG_RESTORE_SESSION; kind <<= 1) {
        size_t count = kinds & kind ? atomic_load(&prepared[kind].count) : 0;
        if (!sg_send(descriptor, atomic_load(&prepared[kind].bytes), count, attempts)) return false;
    }
    return true;
}

/// Restores what writes have left due, in bounded time.
static void restore_writes(void) {
    unsigned now = atomic_exchange(&due, 0);
    int descriptor = now & DESCRIPTOR_MASK;
    int flags = now >> DESCRIPTOR_BITS ? fcntl(descriptor, F_GETFL) : -1;
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0) return;
    sg_restore_send(descriptor, now >> DESCRIPTOR_BITS, ATTEMPTS);
    // The shell and others share this file description.
    fcntl(descriptor, F_SETFL, flags);
}

/// Replaces what is due, but keeps sequences and images.
static void set_due(int descriptor, unsigned kinds) {
    unsigned kept = SG_RESTORE_SEQUENCES | SG_RESTORE_KITTY | SG_RESTORE_KITTY_IN_TMUX;
    unsigned before = atomic_load(&due) >> DESCRIPTOR_BITS & kept;
    atomic_store(&due, (kinds | before) << DESCRIPTOR_BITS | (unsigned)descriptor);
}

static bool is_watched(int descriptor) {
    return descriptor >= 0 && descriptor < DESCRIPTORS && is_terminal[descriptor];
}

/// Fills a set with all signals but faults, or with those of them whose default action ends the process (signal(7)).
static void fill(sigset_t *set, bool only_endings) {
    static const int others[] = {
        SIGCHLD, SIGURG, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGKILL, SIGSTOP};
    sigfillset(set);
    for (size_t i = 0; i < FAULT_COUNT; i++) sigdelset(set, faults[i]);
    for (size_t i = 0; only_endings && i < sizeof others / sizeof *others; i++) sigdelset(set, others[i]);
}

void sg_restore_begin(int descriptor, unsigned kinds) {
    if (!is_watched(descriptor)) return;
    // Threads of libdispatch, on which Swift's tasks run, block all signals.
    static _Thread_local bool gets_signals;
    sigset_t endings;
    fill(&endings, true);
    if (!gets_signals) gets_signals = pthread_sigmask(SIG_UNBLOCK, &endings, NULL) == 0;
    set_due(descriptor, kinds);
    atomic_store(&writer, pthread_self());
    while (atomic_load(&is_ending)) pause();
}

void sg_restore_end(int descriptor, unsigned kinds) {
    if (!is_watched(descriptor)) return;
    set_due(descriptor, kinds);
    atomic_store(&writer, 0);
}

// MARK: Events

static int wake = -1;
static atomic_uint events;
/// The first signal that is to end the process, if it is recorded.
static atomic_int recorded;
/// Whether SIGTSTP has arrived after SIGCONT.
static atomic_bool is_stopping;

int sg_signals_recorded(void) { return atomic_load(&recorded); }
int sg_session_wake_descriptor(void) { return wake; }

int sg_signals_wait(void) {
    struct pollfd request = {.fd = wake, .events = POLLIN};
    while (atomic_load(&recorded) == 0) poll(&request, 1, -1);
    return atomic_load(&recorded);
}

void sg_session_post(sg_session_event event) {
    atomic_fetch_or(&events, event);
    const uint64_t one = 1;
    // A full eventfd is readable too.
    while (write(wake, &one, sizeof one) < 0 && errno == EINTR) {}
}

unsigned sg_session_events(void) {
    uint64_t count;
    while (read(wake, &count, sizeof count) < 0 && errno == EINTR) {}
    return atomic_exchange(&events, 0);
}

// MARK: The handler

static _Atomic(sg_signal_policy) policy;
static sg_signal_policy policy_before_session;
/// The earlier actions, and the policy that replaced them, by signal.
static struct {
    sg_signal_policy policy;
    struct sigaction action;
} before[NSIG];

void sg_signals_terminate(int number) {
    sg_session_restore();
    signal(number, SIG_DFL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    raise(number);
    _exit(128 + (number & 0x7F));  // if the default action does not end the process: the exit code of a shell
}

/// Restores the terminal and ends the process.
///
/// A writing thread's bytes must not follow the restored state. So that thread restores and ends, interrupted by the same
/// signal. No thread begins another write (`sg_restore_begin`).
static void end_process(int number) {
    bool is_first = !atomic_exchange(&is_ending, true);
    if (is_first) {
        pthread_t writing = atomic_load(&writer);
        atomic_store(&ender, writing ? writing : pthread_self());
    }
    if (pthread_equal(atomic_load(&ender), pthread_self())) {
        restore_writes();
        sg_signals_terminate(number);
    } else if (is_first) {
        pthread_kill(atomic_load(&ender), number);
    }
}

static bool is_common(int number) {
    return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}

static void handle_end(int number) {
    sg_signal_policy now = atomic_load(&policy);
    bool is_recorded = now == SG_SIGNALS_SESSION
        || (now == SG_SIGNALS_RECORD && is_common(number) && number != SIGQUIT);
    int none = 0;
    if (atomic_load(&is_ending) || !is_recorded) {
        end_process(number);
    } else if (atomic_compare_exchange_strong(&recorded, &none, number)) {
        if (now == SG_SIGNALS_SESSION) sg_session_restore();
        alarm(now == SG_SIGNALS_SESSION ? GRACE : BATCH_GRACE);
        sg_session_post(SG_SESSION_ENDED);
    } else if (number == SIGINT || number == SIGQUIT) {
        // A second Ctrl-C. A closing terminal and a service manager send two signals together, so others do not count.
        end_process(number);
    }
}

static void handle(int number) {
    int error = errno;
    int end = atomic_load(&recorded);
    switch (number) {
        case SIGILL: case SIGTRAP: case SIGABRT: case SIGSEGV: case SIGBUS: case SIGFPE: case SIGSYS:
            sg_session_restore();
            // The default action, or Swift's backtrace, on a restored terminal.
            sigaction(number, &before[number].action, NULL);
            // Delivered when this handler returns.
            raise(number);
            break;
        case SIGTSTP:
            atomic_store(&is_stopping, true);
            sg_session_post(SG_SESSION_STOPPED);
            break;
        case SIGCONT:
            atomic_store(&is_stopping, false);
            sg_session_post(SG_SESSION_CONTINUED);
            break;
        case SIGWINCH: sg_session_post(SG_SESSION_RESIZED); break;
        case SIGALRM: end_process(end != 0 ? end : number); break;
        default: handle_end(number);
    }
    errno = error;
}

/// The signal is raised while it is blocked: a continuation from then on removes it (signal(7)), an earlier one has been
/// noted. Has no effect in an orphaned process group.
void sg_session_stop(void) {
    if (!atomic_load(&is_stopping)) return;
    sg_session_restore();
    sigset_t mask, one;
    sg_signals_block(&mask);
    raise(SIGTSTP);
    bool stops = atomic_load(&is_stopping) && atomic_load(&recorded) == 0;
    struct sigaction ours, plain = {.sa_handler = stops ? SIG_DFL : SIG_IGN};
    sigaction(SIGTSTP, &plain, &ours);
    sigemptyset(&one);
    sigaddset(&one, SIGTSTP);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    sigaction(SIGTSTP, &ours, NULL);
    atomic_store(&is_stopping, false);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    sg_session_post(SG_SESSION_CONTINUED);
}

// MARK: Setting handlers

void sg_signals_block(sigset_t *earlier) {
    sigset_t all;
    fill(&all, false);
    pthread_sigmask(SIG_BLOCK, &all, earlier);
}

/// Which earlier actions a handler replaces.
enum replaced { DEFAULT_ONLY, ALL_BUT_IGNORED, ALL };

static void watch(int number, enum replaced replaced) {
    // One handler at a time on a thread, except for faults.
    struct sigaction old, action = {.sa_handler = handle, .sa_flags = SA_RESTART | SA_ONSTACK};
    fill(&action.sa_mask, false);
    if (sigaction(number, NULL, &old) != 0 || old.sa_handler == handle) return;
    if (replaced == DEFAULT_ONLY && old.sa_handler != SIG_DFL) return;
    if (replaced == ALL_BUT_IGNORED && old.sa_handler == SIG_IGN) return;
    before[number].action = old;
    if (sigaction(number, &action, NULL) == 0) before[number].policy = atomic_load(&policy);
}

static void watch_endings(void) {
    sg_signal_policy now = atomic_load(&policy);
    sigset_t endings;
    fill(&endings, true);
    for (int number = 1; number < NSIG; number++) {
        // A profiler may have set a handler for one of the others.
        bool replaces = now != SG_SIGNALS_RESTORE && is_common(number);
        if (sigismember(&endings, number)) watch(number, replaces ? ALL_BUT_IGNORED : DEFAULT_ONLY);
    }
}

int sg_signals_watch(sg_signal_policy next) {
    if (next == SG_SIGNALS_RESTORE) {
        is_terminal[STDOUT_FILENO] = isatty(STDOUT_FILENO);
        is_terminal[STDERR_FILENO] = isatty(STDERR_FILENO);
        if (!is_terminal[STDOUT_FILENO] && !is_terminal[STDERR_FILENO]) return 0;
    } else if (wake < 0 && (wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0) {
        return errno;
    }
    if (next == SG_SIGNALS_SESSION) {
        policy_before_session = atomic_load(&policy);
        atomic_store(&events, 0);
    }
    atomic_store(&policy, next);
    switch (next) {
        case SG_SIGNALS_RESTORE: watch_endings(); break;
        case SG_SIGNALS_RECORD:
            watch(SIGALRM, ALL);
            watch(SIGINT, ALL_BUT_IGNORED);
            watch(SIGTERM, ALL_BUT_IGNORED);
            watch(SIGHUP, ALL_BUT_IGNORED);
            break;
        case SG_SIGNALS_SESSION:
            watch(SIGALRM, ALL);
            watch_endings();
            for (size_t i = 0; i < FAULT_COUNT; i++) watch(faults[i], ALL);
            watch(SIGTSTP, ALL_BUT_IGNORED);
            watch(SIGCONT, ALL);
            watch(SIGWINCH, ALL);
            break;
    }
    return 0;
}

void sg_signals_unwatch_session(void) {
    if (atomic_load(&policy) != SG_SIGNALS_SESSION) return;
    for (int number = 1; number < NSIG; number++) {
        // A handler may have set the alarm or be about to: the program keeps its second.
        if (before[number].policy != SG_SIGNALS_SESSION || number == SIGALRM) continue;
        sigaction(number, &before[number].action, NULL);
        before[number].policy = 0;
    }
    atomic_store(&policy, policy_before_session);
}

void sg_signals_lend(bool is_lent) {
    static const int keys[] = {SIGINT, SIGQUIT, SIGTSTP};
    static struct sigaction ours[sizeof keys / sizeof *keys];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct sigaction lent = {.sa_handler = keys[i] == SIGTSTP ? SIG_DFL : SIG_IGN};
        if (is_lent) sigaction(keys[i], &lent, &ours[i]);
        else sigaction(keys[i], &ours[i], NULL);
    }
}

void sg_session_enter_thread(void) {
    // Threads of libdispatch and their children block all signals.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_UNBLOCK, &all, NULL);

    // For handlers, in case the session's thread overflows its stack.
    enum { STACK_BYTES = 64 * 1024 };
    static _Alignas(16) char stack[STACK_BYTES];
    stack_t old, new = {.ss_sp = stack, .ss_size = STACK_BYTES};
    if (sigaltstack(NULL, &old) == 0 && old.ss_flags & SS_DISABLE) sigaltstack(&new, NULL);
}
