#ifndef SPYGLASS_JPEG_ENCODER_H
#define SPYGLASS_JPEG_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Wraps libjpeg-turbo's compressor. Each call sets its own jmp_buf, so that the library's longjmp never crosses a frame of
/// the caller.
///
/// Order: start, write_rows until the last row, finish. After a call returned false, only getters and
/// sg_jpeg_encoder_destroy are allowed. The buffer of the file is at most twice its size.
typedef struct sg_jpeg_encoder sg_jpeg_encoder;

typedef struct {
  uint32_t width;
  uint32_t height;
  bool is_gray;             // one byte a pixel; else four: red, green, blue, ignored
  int quality;              // 1 to 100, as jpeg_set_quality takes it
  int horizontal_sampling;  // pixels a chroma sample, 1 or 2
  int vertical_sampling;
  bool is_progressive;      // jpeg_simple_progression
  bool is_optimized;        // optimised Huffman tables; always for a progressive file
} sg_jpeg_encoding;

/// Returns NULL without memory.
sg_jpeg_encoder *_Nullable sg_jpeg_encoder_create(void);
void sg_jpeg_encoder_destroy(sg_jpeg_encoder *encoder);

/// jpeg_start_compress. After the JFIF segment it writes the comment (COM) and the EXIF block (APP1, the name is added),
/// unless their count is 0. A segment holds at most 65,533 bytes, 6 less of EXIF.
bool sg_jpeg_encoder_start(sg_jpeg_encoder *encoder, const sg_jpeg_encoding *encoding, const uint8_t *_Nullable comment,
                           size_t comment_count, const uint8_t *_Nullable exif, size_t exif_count);
/// jpeg_write_scanlines, of rows `stride` bytes apart.
bool sg_jpeg_encoder_write_rows(sg_jpeg_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t count);
/// jpeg_finish_compress. The file's bytes live as long as the encoder.
bool sg_jpeg_encoder_finish(sg_jpeg_encoder *encoder, const uint8_t *_Nullable *_Nonnull bytes, size_t *count);

/// Whether a call failed for lack of memory.
bool sg_jpeg_encoder_lacks_memory(const sg_jpeg_encoder *encoder);
/// The library's error message. Lives as long as the encoder.
const char *sg_jpeg_encoder_message(const sg_jpeg_encoder *encoder);

#pragma clang assume_nonnull end

#endif
