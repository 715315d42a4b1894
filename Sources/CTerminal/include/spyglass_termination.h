#ifndef SPYGLASS_TERMINATION_H
#define SPYGLASS_TERMINATION_H

#include <signal.h>

#pragma clang assume_nonnull begin

/// Records the first SIGINT, SIGTERM or SIGHUP instead of ending the process. A second SIGINT has its earlier action. An
/// ignored signal stays ignored.
///
/// Once a process. 0 or an `errno`. C: `eventfd`, `sigaction`.
int sg_termination_watch(void);

/// Blocks the calling thread until such a signal arrives, and returns it.
int sg_termination_wait(void);

/// The recorded signal, or 0; never waits.
int sg_termination_received(void);

/// Fills a set with the signals whose default action ends the process, except for faults and SIGKILL.
void sg_ending_signals(sigset_t *set);

/// Ends the process by a signal's default action.
_Noreturn void sg_terminate_by_signal(int number);

#pragma clang assume_nonnull end

#endif
