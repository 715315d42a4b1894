#ifndef SPYGLASS_JPEG_ENCODER_H
#define SPYGLASS_JPEG_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// libjpeg-turbo's compressor behind calls that return: each arms its own jmp_buf, so that the library's error exit never
/// crosses a frame of the caller.
///
/// The order of calls is start, write_rows until the last row, finish. A call that returned false is followed only by
/// questions and sg_jpeg_encoder_destroy. The file grows in memory of its own, at most twice its size.
typedef struct sg_jpeg_encoder sg_jpeg_encoder;

typedef struct {
  uint32_t width;
  uint32_t height;
  bool is_gray;             // rows have one byte a pixel; else four: red, green, blue and one that is ignored
  int quality;              // 1 to 100, as jpeg_set_quality takes it
  int horizontal_sampling;  // pixels to a sample of chroma, 1 or 2
  int vertical_sampling;
  bool is_progressive;      // jpeg_simple_progression
  bool is_optimized;        // Huffman tables of the picture's own; a progressive file always has them
} sg_jpeg_encoding;

/// Returns NULL when there is no memory.
sg_jpeg_encoder *_Nullable sg_jpeg_encoder_create(void);
void sg_jpeg_encoder_destroy(sg_jpeg_encoder *encoder);

/// jpeg_start_compress, and behind the JFIF segment the comment (COM) and the EXIF block (APP1, the name is added), unless
/// their count is 0. Neither may be longer than a segment: 65,533 bytes, and 6 less of EXIF.
bool sg_jpeg_encoder_start(sg_jpeg_encoder *encoder, const sg_jpeg_encoding *encoding, const uint8_t *_Nullable comment,
                           size_t comment_count, const uint8_t *_Nullable exif, size_t exif_count);
/// jpeg_write_scanlines, of rows that are `stride` bytes apart.
bool sg_jpeg_encoder_write_rows(sg_jpeg_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t count);
/// jpeg_finish_compress. The file's bytes live as long as the encoder.
bool sg_jpeg_encoder_finish(sg_jpeg_encoder *encoder, const uint8_t *_Nullable *_Nonnull bytes, size_t *count);

/// Whether a call failed for lack of memory.
bool sg_jpeg_encoder_lacks_memory(const sg_jpeg_encoder *encoder);
/// The library's words for its failure. Lives as long as the encoder.
const char *sg_jpeg_encoder_message(const sg_jpeg_encoder *encoder);

#pragma clang assume_nonnull end

#endif
