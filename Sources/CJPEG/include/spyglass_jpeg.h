#ifndef SPYGLASS_JPEG_H
#define SPYGLASS_JPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// libjpeg-turbo's libjpeg interface behind calls that return: each arms its own jmp_buf, so that the library's error exit
/// never crosses a frame of the caller.
///
/// Bytes are given, never asked for: a call that needs more says so and is made again after sg_jpeg_add_input or
/// sg_jpeg_end_input. The order of calls is read_header, start, then for a file of several scans read_scan until it has
/// ended and start_output, then read_rows until the last row. Between two calls of read_scan there may be a preview:
/// start_output, read_rows and finish_output, once sg_jpeg_covered_scans is above 0.
typedef struct sg_jpeg sg_jpeg;

typedef enum {
  SG_JPEG_DONE,         // what was asked for is there
  SG_JPEG_NEEDS_INPUT,  // more bytes, then the same call again; after sg_jpeg_end_input: there is no more to be had
  SG_JPEG_INPUT_CUT,    // the entropy-coded data stopped before the picture did; nothing real comes after this
  SG_JPEG_FAILED,       // sg_jpeg_message says why; only sg_jpeg_destroy may follow
} sg_jpeg_status;

/// What SG_JPEG_FAILED means.
typedef enum {
  SG_JPEG_CORRUPT,
  SG_JPEG_UNSUPPORTED,  // a valid file, perhaps, of a kind that the library does not read
  SG_JPEG_TOO_LARGE,    // for the library, whatever the caller's limits
  SG_JPEG_NO_MEMORY,
} sg_jpeg_failure;

typedef enum {
  SG_JPEG_COLOR_GRAY,   // one component
  SG_JPEG_COLOR_RGB,    // RGB or YCbCr
  SG_JPEG_COLOR_CMYK,   // CMYK or YCCK
  SG_JPEG_COLOR_OTHER,  // components that nobody has given a meaning
} sg_jpeg_color;

typedef struct {
  uint32_t width;
  uint32_t height;
  int components;
  sg_jpeg_color color;
  bool is_luma_chroma;         // stored as YCbCr or YCCK
  bool has_adobe_marker;       // whose CMYK is stored inverted
  bool is_progressive;
  bool is_arithmetic;          // whose decoder cannot wait for bytes: give them all before sg_jpeg_start
  bool has_several_scans;      // whose coefficients are kept: coefficient_bytes of them
  uint64_t coefficient_bytes;
} sg_jpeg_header;

typedef struct {
  uint32_t width;
  uint32_t height;
  int channels;  // 1, 3 or 4
} sg_jpeg_output;

/// Returns NULL when there is no memory. The `max_warnings`th warning is a failure, and one that repeats itself within a row
/// of MCUs counts once; so are coefficients of clearly more than `max_coefficient_bytes`. A colour profile of more than
/// `max_profile_bytes` is not kept, which is no failure.
sg_jpeg *_Nullable sg_jpeg_create(long max_warnings, size_t max_coefficient_bytes, size_t max_profile_bytes);
void sg_jpeg_destroy(sg_jpeg *jpeg);

/// Where the next bytes go: at least `wanted` bytes of room, or NULL when there is no memory. What the library has not used
/// yet is kept before it.
uint8_t *_Nullable sg_jpeg_input_room(sg_jpeg *jpeg, size_t wanted);
/// `count` bytes were written there.
void sg_jpeg_add_input(sg_jpeg *jpeg, size_t count);
/// There are no more. An end-of-image marker is added, which a file that ends early lacks.
void sg_jpeg_end_input(sg_jpeg *jpeg);

/// jpeg_read_header
sg_jpeg_status sg_jpeg_read_header(sg_jpeg *jpeg, sg_jpeg_header *header);
/// The payload of the first APP1 segment that is EXIF, its name included; NULL when the header had none.
const uint8_t *_Nullable sg_jpeg_exif(const sg_jpeg *jpeg, size_t *count);

typedef enum {
  SG_JPEG_PROFILE_NONE,
  SG_JPEG_PROFILE_THERE,
  SG_JPEG_PROFILE_BROKEN,     // its pieces do not fit together, or one is missing
  SG_JPEG_PROFILE_TOO_LARGE,
} sg_jpeg_profile_state;

/// The header's colour profile, from its APP2 segments, and how many bytes it has if it is there.
sg_jpeg_profile_state sg_jpeg_profile(const sg_jpeg *jpeg, size_t *count);
/// Writes all of a profile that is there.
void sg_jpeg_copy_profile(const sg_jpeg *jpeg, uint8_t *into);

/// jpeg_start_decompress, at `eighths` (8, 4, 2 or 1) of the size.
sg_jpeg_status sg_jpeg_start(sg_jpeg *jpeg, int eighths, bool fancy_upsampling, sg_jpeg_output *output);

/// jpeg_consume_input, at most `max_steps` rows of MCUs or markers. `scan` is the number of the scan under way, from 1;
/// `has_ended` says that the last one is in.
sg_jpeg_status sg_jpeg_read_scan(sg_jpeg *jpeg, int max_steps, int *scan, bool *has_ended);
/// The number of whole scans of a file whose scans are being read, or 0 while a preview cannot be had: before the second scan
/// has begun, and while it would lack a component.
int sg_jpeg_covered_scans(const sg_jpeg *jpeg);
/// jpeg_start_output. `real_rows` is the number of output rows that the first scan reached.
sg_jpeg_status sg_jpeg_start_output(sg_jpeg *jpeg, uint32_t *real_rows);

/// The most rows that a call of sg_jpeg_read_rows gives: as many as a row of MCUs has.
enum { SG_JPEG_MOST_ROWS = 32 };
/// jpeg_read_scanlines, `count` rows at the most, `stride` bytes apart. `done` rows are real, also when the status is not
/// SG_JPEG_DONE; a row that a file of one scan did not reach is never among them.
sg_jpeg_status sg_jpeg_read_rows(sg_jpeg *jpeg, uint8_t *rows, size_t stride, uint32_t count, uint32_t *done);

/// jpeg_finish_output, after a preview, all of whose rows need not have been read. Another scan may be read then, and another
/// output started: it is as if there had been no preview.
sg_jpeg_status sg_jpeg_finish_output(sg_jpeg *jpeg);

/// Whether data is missing: at the end, in a gap before a restart marker or a scan, of a component that had no scan, or of
/// scans that a file without an end-of-image marker lacks.
bool sg_jpeg_has_gaps(const sg_jpeg *jpeg);
sg_jpeg_failure sg_jpeg_how_failed(const sg_jpeg *jpeg);
/// Warnings so far.
long sg_jpeg_warning_count(const sg_jpeg *jpeg);
/// The library's words for its first warning, empty when it had none. Lives as long as the decoder.
const char *sg_jpeg_first_warning(const sg_jpeg *jpeg);
/// The library's words for its failure. Lives as long as the decoder.
const char *sg_jpeg_message(const sg_jpeg *jpeg);

/// LIBJPEG_TURBO_VERSION of the headers this was compiled with; the library itself does not tell. Lives for ever.
const char *sg_jpeg_library_version(void);

#pragma clang assume_nonnull end

#endif
