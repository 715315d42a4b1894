#include "spyglass_termination.h"
#include "spyglass_session.h"

#include "session.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

/// Everything in here that handles a signal does only what signal-safety(7) allows, and dup3(2), which is a system call
/// and nothing more.

/// Seconds that the program has for saving its state once a signal has asked it to end.
enum { GRACE = 1 };

static atomic_int ending;
/// How far a stop has come: one thread's business, which a continuation calls off before the process stands.
enum { RUNNING, STOPPING, CALLED_OFF, STOPPED };
static atomic_int stop = RUNNING;

static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static const int faults[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE};
enum { END_COUNT = sizeof ends / sizeof *ends, FAULT_COUNT = sizeof faults / sizeof *faults };

/// What was there before, by signal.
static struct {
    bool is_ours;
    struct sigaction action;
} before[NSIG];

/// Should the session's thread be out of stack.
enum { STACK_BYTES = 64 * 1024 };
static _Alignas(16) char stack[STACK_BYTES];

int sg_session_ending(void) { return atomic_load(&ending); }

void sg_session_terminate(int number) {
    sg_session_give_back();
    sg_terminate_by_signal(number);
}

static void handle_end(int number) {
    int error = errno;
    int none = 0;
    if (atomic_compare_exchange_strong(&ending, &none, number)) {
        sg_session_give_back();
        alarm(GRACE);
        sg_session_post(SG_SESSION_ENDED);
    } else if (number == SIGINT || number == SIGQUIT) {
        // Somebody is impatient. A terminal that closes, and a service manager, send two signals at once: those leave a second.
        sg_session_terminate(number);
    }
    errno = error;
}

static void handle_alarm(int number) {
    int end = atomic_load(&ending);
    sg_session_terminate(end != 0 ? end : number);
}

static void handle_fault(int number) {
    sg_session_give_back();
    // The default action, or that of a reporter: Swift's backtraces go to a terminal that is as it was.
    sigaction(number, &before[number].action, NULL);
    // Held back until this returns to where the fault was.
    raise(number);
}

/// Stops by the default action, until somebody continues; not at all where nobody could (an orphaned process group).
///
/// The signal is sent while this thread holds it back: another one, which comes from elsewhere once the action is the default, stops the
/// process too, and the continuation then takes this one away with every other stop (signal(7)). Sent later, it would be a second stop.
static void stand(int number) {
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
        // Another thread is at it: one stop is enough, unless it has been called off.
        if (now == CALLED_OFF) atomic_compare_exchange_strong(&stop, &now, STOPPING);
        return;
    }
    int error = errno;
    sg_session_give_back();
    now = STOPPING;
    if (atomic_compare_exchange_strong(&stop, &now, STOPPED)) stand(number);
    atomic_store(&stop, RUNNING);
    sg_session_post(SG_SESSION_CONTINUED);
    errno = error;
}

static void handle_continuation(int number) {
    (void)number;
    int error = errno;
    int now = STOPPING;
    // Else the thread that has stopped posts it, or will not stop.
    if (!atomic_compare_exchange_strong(&stop, &now, CALLED_OFF) && now == RUNNING) sg_session_post(SG_SESSION_CONTINUED);
    errno = error;
}

static void handle_resize(int number) {
    (void)number;
    int error = errno;
    sg_session_post(SG_SESSION_RESIZED);
    errno = error;
}

static void set(int number, void (*handler)(int), const sigset_t *mask, bool is_kept_if_ignored) {
    struct sigaction action = {.sa_handler = handler, .sa_mask = *mask, .sa_flags = SA_RESTART | SA_ONSTACK};
    struct sigaction old;
    if (sigaction(number, NULL, &old) != 0 || (is_kept_if_ignored && old.sa_handler == SIG_IGN)) return;
    before[number].action = old;
    before[number].is_ours = sigaction(number, &action, NULL) == 0;
}

void sg_session_watch(void) {
    // One handler at a time on a thread, but for faults.
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < FAULT_COUNT; i++) sigdelset(&all, faults[i]);
    for (size_t i = 0; i < END_COUNT; i++) set(ends[i], handle_end, &all, true);
    for (size_t i = 0; i < FAULT_COUNT; i++) set(faults[i], handle_fault, &all, false);
    set(SIGALRM, handle_alarm, &all, false);
    set(SIGTSTP, handle_stop, &all, true);
    set(SIGCONT, handle_continuation, &all, false);
    set(SIGWINCH, handle_resize, &all, false);
}

void sg_session_unwatch(void) {
    for (int number = 1; number < NSIG; number++) {
        // A handler may be about to set the alarm, or has: the program still has its second.
        if (!before[number].is_ours || number == SIGALRM) continue;
        sigaction(number, &before[number].action, NULL);
        before[number].is_ours = false;
    }
}

void sg_session_enter_thread(void) {
    // Threads of libdispatch, and theirs, block all signals.
    static const int others[] = {SIGALRM, SIGTSTP, SIGCONT, SIGWINCH};
    sigset_t ours;
    sigemptyset(&ours);
    for (size_t i = 0; i < END_COUNT; i++) sigaddset(&ours, ends[i]);
    for (size_t i = 0; i < FAULT_COUNT; i++) sigaddset(&ours, faults[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) sigaddset(&ours, others[i]);
    pthread_sigmask(SIG_UNBLOCK, &ours, NULL);

    stack_t old, ours_too = {.ss_sp = stack, .ss_size = STACK_BYTES};
    if (sigaltstack(NULL, &old) == 0 && old.ss_flags & SS_DISABLE) sigaltstack(&ours_too, NULL);
}
