#ifndef SPYGLASS_SESSION_INTERNAL_H
#define SPYGLASS_SESSION_INTERNAL_H

/// Restores the terminal once; waits if another thread is doing so. Async-signal-safe.
void sg_session_restore(void);

/// Sets the earlier handlers again.
void sg_session_unwatch(void);

#endif
