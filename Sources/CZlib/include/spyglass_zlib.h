#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Decompresses gzip data of one or more members (RFC 1952) with zlib.
typedef struct sg_inflater sg_inflater;

/// `NULL` without memory.
sg_inflater *_Nullable sg_inflater_create(void);
void sg_inflater_destroy(sg_inflater *inflater);

/// Decompresses input to `output` and sets `consumed`; returns the bytes written, or -1 for damaged data.
///
/// Only zeros may follow the last member. Writes nothing only if all input is consumed.
ptrdiff_t sg_inflate(
    sg_inflater *inflater, const uint8_t *input, size_t size, size_t *consumed, uint8_t *output, size_t capacity);
/// Whether the input so far ends with a complete member.
bool sg_inflater_is_complete(const sg_inflater *inflater);

#pragma clang assume_nonnull end
