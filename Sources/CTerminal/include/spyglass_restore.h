#ifndef SPYGLASS_RESTORE_H
#define SPYGLASS_RESTORE_H

#include <stddef.h>

#pragma clang assume_nonnull begin

/// What to restore on a terminal when a signal ends the process: a set, in this order.
typedef enum {
    /// Escape sequences were sent, and the last one may be incomplete. On Ctrl-C the terminal driver drops unread output of
    /// any earlier write (termios(3), NOFLSH).
    SG_RESTORE_SEQUENCES = 1,
    /// Images of kitty's were sent in parts, and the last one may be incomplete. The next program's would continue it.
    SG_RESTORE_KITTY = 2,
    /// The same through tmux.
    SG_RESTORE_KITTY_IN_TMUX = 4,
    /// A line of progress is visible.
    SG_RESTORE_PROGRESS = 8,
    /// A line has no newline yet.
    SG_RESTORE_LINE = 16,
    /// The cursor is above a picture's last row.
    SG_RESTORE_PICTURE = 32,
} sg_restore_kind;

/// Sets the bytes that restore one kind, before `sg_restore_install`. They must stay valid forever.
void sg_restore_prepare(sg_restore_kind kind, const void *bytes, size_t count);

/// Makes the signals of `sg_ending_signals` restore the terminal before they end the process by their default action.
///
/// Only if standard output or standard error is a terminal. A signal with another action than the default one keeps it.
void sg_restore_install(void);

/// Begins a write on this thread: if a signal ends the process during it, these kinds are restored. Does not return after
/// a signal.
///
/// One thread writes at a time; of several, only the last counts. Does nothing for a descriptor that is not a terminal.
void sg_restore_begin(int descriptor, unsigned kinds);

/// Ends the write; these kinds stay due, and so do sequences and images.
void sg_restore_end(int descriptor, unsigned kinds);

#pragma clang assume_nonnull end

#endif
