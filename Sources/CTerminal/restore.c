#include "spyglass_restore.h"

#include "send.h"
#include "session.h"
#include "spyglass_termination.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

enum { DESCRIPTORS = 3, DESCRIPTOR_MASK = 3, DESCRIPTOR_BITS = 2 };

static struct {
    const char *bytes;
    size_t count;
} prepared[SG_RESTORE_PICTURE + 1];
static bool is_terminal[DESCRIPTORS];
static sigset_t signals;

/// The kinds to restore and, in the low bits, their descriptor. One atomic number, so that a handler sees both or none.
static atomic_uint due;
/// The writing thread, or 0 (never a thread of glibc).
static _Atomic(pthread_t) writer;
/// Whether a signal has arrived, and the thread that ends the process.
static atomic_bool is_ending;
static _Atomic(pthread_t) ender;

/// Attempts to write, SG_PAUSE apart: one second in all for a terminal that reads slowly or not at all.
enum { ATTEMPTS = 100 };

/// Restores what is due, in bounded time.
static void restore(void) {
    unsigned now = atomic_exchange(&due, 0);
    int descriptor = now & DESCRIPTOR_MASK;
    unsigned kinds = now >> DESCRIPTOR_BITS;
    if (kinds == 0) return;
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0) return;
    bool takes = true;
    for (unsigned kind = SG_RESTORE_SEQUENCES; takes && kind <= SG_RESTORE_PICTURE; kind <<= 1) {
        if (kinds & kind) takes = sg_send(descriptor, prepared[kind].bytes, prepared[kind].count, ATTEMPTS);
    }
    // The shell and others share this file description.
    fcntl(descriptor, F_SETFL, flags);
}

/// Calls only functions of signal-safety(7).
///
/// A writing thread's bytes must not follow the restored state. So that thread restores and ends, interrupted by the same
/// signal. No thread begins another write (`sg_restore_begin`).
void sg_restore_handle(int number) {
    int before = errno;
    bool is_first = !atomic_exchange(&is_ending, true);
    if (is_first) {
        pthread_t writing = atomic_load(&writer);
        atomic_store(&ender, writing ? writing : pthread_self());
    }
    if (pthread_equal(atomic_load(&ender), pthread_self())) {
        restore();
        signal(number, SIG_DFL);
        // Delivered when this handler returns.
        raise(number);
    } else if (is_first) {
        pthread_kill(atomic_load(&ender), number);
    }
    errno = before;
}

void sg_restore_prepare(sg_restore_kind kind, const void *bytes, size_t count) {
    prepared[kind].bytes = bytes;
    prepared[kind].count = count;
}

void sg_restore_install(void) {
    is_terminal[STDOUT_FILENO] = isatty(STDOUT_FILENO);
    is_terminal[STDERR_FILENO] = isatty(STDERR_FILENO);
    if (!is_terminal[STDOUT_FILENO] && !is_terminal[STDERR_FILENO]) return;

    sg_ending_signals(&signals);
    struct sigaction action = {.sa_handler = sg_restore_handle, .sa_mask = signals, .sa_flags = SA_RESTART};
    // With `stty tostop`, a write would stop a job in the background.
    sigaddset(&action.sa_mask, SIGTTOU);
    for (int number = 1; number < NSIG; number++) {
        struct sigaction old;
        if (!sigismember(&signals, number) || sigaction(number, &action, &old) != 0) continue;
        if (old.sa_handler != SIG_DFL) sigaction(number, &old, NULL);
    }
}

static bool is_watched(int descriptor) {
    return descriptor >= 0 && descriptor < DESCRIPTORS && is_terminal[descriptor];
}

/// Replaces what is due, but keeps sequences and images.
static void set_due(int descriptor, unsigned kinds) {
    unsigned kept = SG_RESTORE_SEQUENCES | SG_RESTORE_KITTY | SG_RESTORE_KITTY_IN_TMUX;
    unsigned before = atomic_load(&due) >> DESCRIPTOR_BITS & kept;
    atomic_store(&due, (kinds | before) << DESCRIPTOR_BITS | (unsigned)descriptor);
}

void sg_restore_begin(int descriptor, unsigned kinds) {
    if (!is_watched(descriptor)) return;
    // Threads of libdispatch, on which Swift's tasks run, block all signals.
    static _Thread_local bool gets_signals;
    if (!gets_signals) gets_signals = pthread_sigmask(SIG_UNBLOCK, &signals, NULL) == 0;
    set_due(descriptor, kinds);
    atomic_store(&writer, pthread_self());
    while (atomic_load(&is_ending)) pause();
}

void sg_restore_end(int descriptor, unsigned kinds) {
    if (!is_watched(descriptor)) return;
    set_due(descriptor, kinds);
    atomic_store(&writer, 0);
}
