#pragma once

#include "spyglass_terminal.h"

#include <signal.h>

/// Milliseconds between two attempts while another thread or the terminal is busy.
enum { SG_PAUSE = 10 };

/// Sends bytes to a non-blocking descriptor, with so many retries while it is full. Returns whether it took all bytes.
/// Async-signal-safe.
bool sg_send(int descriptor, const char *bytes, size_t count, int attempts);
/// Sends the bytes of a set of kinds.
bool sg_restore_send(int descriptor, unsigned kinds, int attempts);
/// Blocks all signals except for faults on this thread.
void sg_signals_block(sigset_t *before);
/// Ends `SG_SIGNALS_SESSION`: the earlier handlers and policy apply again.
void sg_signals_unwatch_session(void);
