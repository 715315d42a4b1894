#include "spyglass_termination.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
enum { COUNT = sizeof numbers / sizeof *numbers };

static atomic_int first;
static int descriptor = -1;
/// The earlier action of SIGINT.
static struct sigaction interrupt;

/// Calls only functions of signal-safety(7).
static void handle(int number) {
    int error = errno;
    int none = 0;
    if (atomic_compare_exchange_strong(&first, &none, number)) {
        uint64_t one = 1;
        // The counter cannot overflow, so one write suffices.
        if (write(descriptor, &one, sizeof one) < 0) {}
    } else if (number == SIGINT) {
        // A second Ctrl-C. A closing terminal and a service manager send two signals together, so others do not count.
        sigaction(SIGINT, &interrupt, NULL);
        // Delivered when this handler returns.
        raise(SIGINT);
    }
    errno = error;
}

int sg_termination_watch(void) {
    descriptor = eventfd(0, EFD_CLOEXEC);
    if (descriptor < 0) return errno;
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < COUNT; i++) sigaddset(&action.sa_mask, numbers[i]);
    for (int i = 0; i < COUNT; i++) {
        struct sigaction old;
        if (sigaction(numbers[i], NULL, &old) != 0 || old.sa_handler == SIG_IGN) continue;
        if (numbers[i] == SIGINT) interrupt = old;
        sigaction(numbers[i], &action, NULL);
    }
    return 0;
}

int sg_termination_wait(void) {
    uint64_t count;
    while (read(descriptor, &count, sizeof count) < 0 && errno == EINTR) {}
    return atomic_load(&first);
}

void sg_ending_signals(sigset_t *set) {
    // Ignored, stopping or continuing by default, not catchable, or a fault (signal(7)).
    static const int others[] = {SIGCHLD, SIGURG, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGKILL, SIGSTOP,
        SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGSYS};
    sigfillset(set);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) sigdelset(set, others[i]);
}

int sg_termination_received(void) { return atomic_load(&first); }

void sg_terminate_by_signal(int number) {
    signal(number, SIG_DFL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    raise(number);
    _exit(128 + (number & 0x7F));  // if the default action does not end the process: the exit code of a shell
}
