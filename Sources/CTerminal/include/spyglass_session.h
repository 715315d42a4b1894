#ifndef SPYGLASS_SESSION_H
#define SPYGLASS_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

/// What has happened to a session that its thread is to look at: a set.
typedef enum {
    /// Somebody asks for the thread.
    SG_SESSION_CALLED = 1,
    /// SIGWINCH has come.
    SG_SESSION_RESIZED = 2,
    /// The process was stopped and goes on.
    SG_SESSION_CONTINUED = 4,
    /// A signal asks the process to end.
    SG_SESSION_ENDED = 8,
} sg_session_event;

/// What is known of the way to the terminal: a set.
typedef enum {
    /// The terminal has not said that it has read everything.
    SG_SESSION_UNREAD = 1,
    /// A status report (`CSI 0 n`) is to come.
    SG_SESSION_OWES_STATUS = 2,
    /// Attributes (DA1, `CSI ? ... c`) are to come.
    SG_SESSION_OWES_ATTRIBUTES = 4,
    /// It has answered before.
    SG_SESSION_ANSWERS = 8,
} sg_session_note;

/// Opens the terminal anew, of which the process is to be in the foreground, and notes its settings. Once a process.
///
/// `leaving` is sent when the terminal is given back, and must stay where it is for ever. 0 or an `errno`: `ENOTTY` for
/// what is no terminal, and for a process in the background. C: `open`, `tcgetattr`, `eventfd`, `atexit`.
int sg_session_open(const char *path, const void *leaving, size_t count);

/// Sets the handlers: for what ends the process (SIGINT, SIGTERM, SIGHUP, SIGQUIT), what stops it (SIGTSTP), SIGCONT,
/// SIGWINCH, and faults. A signal that is ignored stays so, but for faults.
void sg_session_watch(void);

/// Makes the calling thread, of which there is one, reachable for signals, with a stack for their handlers.
void sg_session_enter_thread(void);

/// Raw mode, and writes reach the terminal from now on. 0 or an `errno`. Holds back what is written to standard error, where that is
/// the same terminal, until the terminal is given back.
int sg_session_take(void);

/// Whether the terminal is ours at this moment.
bool sg_session_is_taken(void);

/// Whether the process is in the foreground of the terminal (`tcgetpgrp`).
bool sg_session_is_foreground(void);

/// The terminal, or `/dev/null` while it is not ours; what it answers to `read` and `poll`. It never blocks.
int sg_session_descriptor(void);

/// The terminal, also while it is not ours, to ask its size.
int sg_session_terminal(void);

/// Becomes readable when something has happened.
int sg_session_wake_descriptor(void);

/// Makes something happen; from any thread.
void sg_session_post(sg_session_event event);

/// What has happened since the last call.
unsigned sg_session_events(void);

/// The signal that asks the process to end, or 0.
int sg_session_ending(void);

/// Writes what the terminal takes at once: a count, or a negative `errno`. On one thread only.
ssize_t sg_session_write(const void *bytes, size_t count);

/// Notes what is known of the way to the terminal, for when it has to be given back.
void sg_session_note_way(unsigned notes);

/// Gives the terminal back, and sets the handlers that were there before, but for SIGALRM. C: `tcflush`, `tcsetattr`.
///
/// Takes less than a second. The descriptors stay open: a handler may be on its way with them.
void sg_session_leave(void);

/// Ends the process by a signal's default action.
_Noreturn void sg_session_terminate(int number);

#pragma clang assume_nonnull end

#endif
