#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: Decoding

/// Wraps libpng's row interface. Each call sets its own jmp_buf: the library's longjmp never crosses a frame of the caller.
///
/// Order: read_header, start, read_rows. After a call returned false, only getters and sg_png_destroy are allowed. Texts and
/// bytes live as long as the decoder.
typedef struct sg_png sg_png;

/// Writes up to `capacity` bytes and returns how many; 0 at the end of the file, negative when reading failed.
typedef ptrdiff_t (*sg_png_reader)(void *context, uint8_t *buffer, size_t capacity);

typedef struct {
  uint32_t max_side;
  size_t max_chunk_bytes;     // of one inflated chunk, png_set_chunk_malloc_max
  long max_warnings;
} sg_png_limits;

typedef struct {
  uint32_t width, height;
  int bit_depth;
  int color_type;            // as in the IHDR chunk
  bool has_transparency;     // tRNS
  bool is_interlaced;
  bool has_color_space;      // sRGB or iCCP, which take precedence over gAMA
  double gamma;              // of the gAMA chunk; 0 without one
  bool has_code_points;      // cICP, which takes precedence over all others
  uint8_t primaries, curve;  // of the cICP chunk
} sg_png_header;

/// Why a call failed.
typedef enum {
  SG_PNG_CORRUPT,   // the library reports it
  SG_PNG_LIMIT,     // a value of sg_png_limits is exceeded
  SG_PNG_CUT,       // the file or its image data ends early
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
/// Why the library rejected an iCCP chunk, or an empty string.
const char *sg_png_profile_warning(const sg_png *png);

/// png_read_update_info, with everything expanded to eight bits a channel: 1 to 4 channels. `is_deep` keeps 16 bits, in the
/// machine's byte order.
bool sg_png_start(sg_png *png, bool is_deep, int *channels);
/// png_read_row, `count` times, into rows `stride` bytes apart. An interlaced image has seven passes over all its rows, which
/// must hold the result of the pass before: pixels of later passes repeat those of earlier ones until they are read. `done` is
/// the number of rows read, also after a failure.
bool sg_png_read_rows(sg_png *png, uint8_t *rows, size_t stride, uint32_t count, uint32_t *done);

sg_png_failure sg_png_how_failed(const sg_png *png);
long sg_png_warning_count(const sg_png *png);
/// The library's first warning, or an empty string.
const char *sg_png_first_warning(const sg_png *png);
/// The library's error message.
const char *sg_png_message(const sg_png *png);
/// png_get_libpng_ver: the version of the loaded library. Never freed.
const char *sg_png_library_version(void);

// MARK: Encoding

/// Wraps libpng's writing of rows; longjmp, failures and lifetimes are those of a decoder.
///
/// Order: start, write_rows until the last row, finish. The buffer of the file is at most twice its size.
typedef struct sg_png_encoder sg_png_encoder;

/// The values are those of the IHDR chunk (PNG specification, 11.2.2).
typedef enum {
  SG_PNG_GRAY = 0,        // a byte a pixel, a value of bit_depth bits
  SG_PNG_RGB = 2,         // four bytes: red, green, blue, ignored
  SG_PNG_PALETTE = 3,     // a byte, an index of bit_depth bits
  SG_PNG_GRAY_ALPHA = 4,  // two bytes
  SG_PNG_RGBA = 6,        // four bytes
} sg_png_color;

typedef struct {
  uint32_t width, height;
  sg_png_color color;
  int bit_depth;               // 1, 2, 4 or 8; 8 unless grey or palette
  int color_count, transparent_count;  // of the palette; the first ones are not opaque (tRNS)
  int level;                   // of zlib, 0 to 9
  bool is_filtered;            // choose a filter for each row, or use none
  bool has_only_runs;          // look for repeated bytes, not for repeated strings: Z_RLE
} sg_png_encoding;

/// Returns NULL without memory.
sg_png_encoder *_Nullable sg_png_encoder_create(void);
void sg_png_encoder_destroy(sg_png_encoder *encoder);

/// png_write_info. `palette` is red, green, blue, alpha of every colour. The comment (tEXt) follows the header, then the
/// profile (iCCP); the EXIF block (eXIf) precedes the image data, unless their count is 0.
bool sg_png_encoder_start(sg_png_encoder *encoder, const sg_png_encoding *encoding, const uint8_t *_Nullable palette,
                          const uint8_t *_Nullable comment, size_t comment_count, const uint8_t *_Nullable profile,
                          size_t profile_count, const uint8_t *_Nullable exif, size_t exif_count);
/// png_write_row, of rows `stride` bytes apart.
bool sg_png_encoder_write_rows(sg_png_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t count);
/// png_write_end, and all bytes of the file.
bool sg_png_encoder_finish(sg_png_encoder *encoder, const uint8_t *_Nullable *_Nonnull bytes, size_t *count);
/// Whether a call failed for lack of memory for the file.
bool sg_png_encoder_lacks_memory(const sg_png_encoder *encoder);
const char *sg_png_encoder_message(const sg_png_encoder *encoder);

#pragma clang assume_nonnull end
