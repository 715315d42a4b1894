#pragma once

#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

// MARK: Prepared bytes

/// Kinds of state that a signal restores on a terminal: a set, sent in this order.
typedef enum {
    /// Escape sequences were sent, and the last one may be incomplete. On Ctrl-C the terminal driver drops unread output of
    /// any earlier write (termios(3), NOFLSH).
    SG_RESTORE_SEQUENCES = 1,
    /// Images of kitty's were sent in parts, and the last one may be incomplete. The next program's would continue it.
    SG_RESTORE_KITTY = 2,
    SG_RESTORE_KITTY_IN_TMUX = 4,  // such images were sent through tmux
    SG_RESTORE_PROGRESS = 8,       // a line of progress is visible
    SG_RESTORE_LINE = 16,          // a line has no newline yet
    SG_RESTORE_PICTURE = 32,       // the cursor is above a picture's last row
    SG_RESTORE_IMAGES = 64,        // a session has sent images, which are deleted
    SG_RESTORE_SESSION = 128,      // a session has set modes
} sg_restore_kind;

/// Sets the bytes that restore one kind. They must stay valid forever; a later call may only add bytes behind them.
void sg_restore_prepare(sg_restore_kind kind, const void *bytes, size_t count);
/// Begins a write on this thread: if a signal ends the process during it, these kinds are restored. Does not return after
/// a signal.
///
/// One thread writes at a time; of several, only the last counts. Does nothing before `SG_SIGNALS_RESTORE`, or for a
/// descriptor that is not a terminal.
void sg_restore_begin(int descriptor, unsigned kinds);
/// Ends the write; these kinds stay due, and so do sequences and images.
void sg_restore_end(int descriptor, unsigned kinds);

// MARK: Signals

/// The action of the signals that end the process by default, except for faults and SIGKILL. Ignored ones stay ignored.
typedef enum {
    /// They restore the terminal and end the process by their default action. Only if standard output or standard error is
    /// a terminal, and only those with their default action.
    SG_SIGNALS_RESTORE = 1,
    /// The first SIGINT, SIGTERM or SIGHUP is recorded instead, and ends the process after five seconds, in case it is
    /// blocked by a pipe that no program reads. A second SIGINT ends it immediately.
    SG_SIGNALS_RECORD,
    /// The first one restores the session's terminal, is recorded, and ends the process after a second. A second SIGINT or
    /// SIGQUIT ends it immediately. Also handles SIGTSTP, SIGCONT, SIGWINCH and faults. All but SIGINT, SIGTERM, SIGHUP,
    /// SIGQUIT and SIGALRM keep a handler of another part.
    SG_SIGNALS_SESSION,
} sg_signal_policy;

/// Sets handlers. 0 or an `errno`. C: `sigaction`, `eventfd`.
int sg_signals_watch(sg_signal_policy policy);
/// The recorded signal, or 0; never waits.
int sg_signals_recorded(void);
/// Blocks the calling thread until a signal is recorded, and returns it.
int sg_signals_wait(void);
/// Restores the session's terminal and ends the process by a signal's default action.
_Noreturn void sg_signals_terminate(int number);

// MARK: Session

/// Events for a session's thread: a set.
typedef enum {
    SG_SESSION_CALLED = 1,     // a caller needs the thread
    SG_SESSION_RESIZED = 2,    // SIGWINCH
    SG_SESSION_CONTINUED = 4,  // the stopped process continues
    SG_SESSION_ENDED = 8,      // a signal ends the process
    SG_SESSION_STOPPED = 16,   // SIGTSTP: call `sg_session_stop`
} sg_session_event;

/// The replies that the terminal owes: a set.
typedef enum {
    SG_SESSION_UNREAD = 1,              // the terminal has not confirmed that it has read everything
    SG_SESSION_EXPECTS_ATTRIBUTES = 4,  // attributes (DA1, `CSI ? ... c`) are due
    SG_SESSION_HAS_REPLIED = 8,         // it has replied before
    SG_SESSION_STATUS = 256,            // the unit of the number of status reports that are due: the bits from here on
} sg_session_reply_state;

/// Reopens the terminal, and records its settings; in the foreground. After `sg_session_leave` again, then the same terminal.
///
/// 0 or an `errno`: `ENOTTY` if not a terminal, or in the background. C: `open`, `tcgetattr`, `atexit`.
int sg_session_open(const char *path);
/// Unblocks signals on the calling thread, the session's, with a stack for their handlers.
void sg_session_enter_thread(void);

/// Sets raw mode, and lets writes reach the terminal. 0 or an `errno`. Holds standard error, if it is the same terminal,
/// until the terminal is restored.
int sg_session_take(void);
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

/// Restores the terminal and stops the process, on the session's thread, unless SIGCONT has cancelled that. Then posts
/// `SG_SESSION_CONTINUED`.
void sg_session_stop(void);

/// Restores the terminal once, until `sg_session_take`; waits if another thread is doing so. Async-signal-safe.
void sg_session_restore(void);
/// Whether keys end or stop another program, which has the terminal, instead of this one. They stop this one with it.
void sg_signals_lend(bool is_lent);
/// Lets a program begin in a folder; 0 or an `errno`. Swift does not import `posix_spawn_file_actions_addchdir_np`.
int sg_spawn_add_chdir(posix_spawn_file_actions_t *actions, const char *folder);

/// Writes what the terminal takes without blocking: a count, or a negative `errno`. On one thread only.
ssize_t sg_session_write(const void *bytes, size_t count);
/// Sets the reply state, which decides how the terminal is restored.
void sg_session_set_reply_state(unsigned state);

/// Restores the terminal and the earlier handlers, except SIGALRM. C: `tcflush`, `tcsetattr`.
///
/// Takes less than a second. The descriptors stay open, since a handler may be using them.
void sg_session_leave(void);

#pragma clang assume_nonnull end
