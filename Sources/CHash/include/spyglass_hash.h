#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Adds whole blocks of 64 bytes to the state of a SHA-256 (FIPS 180-4 section 6.2.2), with the processor's own instructions if
/// it has them: they are five times as fast.
void sg_sha256_blocks(uint32_t state[_Nonnull 8], const uint8_t *bytes, size_t block_count);

#pragma clang assume_nonnull end
