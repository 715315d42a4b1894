#include "spyglass_bench.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

enum { BYTES_PER_PIXEL = 4 };

typedef struct {
  struct jpeg_decompress_struct cinfo;
  struct jpeg_error_mgr errors;
  jmp_buf jump;
} decompressor;

static void on_error(j_common_ptr cinfo) {
  decompressor *owner = cinfo->client_data;
  longjmp(owner->jump, 1);
}

static void ignore_message(j_common_ptr cinfo, int level) {
  (void)cinfo, (void)level;
}

static bool read_header(decompressor *owner, const uint8_t *bytes, size_t count) {
  struct jpeg_decompress_struct *cinfo = &owner->cinfo;
  if (setjmp(owner->jump) != 0) return false;
  jpeg_create_decompress(cinfo);
  jpeg_mem_src(cinfo, bytes, (unsigned long)count);
  return jpeg_read_header(cinfo, TRUE) == JPEG_HEADER_OK;
}

static bool decode(decompressor *owner, const uint8_t *bytes, size_t count, int eighths, sg_bench_image *image) {
  if (!read_header(owner, bytes, count)) return false;
  struct jpeg_decompress_struct *cinfo = &owner->cinfo;
  if (setjmp(owner->jump) != 0) return false;
  cinfo->scale_num = (unsigned)eighths;
  cinfo->scale_denom = 8;
  cinfo->out_color_space = JCS_EXT_RGBA;
  jpeg_start_decompress(cinfo);
  size_t stride = (size_t)cinfo->output_width * BYTES_PER_PIXEL;
  image->width = cinfo->output_width;
  image->height = cinfo->output_height;
  image->pixels = malloc(stride * cinfo->output_height);
  if (image->pixels == NULL) return false;
  while (cinfo->output_scanline < cinfo->output_height) {
    JSAMPROW row = image->pixels + stride * cinfo->output_scanline;
    jpeg_read_scanlines(cinfo, &row, 1);
  }
  jpeg_finish_decompress(cinfo);
  return true;
}

static void prepare(decompressor *owner) {
  *owner = (decompressor){0};
  owner->cinfo.err = jpeg_std_error(&owner->errors);
  owner->errors.error_exit = on_error;
  owner->errors.emit_message = ignore_message;
  owner->cinfo.client_data = owner;  // preserved by jpeg_create_decompress
}

bool sg_bench_jpeg_is_cmyk(const uint8_t *bytes, size_t count) {
  decompressor owner;
  prepare(&owner);
  bool is_cmyk = read_header(&owner, bytes, count) &&
                  (owner.cinfo.jpeg_color_space == JCS_CMYK || owner.cinfo.jpeg_color_space == JCS_YCCK);
  jpeg_destroy_decompress(&owner.cinfo);
  return is_cmyk;
}

bool sg_bench_decode_jpeg(const uint8_t *bytes, size_t count, int eighths, sg_bench_image *image) {
  *image = (sg_bench_image){0};
  decompressor owner;
  prepare(&owner);
  bool is_done = decode(&owner, bytes, count, eighths, image);
  jpeg_destroy_decompress(&owner.cinfo);
  if (!is_done) sg_bench_free(image);
  return is_done;
}

void sg_bench_free(sg_bench_image *image) {
  free(image->pixels);
  image->pixels = NULL;
}
