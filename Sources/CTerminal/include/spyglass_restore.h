#ifndef SPYGLASS_RESTORE_H
#define SPYGLASS_RESTORE_H

#include <stddef.h>

#pragma clang assume_nonnull begin

/// What may be wrong with a terminal when a signal ends the process: a set, mended in this order.
typedef enum {
    /// Escape sequences were sent, and the last one may have been cut, also by the terminal driver: on Ctrl-C it throws
    /// away what nobody has read yet, of any write before (termios(3), NOFLSH).
    SG_RESTORE_SEQUENCES = 1,
    /// A line of progress is shown.
    SG_RESTORE_PROGRESS = 2,
    /// A line has been begun and not been ended.
    SG_RESTORE_LINE = 4,
} sg_restore_kind;

/// Says what is sent for one kind of mending. The bytes must stay where they are for ever. Only before
/// `sg_restore_install`.
void sg_restore_prepare(sg_restore_kind kind, const void *bytes, size_t count);

/// From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT mend the terminal and then end the process by their default action,
/// if standard output or standard error is a terminal. A signal with another action than the default one keeps it.
void sg_restore_install(void);

/// A write begins on this thread; if the process ends in the middle of it, these mendings are due. Does not return once a
/// signal has come.
///
/// One thread writes at a time; of several, only the last is remembered. Does nothing for what is no terminal.
void sg_restore_begin(int descriptor, unsigned mendings);

/// The write has ended, and these mendings stay due; so do sequences, for ever.
void sg_restore_end(int descriptor, unsigned mendings);

#pragma clang assume_nonnull end

#endif
