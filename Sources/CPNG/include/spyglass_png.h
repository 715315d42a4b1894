#ifndef SPYGLASS_PNG_H
#define SPYGLASS_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Wraps libpng's row interface. Each call sets its own jmp_buf, so that the library's longjmp never crosses a frame of the
/// caller.
///
/// Order: read_header, start, read_rows. After a call returned false, only getters and sg_png_destroy are allowed.
typedef struct sg_png sg_png;

/// Writes up to `capacity` bytes and returns how many; 0 at the end of the file, negative when reading failed.
typedef ptrdiff_t (*sg_png_reader)(void *context, uint8_t *buffer, size_t capacity);

typedef struct {
  uint32_t max_side;
  size_t max_chunk_bytes;     // of one inflated chunk, png_set_chunk_malloc_max
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
  bool has_code_points;      // cICP, which takes precedence over all others
  uint8_t primaries;         // of the cICP chunk
  uint8_t curve;             // of the cICP chunk
} sg_png_header;

/// Why a call failed.
typedef enum {
  SG_PNG_CORRUPT,   // the library reports it
  SG_PNG_LIMIT,     // a value of sg_png_limits is exceeded
  SG_PNG_CUT,       // the file ends early
  SG_PNG_UNREAD,    // the reader failed
  SG_PNG_TAIL,      // image data continues long after the last row, which is complete
} sg_png_failure;

/// Returns NULL without memory.
sg_png *_Nullable sg_png_create(sg_png_reader reader, void *context, const sg_png_limits *limits);
void sg_png_destroy(sg_png *png);

/// png_read_info
bool sg_png_read_header(sg_png *png, sg_png_header *header);
/// The content of the eXIf chunk before the image data, or NULL.
const uint8_t *_Nullable sg_png_exif(const sg_png *png, size_t *count);

/// The profile of the iCCP chunk (png_get_iCCP), checked by the library, or NULL.
const uint8_t *_Nullable sg_png_profile(const sg_png *png, size_t *count);
/// Why the library rejected an iCCP chunk, or an empty string. Lives as long as the decoder.
const char *sg_png_profile_warning(const sg_png *png);

/// png_read_update_info, with everything expanded to eight bits a channel: 1 to 4 channels, `row_bytes` a full row.
bool sg_png_start(sg_png *png, int *channels, size_t *row_bytes);
/// png_read_row, `count` times, into rows `stride` bytes apart. An interlaced image has seven passes over all its rows, which
/// must hold the result of the pass before: pixels of later passes repeat those of earlier ones until they are read. `done` is
/// the number of rows read, also after a failure.
bool sg_png_read_rows(sg_png *png, uint8_t *rows, size_t stride, uint32_t count, uint32_t *done);

sg_png_failure sg_png_how_failed(const sg_png *png);
long sg_png_warning_count(const sg_png *png);
/// The library's first warning, or an empty string. Lives as long as the decoder.
const char *sg_png_first_warning(const sg_png *png);
/// The library's error message. Lives as long as the decoder.
const char *sg_png_message(const sg_png *png);

/// png_get_libpng_ver: the version of the loaded library. Never freed.
const char *sg_png_library_version(void);

#pragma clang assume_nonnull end

#endif
