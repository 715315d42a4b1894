#include "spyglass_restore.h"

#include "send.h"

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
} prepared[SG_RESTORE_LINE + 1];
static bool is_terminal[DESCRIPTORS];
static sigset_t signals;

/// The mendings that are due and, in the low bits, the descriptor they are for: one number, so that a handler never sees
/// half of it.
static atomic_uint due;
/// The thread that is writing, or 0 (which no thread of glibc is).
static _Atomic(pthread_t) writer;
/// Whether a signal has come, and which thread ends the process for it.
static atomic_bool is_ending;
static _Atomic(pthread_t) ender;

/// Attempts to write, with a pause between them: a second for a terminal that reads slowly, and for one that does not read
/// at all.
enum { ATTEMPTS = 100 };

/// Sends what is due, without waiting for ever.
static void mend(void) {
    unsigned now = atomic_exchange(&due, 0);
    int descriptor = now & DESCRIPTOR_MASK;
    unsigned mendings = now >> DESCRIPTOR_BITS;
    if (mendings == 0) return;
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0) return;
    bool takes = true;
    for (unsigned kind = SG_RESTORE_SEQUENCES; takes && kind <= SG_RESTORE_LINE; kind <<= 1) {
        if (mendings & kind) takes = sg_send(descriptor, prepared[kind].bytes, prepared[kind].count, ATTEMPTS);
    }
    // Others have the terminal open by the same description, the shell among them.
    fcntl(descriptor, F_SETFL, flags);
}

/// Only what signal-safety(7) allows.
///
/// Bytes of a thread that is in the middle of a write would come behind the mending. So it is that thread which mends and
/// ends, woken out of its write by the same signal; and no thread begins another write (`sg_restore_begin`).
static void handle(int number) {
    int before = errno;
    bool is_first = !atomic_exchange(&is_ending, true);
    if (is_first) {
        pthread_t writing = atomic_load(&writer);
        atomic_store(&ender, writing ? writing : pthread_self());
    }
    if (pthread_equal(atomic_load(&ender), pthread_self())) {
        mend();
        signal(number, SIG_DFL);
        // Held back while this runs; the process ends when it returns.
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
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    static const size_t count = sizeof numbers / sizeof *numbers;
    is_terminal[STDOUT_FILENO] = isatty(STDOUT_FILENO);
    is_terminal[STDERR_FILENO] = isatty(STDERR_FILENO);
    if (!is_terminal[STDOUT_FILENO] && !is_terminal[STDERR_FILENO]) return;

    sigemptyset(&signals);
    for (size_t i = 0; i < count; i++) sigaddset(&signals, numbers[i]);
    struct sigaction action = {.sa_handler = handle, .sa_mask = signals, .sa_flags = SA_RESTART};
    // A job in the background may be ended too: where `stty tostop` is set, writing would stop it.
    sigaddset(&action.sa_mask, SIGTTOU);
    for (size_t i = 0; i < count; i++) {
        struct sigaction old;
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) sigaction(numbers[i], &action, NULL);
    }
}

static bool is_watched(int descriptor) {
    return descriptor >= 0 && descriptor < DESCRIPTORS && is_terminal[descriptor];
}

/// Replaces what is due, but for sequences.
static void remember(int descriptor, unsigned mendings) {
    unsigned sequences = atomic_load(&due) >> DESCRIPTOR_BITS & SG_RESTORE_SEQUENCES;
    atomic_store(&due, (mendings | sequences) << DESCRIPTOR_BITS | (unsigned)descriptor);
}

void sg_restore_begin(int descriptor, unsigned mendings) {
    if (!is_watched(descriptor)) return;
    // Threads of libdispatch, on which Swift's tasks run, block all signals.
    static _Thread_local bool gets_signals;
    if (!gets_signals) gets_signals = pthread_sigmask(SIG_UNBLOCK, &signals, NULL) == 0;
    remember(descriptor, mendings);
    atomic_store(&writer, pthread_self());
    while (atomic_load(&is_ending)) pause();
}

void sg_restore_end(int descriptor, unsigned mendings) {
    if (!is_watched(descriptor)) return;
    remember(descriptor, mendings);
    atomic_store(&writer, 0);
}
