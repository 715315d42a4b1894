#ifndef SPYGLASS_TERMINATION_H
#define SPYGLASS_TERMINATION_H

#pragma clang assume_nonnull begin

/// From now on the first SIGINT, SIGTERM or SIGHUP does not end the process but is noted, so that work can be put in order first. A
/// second SIGINT does what it would have done before. A signal that is ignored stays so.
///
/// Once a process. 0 or an `errno`. C: `eventfd`, `sigaction`.
int sg_termination_watch(void);

/// Waits, on a thread that has nothing else to do, until such a signal has come, and says which.
int sg_termination_wait(void);

/// The signal that has come, or 0; never waits.
int sg_termination_received(void);

/// Ends the process by a signal's default action.
_Noreturn void sg_terminate_by_signal(int number);

#pragma clang assume_nonnull end

#endif
