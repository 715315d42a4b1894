#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: Counters

/// Descriptors of processor counters: user space, the thread that opened them, and the threads that it starts afterwards.
typedef struct {
  int instructions, cycles;
} sg_bench_counters;

/// The count since opening, and the nanoseconds for which the counter was enabled and running. Counters take turns when there are
/// more than the processor has.
typedef struct {
  uint64_t value, enabled, running;
} sg_bench_count;

typedef struct {
  sg_bench_count instructions, cycles;
} sg_bench_counts;

/// Opens counters (perf_event_open); 0 or an errno.
int sg_bench_counters_open(sg_bench_counters *counters);
/// Reads the counts since opening; false when they cannot be read.
bool sg_bench_counters_read(const sg_bench_counters *counters, sg_bench_counts *counts);
void sg_bench_counters_close(sg_bench_counters *counters);

// MARK: The C libraries, called directly

/// An RGBA image, 8 bits a channel, without padding; free with sg_bench_free.
typedef struct {
  uint32_t width, height;
  uint8_t *_Nullable pixels;
} sg_bench_image;

/// Decodes a whole JPEG into one buffer at `eighths` (8, 4, 2 or 1) of its size, as the library's own example does; false for
/// invalid and for CMYK files.
bool sg_bench_decode_jpeg(const uint8_t *bytes, size_t count, int eighths, sg_bench_image *image);
/// Whether a JPEG's header is valid and its colour space is CMYK or YCCK, which the library does not convert.
bool sg_bench_jpeg_is_cmyk(const uint8_t *bytes, size_t count);
/// Decodes a whole PNG into one buffer, 8 bits a channel; false for invalid files.
bool sg_bench_decode_png(const uint8_t *bytes, size_t count, sg_bench_image *image);
/// Draws the first `frames` images of a GIF on its canvas with giflib; false for invalid files, also where images reach beyond the
/// canvas, and without the library.
bool sg_bench_decode_gif(const uint8_t *bytes, size_t count, int frames, sg_bench_image *image);
/// Decodes a whole file with the format's library; false for invalid files and without the library.
bool sg_bench_decode_webp(const uint8_t *bytes, size_t count, sg_bench_image *image);
bool sg_bench_decode_tiff(const uint8_t *bytes, size_t count, sg_bench_image *image);
bool sg_bench_decode_heic(const uint8_t *bytes, size_t count, sg_bench_image *image);
bool sg_bench_decode_avif(const uint8_t *bytes, size_t count, sg_bench_image *image);
void sg_bench_free(sg_bench_image *image);

/// An encoded file; free with sg_bench_free_file.
typedef struct {
  uint8_t *_Nullable bytes;
  size_t count;
} sg_bench_file;

/// Encodes an RGB PNG of `depth` (8 or 16, big-endian) bits a channel, from rows without padding.
bool sg_bench_encode_png(const uint8_t *rows, uint32_t width, uint32_t height, int depth, bool is_interlaced,
                         sg_bench_file *file);
void sg_bench_free_file(sg_bench_file *file);

/// Does nothing. The compiler cannot see that, so that it must compute the value.
void sg_bench_black_hole(const void *value);

#pragma clang assume_nonnull end
