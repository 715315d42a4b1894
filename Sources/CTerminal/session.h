#ifndef SPYGLASS_SESSION_INTERNAL_H
#define SPYGLASS_SESSION_INTERNAL_H

/// Gives the terminal back, unless that has been done; waits for another thread that is at it. Async-signal-safe.
void sg_session_give_back(void);

/// Sets the handlers that were there before.
void sg_session_unwatch(void);

#endif
