#ifndef SPYGLASS_SEND_H
#define SPYGLASS_SEND_H

#include <stdbool.h>
#include <stddef.h>

/// Milliseconds between two looks at something that another thread or the terminal has to do first.
enum { SG_PAUSE = 10 };

/// Sends bytes to a descriptor that does not block, trying again so many times while it takes none; whether it took all
/// of them. Async-signal-safe.
bool sg_send(int descriptor, const char *bytes, size_t count, int attempts);

#endif
