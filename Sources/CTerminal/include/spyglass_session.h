#ifndef SPYGLASS_SESSION_H
#define SPYGLASS_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

/// Events for a session's thread: a set.
typedef enum {
    /// A caller needs the thread.
    SG_SESSION_CALLED = 1,
    /// SIGWINCH.
    SG_SESSION_RESIZED = 2,
    /// The stopped process continues.
    SG_SESSION_CONTINUED = 4,
    /// A signal ends the process.
    SG_SESSION_ENDED = 8,
} sg_session_event;

/// What the terminal has read and will reply to: a set.
typedef enum {
    /// The terminal has not confirmed that it has read everything.
    SG_SESSION_UNREAD = 1,
    /// Attributes (DA1, `CSI ? ... c`) are due.
    SG_SESSION_EXPECTS_ATTRIBUTES = 4,
    /// It has replied before.
    SG_SESSION_HAS_REPLIED = 8,
    /// The unit of the number of status reports that are due: the bits from here on.
    SG_SESSION_STATUS = 256,
} sg_session_reply_state;

/// Reopens the terminal, and records its settings; in the foreground. After `sg_session_leave` again, then the same terminal.
///
/// `restore` is sent when the terminal is restored, and must stay valid forever. 0 or an `errno`: `ENOTTY` if not a
/// terminal, or in the background. C: `open`, `tcgetattr`, `eventfd`, `atexit`.
int sg_session_open(const char *path, const void *restore, size_t count);

/// Sets what is sent before `restore`, which deletes images: always the same memory, which must stay valid forever, and
/// more of it with every image.
void sg_session_set_deletions(const void *bytes, size_t count);

/// Sets handlers for `sg_ending_signals`, SIGTSTP, SIGCONT, SIGWINCH and faults. Ignored signals stay ignored, except for
/// faults. Of the endings, all but SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGALRM keep a handler of another part.
void sg_session_watch(void);

/// Unblocks signals on the calling thread, the session's, with a stack for their handlers.
void sg_session_enter_thread(void);

/// Sets raw mode, and lets writes reach the terminal. 0 or an `errno`. Holds standard error, if it is the same terminal,
/// until the terminal is restored.
int sg_session_take(void);

/// Whether the session has the terminal.
bool sg_session_is_taken(void);

/// Whether the process is in the foreground of the terminal (`tcgetpgrp`).
bool sg_session_is_foreground(void);

/// The terminal for `read` and `poll`, or `/dev/null` while it is restored. Non-blocking.
int sg_session_descriptor(void);

/// The terminal, also while it is restored, for its size.
int sg_session_terminal(void);

/// Readable after an event.
int sg_session_wake_descriptor(void);

/// Posts an event, from any thread.
void sg_session_post(sg_session_event event);

/// The events since the last call.
unsigned sg_session_events(void);

/// The signal that ends the process, or 0.
int sg_session_ending(void);

/// Writes what the terminal takes without blocking: a count, or a negative `errno`. On one thread only.
ssize_t sg_session_write(const void *bytes, size_t count);

/// Sets the reply state, which decides how the terminal is restored.
void sg_session_set_reply_state(unsigned state);

/// Restores the terminal and the earlier handlers, except SIGALRM. C: `tcflush`, `tcsetattr`.
///
/// Takes less than a second. The descriptors stay open, since a handler may be using them.
void sg_session_leave(void);

/// Ends the process by a signal's default action.
_Noreturn void sg_session_terminate(int number);

#pragma clang assume_nonnull end

#endif
