#ifndef SPYGLASS_PNG_ENCODER_H
#define SPYGLASS_PNG_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Wraps libpng's writing of rows. Each call sets its own jmp_buf, so that the library's longjmp never crosses a frame of the
/// caller.
///
/// Order: start, write_rows until the last row, finish. After a call returned false, only getters and sg_png_encoder_destroy
/// are allowed. The buffer of the file is at most twice its size.
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
  uint32_t width;
  uint32_t height;
  sg_png_color color;
  int bit_depth;               // 1, 2, 4 or 8; 8 unless grey or palette
  int color_count;             // of the palette
  int transparent_count;       // the first ones, not opaque: the tRNS chunk
  int level;                   // of zlib, 0 to 9
  bool is_filtered;            // choose a filter for each row, or use none
  bool has_only_runs;          // look for repeated bytes, not for repeated strings: Z_RLE
} sg_png_encoding;

/// Returns NULL without memory.
sg_png_encoder *_Nullable sg_png_encoder_create(void);
void sg_png_encoder_destroy(sg_png_encoder *encoder);

/// png_write_info. `palette` is red, green, blue, alpha of every colour. The comment (tEXt) follows the header, the EXIF
/// block (eXIf) precedes the image data, unless their count is 0.
bool sg_png_encoder_start(sg_png_encoder *encoder, const sg_png_encoding *encoding, const uint8_t *_Nullable palette,
                          const uint8_t *_Nullable comment, size_t comment_count, const uint8_t *_Nullable exif,
                          size_t exif_count);
/// png_write_row, of rows `stride` bytes apart.
bool sg_png_encoder_write_rows(sg_png_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t count);
/// png_write_end. The file's bytes live as long as the encoder.
bool sg_png_encoder_finish(sg_png_encoder *encoder, const uint8_t *_Nullable *_Nonnull bytes, size_t *count);

/// Whether a call failed for lack of memory for the file.
bool sg_png_encoder_lacks_memory(const sg_png_encoder *encoder);
/// The library's error message. Lives as long as the encoder.
const char *sg_png_encoder_message(const sg_png_encoder *encoder);

#pragma clang assume_nonnull end

#endif
