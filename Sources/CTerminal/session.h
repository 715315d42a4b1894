#ifndef SPYGLASS_SESSION_INTERNAL_H
#define SPYGLASS_SESSION_INTERNAL_H

#include <signal.h>

/// Restores the terminal once; waits if another thread is doing so. Async-signal-safe.
void sg_session_restore(void);

/// Sets the earlier handlers again.
void sg_session_unwatch(void);

/// Fills a set with all signals except for faults.
void sg_session_fill(sigset_t *set);

/// The handler of `sg_restore_install`.
void sg_restore_handle(int number);

#endif
