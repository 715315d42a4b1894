#include "spyglass_bench.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

enum { BYTES_PER_PIXEL = 4, CHANNELS = 3 };

_Noreturn static void on_error(png_structp library, png_const_charp message) {
  (void)message;
  jmp_buf *jump = png_get_error_ptr(library);
  longjmp(*jump, 1);
}

static void ignore_warning(png_structp library, png_const_charp message) {
  (void)library, (void)message;
}

/// A file that is read (`bytes`), or written (`file`).
typedef struct {
  png_structp png;
  png_infop info;
  jmp_buf jump;
  png_bytep *rows;
  const uint8_t *bytes;
  size_t left;
  sg_bench_file *file;
  size_t capacity;
} codec;

// MARK: Reading

static void read_input(png_structp library, png_bytep into, size_t count) {
  codec *owner = png_get_io_ptr(library);
  if (count > owner->left) png_error(library, "unexpected end of file");
  memcpy(into, owner->bytes, count);
  owner->bytes += count;
  owner->left -= count;
}

static bool decode(codec *owner, sg_bench_image *image) {
  if (setjmp(owner->jump) != 0) return false;
  owner->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &owner->jump, on_error, ignore_warning);
  if (owner->png != NULL) owner->info = png_create_info_struct(owner->png);
  if (owner->info == NULL) return false;
  png_structp png = owner->png;
  png_set_read_fn(png, owner, read_input);
  png_read_info(png, owner->info);
  png_set_expand(png);
  png_set_scale_16(png);
  png_set_gray_to_rgb(png);
  png_set_add_alpha(png, 0xFF, PNG_FILLER_AFTER);
  png_set_interlace_handling(png);
  png_read_update_info(png, owner->info);
  image->width = png_get_image_width(png, owner->info);
  image->height = png_get_image_height(png, owner->info);
  size_t stride = (size_t)image->width * BYTES_PER_PIXEL;
  if (png_get_rowbytes(png, owner->info) != stride) return false;
  image->pixels = malloc(stride * image->height);
  owner->rows = malloc(sizeof *owner->rows * image->height);
  if (image->pixels == NULL || owner->rows == NULL) return false;
  for (uint32_t row = 0; row < image->height; row++) owner->rows[row] = image->pixels + stride * row;
  png_read_image(png, owner->rows);
  png_read_end(png, NULL);
  return true;
}

bool sg_bench_decode_png(const uint8_t *bytes, size_t count, sg_bench_image *image) {
  *image = (sg_bench_image){0};
  codec owner = {.bytes = bytes, .left = count};
  bool is_done = decode(&owner, image);
  png_destroy_read_struct(&owner.png, &owner.info, NULL);
  free(owner.rows);
  if (!is_done) sg_bench_free(image);
  return is_done;
}

// MARK: Writing

static void write_output(png_structp library, png_bytep bytes, size_t count) {
  codec *owner = png_get_io_ptr(library);
  sg_bench_file *file = owner->file;
  if (count > owner->capacity - file->count) {
    size_t capacity = 2 * owner->capacity + count;
    uint8_t *grown = realloc(file->bytes, capacity);
    if (grown == NULL) png_error(library, "not enough memory");
    file->bytes = grown;
    owner->capacity = capacity;
  }
  memcpy(file->bytes + file->count, bytes, count);
  file->count += count;
}

static void ignore_flush(png_structp library) { (void)library; }

static bool encode(codec *owner, const uint8_t *pixels, uint32_t width, uint32_t height, int depth,
                   bool is_interlaced) {
  if (setjmp(owner->jump) != 0) return false;
  owner->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &owner->jump, on_error, ignore_warning);
  if (owner->png != NULL) owner->info = png_create_info_struct(owner->png);
  owner->rows = malloc(sizeof *owner->rows * height);
  if (owner->info == NULL || owner->rows == NULL) return false;
  png_set_write_fn(owner->png, owner, write_output, ignore_flush);
  png_set_IHDR(owner->png, owner->info, width, height, depth, PNG_COLOR_TYPE_RGB,
               is_interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(owner->png, owner->info);
  size_t stride = (size_t)width * CHANNELS * (size_t)(depth / 8);
  // The library takes mutable pointers and does not write through them.
  for (uint32_t row = 0; row < height; row++) owner->rows[row] = (png_bytep)(pixels + stride * row);
  png_write_image(owner->png, owner->rows);
  png_write_end(owner->png, NULL);
  return true;
}

bool sg_bench_encode_png(const uint8_t *rows, uint32_t width, uint32_t height, int depth, bool is_interlaced,
                         sg_bench_file *file) {
  *file = (sg_bench_file){0};
  codec owner = {.file = file};
  bool is_done = encode(&owner, rows, width, height, depth, is_interlaced);
  png_destroy_write_struct(&owner.png, &owner.info);
  free(owner.rows);
  if (!is_done) sg_bench_free_file(file);
  return is_done;
}

void sg_bench_free_file(sg_bench_file *file) {
  free(file->bytes);
  file->bytes = NULL;
  file->count = 0;
}
