#ifndef SPYGLASS_SEND_H
#define SPYGLASS_SEND_H

#include <stdbool.h>
#include <stddef.h>

/// Milliseconds between two attempts while another thread or the terminal is busy.
enum { SG_PAUSE = 10 };

/// Sends bytes to a non-blocking descriptor, with so many retries while it is full. Returns whether it took all bytes.
/// Async-signal-safe.
bool sg_send(int descriptor, const char *bytes, size_t count, int attempts);

#endif
