#include "spyglass_png.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>
#include <zlib.h>

// The smallest buffer is more than most thumbnails need.
enum { SMALLEST_BUFFER = 32 * 1024, MESSAGE_BYTES = 200, MAX_COLORS = 256 };

struct sg_png_encoder {
  png_structp png;
  png_infop info;
  jmp_buf jump;
  uint8_t *bytes;
  size_t capacity, count;
  bool lacks_memory;
  char message[MESSAGE_BYTES];
};

// MARK: Errors

_Noreturn static void on_error(png_structp library, png_const_charp words) {
  sg_png_encoder *encoder = png_get_error_ptr(library);
  snprintf(encoder->message, sizeof encoder->message, "%s", words);
  longjmp(encoder->jump, 1);
}

static void ignore_warning(png_structp library, png_const_charp words) {
  (void)library, (void)words;
}

// MARK: Output

static void write_output(png_structp library, png_bytep bytes, size_t count) {
  sg_png_encoder *encoder = png_get_io_ptr(library);
  if (count > encoder->capacity - encoder->count) {
    size_t needed = encoder->count + count;
    size_t capacity = encoder->capacity * 2 > needed ? encoder->capacity * 2 : needed;
    if (capacity < SMALLEST_BUFFER) capacity = SMALLEST_BUFFER;
    uint8_t *grown = realloc(encoder->bytes, capacity);
    if (grown == NULL) {
      encoder->lacks_memory = true;
      png_error(library, "not enough memory");
    }
    encoder->bytes = grown;
    encoder->capacity = capacity;
  }
  memcpy(encoder->bytes + encoder->count, bytes, count);
  encoder->count += count;
}

static void ignore_flush(png_structp library) { (void)library; }

// MARK: Creation and destruction

sg_png_encoder *sg_png_encoder_create(void) {
  sg_png_encoder *encoder = calloc(1, sizeof *encoder);
  if (encoder == NULL) return NULL;
  if (setjmp(encoder->jump) == 0) {
    encoder->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, encoder, on_error, ignore_warning);
    if (encoder->png != NULL) {
      png_set_write_fn(encoder->png, encoder, write_output, ignore_flush);
      png_set_user_limits(encoder->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
      encoder->info = png_create_info_struct(encoder->png);  // last: it tells that all went well
    }
  }
  if (encoder->info != NULL) return encoder;
  sg_png_encoder_destroy(encoder);
  return NULL;
}

void sg_png_encoder_destroy(sg_png_encoder *encoder) {
  png_destroy_write_struct(&encoder->png, &encoder->info);
  free(encoder->bytes);
  free(encoder);
}

// MARK: Encoding

static void set_palette(sg_png_encoder *encoder, const sg_png_encoding *encoding, const uint8_t *palette) {
  png_color colors[MAX_COLORS];
  png_byte alphas[MAX_COLORS];
  int count = encoding->color_count < MAX_COLORS ? encoding->color_count : MAX_COLORS;
  int transparent = encoding->transparent_count < count ? encoding->transparent_count : count;
  for (int at = 0; at < count; at++) {
    const uint8_t *color = palette + 4 * at;
    colors[at] = (png_color){.red = color[0], .green = color[1], .blue = color[2]};
    alphas[at] = color[3];
  }
  png_set_PLTE(encoder->png, encoder->info, colors, count);
  if (transparent > 0) png_set_tRNS(encoder->png, encoder->info, alphas, transparent, NULL);
}

static void write_comment(png_structp library, const uint8_t *bytes, size_t count) {
  static const png_byte keyword[] = "Comment";  // with the zero that ends it
  png_write_chunk_start(library, (png_const_bytep) "tEXt", (png_uint_32)(sizeof keyword + count));
  png_write_chunk_data(library, keyword, sizeof keyword);
  png_write_chunk_data(library, bytes, count);
  png_write_chunk_end(library);
}

// Behind the comment, where libpng would write it before.
static void write_profile(png_structp library, const uint8_t *bytes, size_t count) {
  static const png_byte start[] = {'i', 'c', 'c', 0, PNG_COMPRESSION_TYPE_BASE};
  uLongf length = compressBound(count);
  uint8_t *data = malloc(length);
  if (data == NULL || compress(data, &length, bytes, count) != Z_OK) {
    free(data);
    png_error(library, "not enough memory");
  }
  png_write_chunk_start(library, (png_const_bytep) "iCCP", (png_uint_32)(sizeof start + length));
  png_write_chunk_data(library, start, sizeof start);
  png_write_chunk_data(library, data, length);
  png_write_chunk_end(library);
  free(data);
}

bool sg_png_encoder_start(sg_png_encoder *encoder, const sg_png_encoding *encoding, const uint8_t *palette,
                          const uint8_t *comment, size_t comment_count, const uint8_t *profile, size_t profile_count,
                          const uint8_t *exif, size_t exif_count) {
  if (setjmp(encoder->jump) != 0) return false;
  png_structp library = encoder->png;
  png_set_IHDR(library, encoder->info, encoding->width, encoding->height, encoding->bit_depth, (int)encoding->color,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (encoding->color == SG_PNG_PALETTE && palette != NULL) set_palette(encoder, encoding, palette);
  png_set_compression_level(library, encoding->level);
  if (encoding->has_only_runs) png_set_compression_strategy(library, Z_RLE);
  png_set_filter(library, PNG_FILTER_TYPE_BASE, encoding->is_filtered ? PNG_ALL_FILTERS : PNG_FILTER_NONE);
  png_write_info_before_PLTE(library, encoder->info);
  if (comment_count > 0) write_comment(library, comment, comment_count);
  if (profile_count > 0) write_profile(library, profile, profile_count);
  png_write_info(library, encoder->info);
  if (exif_count > 0) png_write_chunk(library, (png_const_bytep) "eXIf", exif, exif_count);
  if (encoding->bit_depth < 8) png_set_packing(library);
  if (encoding->color == SG_PNG_RGB) png_set_filler(library, 0, PNG_FILLER_AFTER);
  return true;
}

bool sg_png_encoder_write_rows(sg_png_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t count) {
  if (setjmp(encoder->jump) != 0) return false;
  for (uint32_t at = 0; at < count; at++) png_write_row(encoder->png, rows + at * stride);
  return true;
}

bool sg_png_encoder_finish(sg_png_encoder *encoder, const uint8_t **bytes, size_t *count) {
  if (setjmp(encoder->jump) != 0) return false;
  png_write_end(encoder->png, NULL);
  *bytes = encoder->bytes;
  *count = encoder->count;
  return true;
}

bool sg_png_encoder_lacks_memory(const sg_png_encoder *encoder) { return encoder->lacks_memory; }
const char *sg_png_encoder_message(const sg_png_encoder *encoder) { return encoder->message; }
