#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: Decoding

/// Wraps libjpeg-turbo's libjpeg interface. Each call sets its own jmp_buf: the library's longjmp never crosses a frame of the
/// caller. Texts and bytes live as long as the decoder.
///
/// The caller pushes bytes. A call that returns SG_JPEG_NEEDS_INPUT is repeated after sg_jpeg_add_input or sg_jpeg_end_input.
/// Order: read_header, start, for a file of several scans read_scan until it has ended and start_output, then read_rows until
/// the last row. Before its first row an image can be cropped. Between two calls of read_scan a preview is possible once
/// sg_jpeg_covered_scans is above 0: start_output, read_rows, finish_output.
typedef struct sg_jpeg sg_jpeg;

typedef enum {
  SG_JPEG_DONE,         // the call is complete
  SG_JPEG_NEEDS_INPUT,  // repeat with more bytes; after sg_jpeg_end_input: the data has ended
  SG_JPEG_INPUT_CUT,    // the entropy-coded data ended before the image; no real rows follow
  SG_JPEG_FAILED,       // see sg_jpeg_message; only sg_jpeg_destroy may follow
} sg_jpeg_status;

/// Why a call failed.
typedef enum {
  SG_JPEG_CORRUPT,
  SG_JPEG_UNSUPPORTED,  // a kind of JPEG that the library does not read
  SG_JPEG_TOO_LARGE,    // for the library, whatever the caller's limits
  SG_JPEG_NO_MEMORY,
} sg_jpeg_failure;

typedef enum {
  SG_JPEG_COLOR_GRAY,   // one component
  SG_JPEG_COLOR_RGB,    // RGB or YCbCr
  SG_JPEG_COLOR_CMYK,   // CMYK or YCCK
  SG_JPEG_COLOR_OTHER,  // components without a known meaning
} sg_jpeg_color;

typedef struct {
  uint32_t width, height;
  int components;
  sg_jpeg_color color;
  bool is_luma_chroma;         // stored as YCbCr or YCCK
  bool has_adobe_marker;       // its CMYK is inverted
  bool is_progressive;
  bool is_arithmetic;          // its decoder cannot suspend: add all bytes before sg_jpeg_start
  bool has_several_scans;      // needs coefficient_bytes of memory
  uint64_t coefficient_bytes;
} sg_jpeg_header;

typedef struct {
  uint32_t width, height;
  int channels;  // 1, 3 or 4
} sg_jpeg_output;

/// Returns NULL without memory. The `max_warnings`th warning is a failure, unless it is of bytes between markers; repetitions
/// within an MCU row count once. So are coefficients of clearly more than `max_coefficient_bytes`. A colour profile above
/// `max_profile_bytes` is dropped without a failure.
sg_jpeg *_Nullable sg_jpeg_create(long max_warnings, size_t max_coefficient_bytes, size_t max_profile_bytes);
void sg_jpeg_destroy(sg_jpeg *jpeg);

/// Returns the buffer for the next bytes, with room for at least `wanted`, or NULL without memory. Unused input stays before it.
uint8_t *_Nullable sg_jpeg_input_room(sg_jpeg *jpeg, size_t wanted);
/// Adds the `count` bytes written there.
void sg_jpeg_add_input(sg_jpeg *jpeg, size_t count);
/// Ends the input, adding the end-of-image marker that a truncated file lacks.
void sg_jpeg_end_input(sg_jpeg *jpeg);

/// jpeg_read_header
sg_jpeg_status sg_jpeg_read_header(sg_jpeg *jpeg, sg_jpeg_header *header);
/// The payload of the first EXIF segment (APP1), including its name, or NULL.
const uint8_t *_Nullable sg_jpeg_exif(const sg_jpeg *jpeg, size_t *count);

typedef enum {
  SG_JPEG_PROFILE_NONE,
  SG_JPEG_PROFILE_THERE,
  SG_JPEG_PROFILE_BROKEN,     // its segments contradict each other, or one is missing
  SG_JPEG_PROFILE_TOO_LARGE,
} sg_jpeg_profile_state;

/// The state of the header's colour profile (APP2), and its size in bytes.
sg_jpeg_profile_state sg_jpeg_profile(const sg_jpeg *jpeg, size_t *count);
/// Writes the complete profile.
void sg_jpeg_copy_profile(const sg_jpeg *jpeg, uint8_t *into);

/// jpeg_start_decompress, at `eighths` (8, 4, 2 or 1) of the size.
sg_jpeg_status sg_jpeg_start(sg_jpeg *jpeg, int eighths, bool fancy_upsampling, sg_jpeg_output *output);

/// jpeg_consume_input, at most `max_steps` MCU rows or markers. `scan` is the current scan, from 1;
/// `has_ended` is true after the last one.
sg_jpeg_status sg_jpeg_read_scan(sg_jpeg *jpeg, int max_steps, int *scan, bool *has_ended);
/// The number of complete scans read so far, or 0 while a preview is impossible: before the second scan starts, or while a
/// component is missing.
int sg_jpeg_covered_scans(const sg_jpeg *jpeg);
/// jpeg_start_output. `real_rows` is the number of output rows that the first scan reached.
sg_jpeg_status sg_jpeg_start_output(sg_jpeg *jpeg, uint32_t *real_rows);
/// A part of the output: `columns` from `column` on, of the rows from `row` on.
typedef struct {
  uint32_t column, columns, row;
} sg_jpeg_part;

/// jpeg_crop_scanline, before the first row of an output. Widens `part`, which must be within the output, so that its pixels are
/// those of an uncropped image. The next rows are as wide as it is then, and the first of them up to `row` may be skipped.
sg_jpeg_status sg_jpeg_crop(sg_jpeg *jpeg, sg_jpeg_part *part);
/// Max rows of one sg_jpeg_read_rows call: those of an MCU row.
enum { SG_JPEG_MAX_ROWS = 32 };
/// jpeg_read_scanlines, at most `count` rows, `stride` bytes apart. `done` rows are real, whatever the status. Rows that a file
/// of one scan did not reach are not counted.
sg_jpeg_status sg_jpeg_read_rows(sg_jpeg *jpeg, uint8_t *rows, size_t stride, uint32_t count, uint32_t *done);
/// sg_jpeg_read_rows without the inverse DCT: the content of the rows is meaningless.
sg_jpeg_status sg_jpeg_skip_rows(sg_jpeg *jpeg, uint8_t *rows, size_t stride, uint32_t count, uint32_t *done);
/// jpeg_finish_output, after a preview, even one that was not read to its end. Reading scans can then continue.
sg_jpeg_status sg_jpeg_finish_output(sg_jpeg *jpeg);

/// Whether scans are missing: their end, all of a component, or the last ones of a file without an end-of-image marker.
bool sg_jpeg_has_gaps(const sg_jpeg *jpeg);
sg_jpeg_failure sg_jpeg_how_failed(const sg_jpeg *jpeg);
long sg_jpeg_warning_count(const sg_jpeg *jpeg);
/// The library's first warning, or an empty string.
const char *sg_jpeg_first_warning(const sg_jpeg *jpeg);
/// The library's error message.
const char *sg_jpeg_message(const sg_jpeg *jpeg);
/// LIBJPEG_TURBO_VERSION of the headers at build time; the library does not report its own. Never freed.
const char *sg_jpeg_library_version(void);

// MARK: Encoding

/// Wraps libjpeg-turbo's compressor; longjmp and lifetimes are those of a decoder.
///
/// Order: start, write_rows until the last row, finish. After a call returned false, only getters and
/// sg_jpeg_encoder_destroy are allowed. The buffer of the file is at most twice its size.
typedef struct sg_jpeg_encoder sg_jpeg_encoder;

typedef struct {
  uint32_t width, height;
  bool is_gray;             // one byte a pixel; else four: red, green, blue, ignored
  int quality;              // 1 to 100, as jpeg_set_quality takes it
  int horizontal_sampling, vertical_sampling;  // pixels a chroma sample, 1 or 2
  bool is_progressive;      // jpeg_simple_progression
  bool is_optimized;        // optimised Huffman tables; always for a progressive file
} sg_jpeg_encoding;

/// Returns NULL without memory.
sg_jpeg_encoder *_Nullable sg_jpeg_encoder_create(void);
void sg_jpeg_encoder_destroy(sg_jpeg_encoder *encoder);

/// jpeg_start_compress. After the JFIF segment it writes the comment (COM), the EXIF block (APP1, the name is added)
/// and the profile (APP2, jpeg_write_icc_profile), unless their count is 0. A segment holds at most 65,533 bytes, 6 less of EXIF.
bool sg_jpeg_encoder_start(sg_jpeg_encoder *encoder, const sg_jpeg_encoding *encoding, const uint8_t *_Nullable comment,
                           size_t comment_count, const uint8_t *_Nullable profile, size_t profile_count,
                           const uint8_t *_Nullable exif, size_t exif_count);
/// jpeg_write_scanlines, of rows `stride` bytes apart.
bool sg_jpeg_encoder_write_rows(sg_jpeg_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t count);
/// jpeg_finish_compress, and all bytes of the file.
bool sg_jpeg_encoder_finish(sg_jpeg_encoder *encoder, const uint8_t *_Nullable *_Nonnull bytes, size_t *count);
bool sg_jpeg_encoder_lacks_memory(const sg_jpeg_encoder *encoder);
const char *sg_jpeg_encoder_message(const sg_jpeg_encoder *encoder);

#pragma clang assume_nonnull end
