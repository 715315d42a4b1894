#ifndef SPYGLASS_BENCH_H
#define SPYGLASS_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: Counters

/// Descriptors of what the processor counts for the thread that opened them and for the threads that it starts from then on, in
/// user space alone.
typedef struct {
  int instructions;
  int cycles;
} sg_bench_counters;

/// What one of them counted since it was opened, and for how many nanoseconds it was wanted and did count: the processor has fewer
/// places than there may be counters, which then take turns.
typedef struct {
  uint64_t value;
  uint64_t enabled;
  uint64_t running;
} sg_bench_count;

typedef struct {
  sg_bench_count instructions;
  sg_bench_count cycles;
} sg_bench_counts;

/// perf_event_open; 0, or the error's number when the system or the processor does not count.
int sg_bench_counters_open(sg_bench_counters *counters);
/// What was counted since they were opened; false when it cannot be read.
bool sg_bench_counters_read(const sg_bench_counters *counters, sg_bench_counts *counts);
void sg_bench_counters_close(sg_bench_counters *counters);

// MARK: The file system

/// Whether a folder's files are in memory and nowhere else (statfs: tmpfs, ramfs); false where that cannot be told.
bool sg_bench_is_in_memory(const char *folder);

// MARK: The C libraries, called plainly

/// A picture of four bytes a pixel, without padding: red, green, blue, alpha; to be freed with sg_bench_free.
typedef struct {
  uint32_t width;
  uint32_t height;
  uint8_t *_Nullable pixels;
} sg_bench_image;

/// Reads a whole JPEG into one buffer at `eighths` (8, 4, 2 or 1) of its size, as the library's own example does; false when it
/// is not one, or of inks.
bool sg_bench_decode_jpeg(const uint8_t *bytes, size_t count, int eighths, sg_bench_image *picture);
/// Whether a JPEG's header is there and says that its colours are inks (CMYK, YCCK), which the library does not convert.
bool sg_bench_jpeg_is_cmyk(const uint8_t *bytes, size_t count);
/// Reads a whole PNG into one buffer, eight bits a channel; false when it is not one.
bool sg_bench_decode_png(const uint8_t *bytes, size_t count, sg_bench_image *picture);
void sg_bench_free(sg_bench_image *picture);

/// A file; to be freed with sg_bench_free_file.
typedef struct {
  uint8_t *_Nullable bytes;
  size_t count;
} sg_bench_file;

/// Writes a PNG of `width` by `height` pixels: red, green, blue, of `depth` (8 or 16, the high byte first) bits each, without
/// padding.
bool sg_bench_encode_png(const uint8_t *rows, uint32_t width, uint32_t height, int depth, bool is_interlaced,
                         sg_bench_file *file);
void sg_bench_free_file(sg_bench_file *file);

// MARK: What the optimiser must not leave out

/// Does nothing, which the compiler does not know: what is given to it must be computed.
void sg_bench_black_hole(const void *value);

#pragma clang assume_nonnull end

#endif
