#ifndef SPYGLASS_PNG_H
#define SPYGLASS_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// libpng's row interface behind calls that return: each arms its own jmp_buf, so that the library's error exit never
/// crosses a frame of the caller.
///
/// The order of calls is read_header, start, read_rows. A call that returned false is followed only by questions and
/// sg_png_destroy.
typedef struct sg_png sg_png;

/// Writes up to `capacity` bytes and returns how many; 0 at the end of the file, negative when reading failed.
typedef ptrdiff_t (*sg_png_reader)(void *context, uint8_t *buffer, size_t capacity);

typedef struct {
  uint32_t max_side;
  size_t max_chunk_bytes;     // of one chunk, unpacked, png_set_chunk_malloc_max
  long max_warnings;
} sg_png_limits;

typedef struct {
  uint32_t width;
  uint32_t height;
  int bit_depth;
  int color_type;            // as in the IHDR chunk
  bool has_transparency;     // tRNS
  bool is_interlaced;
  bool has_color_space;      // sRGB or iCCP, which take precedence over gAMA
  double gamma;              // of the gAMA chunk; 0 without one
} sg_png_header;

/// How reading failed.
typedef enum {
  SG_PNG_CORRUPT,   // the library says so
  SG_PNG_LIMIT,     // sg_png_limits do
  SG_PNG_CUT,       // the file ends early
  SG_PNG_UNREAD,    // the reader failed
  SG_PNG_TAIL,      // image data goes on long after the last row, which is there
} sg_png_failure;

/// Returns NULL when there is no memory.
sg_png *_Nullable sg_png_create(sg_png_reader reader, void *context, const sg_png_limits *limits);
void sg_png_destroy(sg_png *png);

/// png_read_info
bool sg_png_read_header(sg_png *png, sg_png_header *header);
/// The content of the eXIf chunk; NULL when none stood before the picture.
const uint8_t *_Nullable sg_png_exif(const sg_png *png, size_t *count);

/// The profile of the iCCP chunk (png_get_iCCP), which the library has held against its own rules; NULL without a good one.
const uint8_t *_Nullable sg_png_profile(const sg_png *png, size_t *count);
/// The library's words for the reason why it has not taken an iCCP chunk, empty when there was none. Lives as long as the
/// decoder.
const char *sg_png_profile_warning(const sg_png *png);

/// png_read_update_info, with everything expanded to eight bits a channel: 1 to 4 channels, `row_bytes` a full row.
bool sg_png_start(sg_png *png, int *channels, size_t *row_bytes);
/// png_read_row, `count` times, into rows that are `stride` bytes apart; of an interlaced picture the rows of its passes,
/// for which a full row of room is needed too. `done` rows were read, also when the call failed.
bool sg_png_read_rows(sg_png *png, uint8_t *rows, size_t stride, uint32_t count, uint32_t *done);

sg_png_failure sg_png_how_failed(const sg_png *png);
long sg_png_warning_count(const sg_png *png);
/// The library's words for its first warning, empty when it had none. Lives as long as the decoder.
const char *sg_png_first_warning(const sg_png *png);
/// The library's words for its failure. Lives as long as the decoder.
const char *sg_png_message(const sg_png *png);

/// png_get_libpng_ver: the version of the library that runs. Lives for ever.
const char *sg_png_library_version(void);

#pragma clang assume_nonnull end

#endif
