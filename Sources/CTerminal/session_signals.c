#include "spyglass_termination.h"
#include "spyglass_session.h"

#include "session.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

/// Handlers here call only functions of signal-safety(7), and dup3(2), which is a plain system call.

/// Seconds for the program to save its state after a signal.
enum { GRACE = 1 };

static atomic_int ending;
/// The progress of a stop, which one thread carries out and a continuation can cancel.
enum { RUNNING, STOPPING, CANCELLED, STOPPED };
static atomic_int stop = RUNNING;

static const int faults[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGSYS};
enum { FAULT_COUNT = sizeof faults / sizeof *faults };

/// The earlier actions, by signal.
static struct {
    bool is_ours;
    struct sigaction action;
} before[NSIG];

/// For handlers, in case the session's thread overflows its stack.
enum { STACK_BYTES = 64 * 1024 };
static _Alignas(16) char stack[STACK_BYTES];

int sg_session_ending(void) { return atomic_load(&ending); }

void sg_session_terminate(int number) {
    sg_session_restore();
    sg_terminate_by_signal(number);
}

static void handle_end(int number) {
    int error = errno;
    int none = 0;
    if (atomic_compare_exchange_strong(&ending, &none, number)) {
        sg_session_restore();
        alarm(GRACE);
        sg_session_post(SG_SESSION_ENDED);
    } else if (number == SIGINT || number == SIGQUIT) {
        // A second Ctrl-C. A closing terminal and a service manager send two signals together, so others do not count.
        sg_session_terminate(number);
    }
    errno = error;
}

static void handle_alarm(int number) {
    int end = atomic_load(&ending);
    sg_session_terminate(end != 0 ? end : number);
}

static void handle_fault(int number) {
    sg_session_restore();
    // The default action, or Swift's backtrace, on a restored terminal.
    sigaction(number, &before[number].action, NULL);
    // Delivered when this handler returns.
    raise(number);
}

/// Stops by the default action until SIGCONT. Has no effect in an orphaned process group.
///
/// The signal is raised while it is blocked. If another stop arrives after the action is the default, the continuation
/// removes this one with all pending stops (signal(7)). Raised later, it would be a second stop.
static void stop_process(int number) {
    raise(number);
    struct sigaction ours, plain = {.sa_handler = SIG_DFL};
    sigaction(number, &plain, &ours);
    sigset_t one, mask;
    sigemptyset(&one);
    sigaddset(&one, number);
    pthread_sigmask(SIG_UNBLOCK, &one, &mask);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    sigaction(number, &ours, NULL);
}

static void handle_stop(int number) {
    int now = RUNNING;
    if (!atomic_compare_exchange_strong(&stop, &now, STOPPING)) {
        // Another thread is stopping: one stop is enough, unless it was cancelled.
        if (now == CANCELLED) atomic_compare_exchange_strong(&stop, &now, STOPPING);
        return;
    }
    int error = errno;
    sg_session_restore();
    now = STOPPING;
    if (atomic_compare_exchange_strong(&stop, &now, STOPPED)) stop_process(number);
    atomic_store(&stop, RUNNING);
    sg_session_post(SG_SESSION_CONTINUED);
    errno = error;
}

static void handle_continuation(int number) {
    (void)number;
    int error = errno;
    int now = STOPPING;
    // Otherwise the stopped thread posts it, or will not stop.
    if (!atomic_compare_exchange_strong(&stop, &now, CANCELLED) && now == RUNNING) sg_session_post(SG_SESSION_CONTINUED);
    errno = error;
}

static void handle_resize(int number) {
    (void)number;
    int error = errno;
    sg_session_post(SG_SESSION_RESIZED);
    errno = error;
}

/// Which earlier actions stay.
enum kept { NONE, IGNORED, ALL_BUT_OURS };

static void set(int number, void (*handler)(int), const sigset_t *mask, enum kept kept) {
    struct sigaction action = {.sa_handler = handler, .sa_mask = *mask, .sa_flags = SA_RESTART | SA_ONSTACK};
    struct sigaction old;
    if (sigaction(number, NULL, &old) != 0 || (kept != NONE && old.sa_handler == SIG_IGN)) return;
    if (kept == ALL_BUT_OURS && old.sa_handler != SIG_DFL && old.sa_handler != sg_restore_handle) return;
    before[number].action = old;
    before[number].is_ours = sigaction(number, &action, NULL) == 0;
}

void sg_session_watch(void) {
    // One handler at a time on a thread, except for faults.
    sigset_t all, endings;
    sg_session_fill(&all);
    sg_ending_signals(&endings);
    sigdelset(&endings, SIGALRM);
    for (int number = 1; number < NSIG; number++) {
        bool is_common = number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
        // A profiler may have set a handler for one of the others.
        if (sigismember(&endings, number)) set(number, handle_end, &all, is_common ? IGNORED : ALL_BUT_OURS);
    }
    for (size_t i = 0; i < FAULT_COUNT; i++) set(faults[i], handle_fault, &all, NONE);
    set(SIGALRM, handle_alarm, &all, NONE);
    set(SIGTSTP, handle_stop, &all, IGNORED);
    set(SIGCONT, handle_continuation, &all, NONE);
    set(SIGWINCH, handle_resize, &all, NONE);
}

void sg_session_fill(sigset_t *set) {
    sigfillset(set);
    for (size_t i = 0; i < FAULT_COUNT; i++) sigdelset(set, faults[i]);
}

void sg_session_unwatch(void) {
    for (int number = 1; number < NSIG; number++) {
        // A handler may have set the alarm or be about to: the program keeps its second.
        if (!before[number].is_ours || number == SIGALRM) continue;
        sigaction(number, &before[number].action, NULL);
        before[number].is_ours = false;
    }
}

void sg_session_enter_thread(void) {
    // Threads of libdispatch and their children block all signals.
    static const int others[] = {SIGTSTP, SIGCONT, SIGWINCH};
    sigset_t ours;
    sg_ending_signals(&ours);
    for (size_t i = 0; i < FAULT_COUNT; i++) sigaddset(&ours, faults[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) sigaddset(&ours, others[i]);
    pthread_sigmask(SIG_UNBLOCK, &ours, NULL);

    stack_t old, ours_too = {.ss_sp = stack, .ss_size = STACK_BYTES};
    if (sigaltstack(NULL, &old) == 0 && old.ss_flags & SS_DISABLE) sigaltstack(&ours_too, NULL);
}
