#include "spyglass_jpeg.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jerror.h>
#include <jpeglib.h>

struct sg_jpeg_encoder {
  struct jpeg_compress_struct cinfo;
  struct jpeg_error_mgr errors;
  jmp_buf jump;
  uint8_t *bytes;
  unsigned long count;
  bool lacks_memory;
  char message[JMSG_LENGTH_MAX];
};

// MARK: Errors

static void on_error(j_common_ptr cinfo) {
  sg_jpeg_encoder *encoder = cinfo->client_data;
  (*cinfo->err->format_message)(cinfo, encoder->message);
  int code = cinfo->err->msg_code;
  encoder->lacks_memory = code == JERR_OUT_OF_MEMORY || code == JERR_NO_BACKING_STORE;
  longjmp(encoder->jump, 1);
}

static void ignore_message(j_common_ptr cinfo, int level) {
  (void)cinfo, (void)level;
}

static void ignore_output(j_common_ptr cinfo) { (void)cinfo; }

// MARK: Creation and destruction

sg_jpeg_encoder *sg_jpeg_encoder_create(void) {
  sg_jpeg_encoder *encoder = calloc(1, sizeof *encoder);
  if (encoder == NULL) return NULL;
  struct jpeg_compress_struct *cinfo = &encoder->cinfo;
  cinfo->err = jpeg_std_error(&encoder->errors);
  encoder->errors.error_exit = on_error;
  encoder->errors.emit_message = ignore_message;
  encoder->errors.output_message = ignore_output;
  cinfo->client_data = encoder;  // kept by jpeg_create_compress
  if (setjmp(encoder->jump) != 0) {
    sg_jpeg_encoder_destroy(encoder);
    return NULL;
  }
  jpeg_create_compress(cinfo);
  jpeg_mem_dest(cinfo, &encoder->bytes, &encoder->count);
  return encoder;
}

void sg_jpeg_encoder_destroy(sg_jpeg_encoder *encoder) {
  struct jpeg_compress_struct *cinfo = &encoder->cinfo;
  // Hands over the buffer: only the library knows that of an unfinished file.
  if (cinfo->dest != NULL) cinfo->dest->term_destination(cinfo);
  jpeg_destroy_compress(cinfo);
  free(encoder->bytes);
  free(encoder);
}

// MARK: Encoding

static void write_exif(j_compress_ptr cinfo, const uint8_t *bytes, size_t count) {
  static const uint8_t name[6] = {'E', 'x', 'i', 'f', 0, 0};
  jpeg_write_m_header(cinfo, JPEG_APP0 + 1, (unsigned)(sizeof name + count));
  for (size_t at = 0; at < sizeof name; at++) jpeg_write_m_byte(cinfo, name[at]);
  for (size_t at = 0; at < count; at++) jpeg_write_m_byte(cinfo, bytes[at]);
}

bool sg_jpeg_encoder_start(sg_jpeg_encoder *encoder, const sg_jpeg_encoding *encoding, const uint8_t *comment,
                           size_t comment_count, const uint8_t *profile, size_t profile_count, const uint8_t *exif,
                           size_t exif_count) {
  if (setjmp(encoder->jump) != 0) return false;
  struct jpeg_compress_struct *cinfo = &encoder->cinfo;
  cinfo->image_width = encoding->width;
  cinfo->image_height = encoding->height;
  cinfo->input_components = encoding->is_gray ? 1 : 4;
  cinfo->in_color_space = encoding->is_gray ? JCS_GRAYSCALE : JCS_EXT_RGBX;
  jpeg_set_defaults(cinfo);
  jpeg_set_quality(cinfo, encoding->quality, TRUE);
  cinfo->dct_method = JDCT_ISLOW;
  cinfo->optimize_coding = encoding->is_optimized;
  if (!encoding->is_gray) {
    cinfo->comp_info[0].h_samp_factor = encoding->horizontal_sampling;
    cinfo->comp_info[0].v_samp_factor = encoding->vertical_sampling;
  }
  if (encoding->is_progressive) jpeg_simple_progression(cinfo);
  jpeg_start_compress(cinfo, TRUE);
  if (comment_count > 0) jpeg_write_marker(cinfo, JPEG_COM, comment, (unsigned)comment_count);
  if (exif_count > 0) write_exif(cinfo, exif, exif_count);
  if (profile_count > 0) jpeg_write_icc_profile(cinfo, profile, (unsigned)profile_count);
  return true;
}

bool sg_jpeg_encoder_write_rows(sg_jpeg_encoder *encoder, const uint8_t *rows, size_t stride, uint32_t count) {
  if (setjmp(encoder->jump) != 0) return false;
  for (uint32_t at = 0; at < count; at++) {
    JSAMPROW row = (JSAMPROW)(rows + at * stride);  // the library does not write through it
    // It takes none if there are more rows than the image has.
    if (jpeg_write_scanlines(&encoder->cinfo, &row, 1) == 0) ERREXIT(&encoder->cinfo, JERR_TOO_LITTLE_DATA);
  }
  return true;
}

bool sg_jpeg_encoder_finish(sg_jpeg_encoder *encoder, const uint8_t **bytes, size_t *count) {
  if (setjmp(encoder->jump) != 0) return false;
  jpeg_finish_compress(&encoder->cinfo);
  *bytes = encoder->bytes;
  *count = encoder->count;
  return true;
}

bool sg_jpeg_encoder_lacks_memory(const sg_jpeg_encoder *encoder) { return encoder->lacks_memory; }
const char *sg_jpeg_encoder_message(const sg_jpeg_encoder *encoder) { return encoder->message; }
