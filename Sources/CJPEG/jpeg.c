#include "spyglass_jpeg.h"

#include <limits.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>
#include <jpeglib.h>

// A marker segment is parsed from its start until all of it is there: two bytes of marker and at most 65,535 of content.
enum { SMALLEST_BUFFER = 128 * 1024 };
// Rows of one sg_jpeg_read_rows call.
enum { MOST_ROWS = SG_JPEG_MOST_ROWS };
// What the memory manager may hold beside the coefficients; row buffers of the widest picture are far below.
enum { WORKING_BYTES = 64 * 1024 * 1024 };

struct sg_jpeg {
  struct jpeg_decompress_struct cinfo;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  jmp_buf jump;

  uint8_t *buffer;
  size_t capacity;
  size_t pending_skip;  // bytes that the library wants passed over and that have not come yet
  bool has_ended;       // sg_jpeg_end_input; the buffer then ends with end_of_image, which is part of it while
  bool shows_end;       // this is true
  bool assumes_end;     // no marker follows the last scan that was there
  bool is_in_scan;      // after a start-of-scan marker, before the end of the scan's data

  uint8_t *exif;
  size_t exif_count;

  bool is_cut;                // data ran out for good
  uint32_t real_end;          // of a file of one scan that is cut: the output row before which all are real
  bool real_end_is_known;
  bool has_gap;               // data ran out, and a restart marker or another scan may bring more
  uint32_t first_scan_rows;   // rows of MCUs that a first scan without end reached; of no meaning otherwise
  bool is_first_scan_cut;
  uint64_t components_seen;   // a bit a component: it had a scan

  sg_jpeg_failure failure;
  long max_warnings;
  long warnings;
  char first_warning[JMSG_LENGTH_MAX];
  char message[JMSG_LENGTH_MAX];
};

// MARK: Errors

static sg_jpeg *owner(j_common_ptr cinfo) { return cinfo->client_data; }

static sg_jpeg_failure failure_of(int code) {
  switch (code) {
    case JERR_OUT_OF_MEMORY:
    case JERR_NO_BACKING_STORE: return SG_JPEG_NO_MEMORY;
    case JERR_IMAGE_TOO_BIG: return SG_JPEG_TOO_LARGE;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_NOTIMPL:
    case JERR_SOF_UNSUPPORTED: return SG_JPEG_UNSUPPORTED;
    default: return SG_JPEG_CORRUPT;
  }
}

static void on_error(j_common_ptr cinfo) {
  sg_jpeg *jpeg = owner(cinfo);
  (*cinfo->err->format_message)(cinfo, jpeg->message);
  jpeg->failure = failure_of(cinfo->err->msg_code);
  longjmp(jpeg->jump, 1);
}

static void note_missing_data(sg_jpeg *jpeg) {
  // A restart marker or another scan may come; without them, or at the end of the image, nothing does.
  const struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
  bool may_resume = cinfo->restart_interval != 0 || cinfo->buffered_image;
  if (may_resume && cinfo->unread_marker != JPEG_EOI)
    jpeg->has_gap = true;
  else
    jpeg->is_cut = true;
}

static void on_message(j_common_ptr cinfo, int level) {
  if (level >= 0) return;  // a trace
  sg_jpeg *jpeg = owner(cinfo);
  cinfo->err->num_warnings++;
  jpeg->warnings++;
  if (jpeg->warnings == 1) (*cinfo->err->format_message)(cinfo, jpeg->first_warning);
  if (cinfo->is_decompressor && cinfo->err->msg_code == JWRN_HIT_MARKER) note_missing_data(jpeg);
  if (jpeg->warnings < jpeg->max_warnings) return;
  snprintf(jpeg->message, sizeof jpeg->message, "%ld warnings, the first: %.120s", jpeg->warnings, jpeg->first_warning);
  longjmp(jpeg->jump, 1);
}

static void ignore_output(j_common_ptr cinfo) { (void)cinfo; }

// MARK: Input

static void ignore_source(j_decompress_ptr cinfo) { (void)cinfo; }

static boolean wait_for_input(j_decompress_ptr cinfo) {
  (void)cinfo;
  return FALSE;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static void skip_input(j_decompress_ptr cinfo, long count) {
  if (count <= 0) return;
  sg_jpeg *jpeg = owner((j_common_ptr)cinfo);
  size_t passed = smaller((size_t)count, cinfo->src->bytes_in_buffer);
  cinfo->src->next_input_byte += passed;
  cinfo->src->bytes_in_buffer -= passed;
  if (!jpeg->has_ended) jpeg->pending_skip += (size_t)count - passed;
}

// A file that ends within the data of a scan is given the marker that it lacks: only then does the decoder use its last
// bits. Within a marker segment it would be taken for content, and is hidden.
static const uint8_t end_of_image[2] = {0xFF, JPEG_EOI};

static void show_end(sg_jpeg *jpeg, bool shows) {
  if (!jpeg->has_ended || jpeg->shows_end == shows) return;
  if (shows) {
    jpeg->source.bytes_in_buffer += sizeof end_of_image;
  } else {
    if (jpeg->source.bytes_in_buffer < sizeof end_of_image) return;  // it has been read
    jpeg->source.bytes_in_buffer -= sizeof end_of_image;
  }
  jpeg->shows_end = shows;
}

// Whether the library has read the marker that the file lacks, or would.
static bool end_was_added(const sg_jpeg *jpeg) {
  return jpeg->assumes_end || (jpeg->shows_end && jpeg->source.bytes_in_buffer == 0);
}

uint8_t *sg_jpeg_input_room(sg_jpeg *jpeg, size_t wanted) {
  struct jpeg_source_mgr *source = &jpeg->source;
  size_t unused = source->bytes_in_buffer;
  size_t hidden = jpeg->has_ended && !jpeg->shows_end ? sizeof end_of_image : 0;
  if (unused + hidden > 0) memmove(jpeg->buffer, source->next_input_byte, unused + hidden);
  if (wanted > SIZE_MAX / 4 - unused) return NULL;
  size_t needed = unused + wanted + sizeof end_of_image;
  if (needed > jpeg->capacity) {
    size_t capacity = jpeg->capacity * 2 > needed ? jpeg->capacity * 2 : needed;
    if (capacity < SMALLEST_BUFFER) capacity = SMALLEST_BUFFER;
    uint8_t *buffer = realloc(jpeg->buffer, capacity);
    if (buffer == NULL) {
      if (unused > 0) source->next_input_byte = jpeg->buffer;
      return NULL;
    }
    jpeg->buffer = buffer;
    jpeg->capacity = capacity;
  }
  source->next_input_byte = jpeg->buffer;
  return jpeg->buffer + unused;
}

void sg_jpeg_add_input(sg_jpeg *jpeg, size_t count) {
  jpeg->source.bytes_in_buffer += count;
  size_t skip = smaller(jpeg->pending_skip, jpeg->source.bytes_in_buffer);
  jpeg->source.next_input_byte += skip;
  jpeg->source.bytes_in_buffer -= skip;
  jpeg->pending_skip -= skip;
}

void sg_jpeg_end_input(sg_jpeg *jpeg) {
  if (jpeg->has_ended) return;
  uint8_t *room = jpeg->buffer == NULL ? NULL : sg_jpeg_input_room(jpeg, 0);
  if (room == NULL) return;  // never: there is always room for the marker where there was any input
  jpeg->has_ended = true;
  memcpy(room, end_of_image, sizeof end_of_image);
  show_end(jpeg, jpeg->is_in_scan);
}

// MARK: EXIF

// Keeps the first EXIF segment. jpeg_save_markers would keep every APP1 of a file that repeats them without end.
static boolean read_app1(j_decompress_ptr cinfo) {
  static const uint8_t name[6] = {'E', 'x', 'i', 'f', 0, 0};
  sg_jpeg *jpeg = owner((j_common_ptr)cinfo);
  const uint8_t *bytes = cinfo->src->next_input_byte;
  size_t available = cinfo->src->bytes_in_buffer;
  if (available < 2) return FALSE;
  size_t length = (size_t)bytes[0] << 8 | bytes[1];
  if (length < 2) ERREXIT(cinfo, JERR_BAD_LENGTH);
  size_t compared = smaller(smaller(available, length) - 2, sizeof name);
  bool may_be_exif = length >= 2 + sizeof name && memcmp(bytes + 2, name, compared) == 0;
  if (jpeg->exif == NULL && may_be_exif) {
    if (available < length) return FALSE;
    jpeg->exif = malloc(length - 2);
    if (jpeg->exif == NULL) ERREXIT1(cinfo, JERR_OUT_OF_MEMORY, 0);
    memcpy(jpeg->exif, bytes + 2, length - 2);
    jpeg->exif_count = length - 2;
  }
  skip_input(cinfo, (long)length);
  return TRUE;
}

const uint8_t *sg_jpeg_exif(const sg_jpeg *jpeg, size_t *count) {
  *count = jpeg->exif_count;
  return jpeg->exif;
}

// MARK: Life

sg_jpeg *sg_jpeg_create(long max_warnings, size_t max_coefficient_bytes) {
  sg_jpeg *jpeg = calloc(1, sizeof *jpeg);
  if (jpeg == NULL) return NULL;
  jpeg->max_warnings = max_warnings;
  struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
  cinfo->err = jpeg_std_error(&jpeg->errors);
  jpeg->errors.error_exit = on_error;
  jpeg->errors.emit_message = on_message;
  jpeg->errors.output_message = ignore_output;
  cinfo->client_data = jpeg;  // kept by jpeg_create_decompress
  if (setjmp(jpeg->jump) != 0) {
    sg_jpeg_destroy(jpeg);
    return NULL;
  }
  jpeg_create_decompress(cinfo);
  size_t most = max_coefficient_bytes > LONG_MAX - WORKING_BYTES ? LONG_MAX : max_coefficient_bytes + WORKING_BYTES;
  cinfo->mem->max_memory_to_use = (long)most;
  jpeg->source.init_source = ignore_source;
  jpeg->source.fill_input_buffer = wait_for_input;
  jpeg->source.skip_input_data = skip_input;
  jpeg->source.resync_to_restart = jpeg_resync_to_restart;
  jpeg->source.term_source = ignore_source;
  cinfo->src = &jpeg->source;
  jpeg_set_marker_processor(cinfo, JPEG_APP0 + 1, read_app1);
  return jpeg;
}

void sg_jpeg_destroy(sg_jpeg *jpeg) {
  jpeg_destroy_decompress(&jpeg->cinfo);
  free(jpeg->exif);
  free(jpeg->buffer);
  free(jpeg);
}

// MARK: Decoding

static sg_jpeg_color color_of(const struct jpeg_decompress_struct *cinfo) {
  switch (cinfo->jpeg_color_space) {
    case JCS_GRAYSCALE: return SG_JPEG_COLOR_GRAY;
    case JCS_RGB:
    case JCS_YCbCr: return SG_JPEG_COLOR_RGB;
    case JCS_CMYK:
    case JCS_YCCK: return SG_JPEG_COLOR_CMYK;
    default: return SG_JPEG_COLOR_OTHER;
  }
}

static uint64_t rounded_up(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// What jinit_d_coef_controller will ask for: whole MCUs of blocks for each component.
static uint64_t coefficient_bytes(const struct jpeg_decompress_struct *cinfo) {
  uint64_t blocks = 0;
  for (int at = 0; at < cinfo->num_components; at++) {
    const jpeg_component_info *component = &cinfo->comp_info[at];
    blocks += rounded_up(component->width_in_blocks, (uint64_t)component->h_samp_factor) *
              rounded_up(component->height_in_blocks, (uint64_t)component->v_samp_factor);
  }
  return blocks * sizeof(JBLOCK);
}

sg_jpeg_status sg_jpeg_read_header(sg_jpeg *jpeg, sg_jpeg_header *header) {
  if (setjmp(jpeg->jump) != 0) return SG_JPEG_FAILED;
  struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
  if (jpeg_read_header(cinfo, TRUE) == JPEG_SUSPENDED) return SG_JPEG_NEEDS_INPUT;
  jpeg->is_in_scan = true;
  *header = (sg_jpeg_header){
      .width = cinfo->image_width,
      .height = cinfo->image_height,
      .components = cinfo->num_components,
      .color = color_of(cinfo),
      .is_luma_chroma = cinfo->jpeg_color_space == JCS_YCbCr || cinfo->jpeg_color_space == JCS_YCCK,
      .has_adobe_marker = cinfo->saw_Adobe_marker,
      .is_progressive = cinfo->progressive_mode,
      .is_arithmetic = cinfo->arith_code,
      .has_several_scans = jpeg_has_multiple_scans(cinfo),
      .coefficient_bytes = coefficient_bytes(cinfo),
      .data_unit_rows = cinfo->max_v_samp_factor * DCTSIZE,
  };
  return SG_JPEG_DONE;
}

static void note_components(sg_jpeg *jpeg) {
  for (int at = 0; at < jpeg->cinfo.comps_in_scan; at++)
    jpeg->components_seen |= (uint64_t)1 << jpeg->cinfo.cur_comp_info[at]->component_index;
}

sg_jpeg_status sg_jpeg_start(sg_jpeg *jpeg, int eighths, bool fancy_upsampling, sg_jpeg_output *output) {
  if (setjmp(jpeg->jump) != 0) return SG_JPEG_FAILED;
  struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
  switch (color_of(cinfo)) {
    case SG_JPEG_COLOR_GRAY: cinfo->out_color_space = JCS_GRAYSCALE; break;
    case SG_JPEG_COLOR_RGB: cinfo->out_color_space = JCS_RGB; break;
    case SG_JPEG_COLOR_CMYK: cinfo->out_color_space = JCS_CMYK; break;
    case SG_JPEG_COLOR_OTHER: break;
  }
  cinfo->scale_num = (unsigned)eighths;
  cinfo->scale_denom = 8;
  cinfo->do_fancy_upsampling = fancy_upsampling;
  cinfo->dct_method = JDCT_ISLOW;
  // Scans are read one by one: their number has a limit, and a cut file must not be read past its end.
  cinfo->buffered_image = jpeg_has_multiple_scans(cinfo);
  note_components(jpeg);
  if (!jpeg_start_decompress(cinfo)) return SG_JPEG_NEEDS_INPUT;
  *output = (sg_jpeg_output){
      .width = cinfo->output_width,
      .height = cinfo->output_height,
      .channels = cinfo->output_components,
  };
  return SG_JPEG_DONE;
}

static sg_jpeg_status cut_scan(sg_jpeg *jpeg, uint32_t rows_reached) {
  jpeg->is_cut = true;
  jpeg->is_first_scan_cut = jpeg->cinfo.input_scan_number <= 1 && rows_reached < jpeg->cinfo.total_iMCU_rows;
  jpeg->first_scan_rows = rows_reached;
  return SG_JPEG_INPUT_CUT;
}

sg_jpeg_status sg_jpeg_read_scan(sg_jpeg *jpeg, int max_steps, int *scan, bool *has_ended) {
  struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
  *has_ended = false;
  *scan = cinfo->input_scan_number;
  if (setjmp(jpeg->jump) != 0) return SG_JPEG_FAILED;
  for (int step = 0; step < max_steps; step++) {
    show_end(jpeg, jpeg->is_in_scan);
    int result = jpeg_consume_input(cinfo);
    *scan = cinfo->input_scan_number;
    switch (result) {
      case JPEG_SUSPENDED:
        if (!jpeg->has_ended) return SG_JPEG_NEEDS_INPUT;
        if (jpeg->is_in_scan) return cut_scan(jpeg, cinfo->input_iMCU_row);
        // Between scans; the library reads a marker that is there already before it looks for another one.
        jpeg->assumes_end = true;
        cinfo->unread_marker = JPEG_EOI;
        break;
      case JPEG_REACHED_EOI:
        *has_ended = true;
        return SG_JPEG_DONE;
      case JPEG_REACHED_SOS:
        jpeg->is_in_scan = true;
        note_components(jpeg);
        return SG_JPEG_DONE;  // the caller may not want another scan
      default:
        jpeg->is_in_scan = result != JPEG_SCAN_COMPLETED;
        // The row of MCUs that was being read is not real. (An arithmetic decoder is silent about missing data.)
        if (jpeg->is_cut || (cinfo->arith_code && end_was_added(jpeg))) return cut_scan(jpeg, cinfo->input_iMCU_row - 1);
    }
  }
  return SG_JPEG_DONE;
}

// Fancy upsampling interpolates chroma between rows.
static bool looks_at_row_below(const struct jpeg_decompress_struct *cinfo) {
  if (!cinfo->do_fancy_upsampling) return false;
  for (int at = 0; at < cinfo->num_components; at++)
    if (cinfo->comp_info[at].v_samp_factor < cinfo->max_v_samp_factor) return true;
  return false;
}

sg_jpeg_status sg_jpeg_start_output(sg_jpeg *jpeg, uint32_t *real_rows) {
  if (setjmp(jpeg->jump) != 0) return SG_JPEG_FAILED;
  struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
  // Smoothing between blocks, for the scans that a file lacks, looks ahead at blocks that a cut first scan may not have.
  if (jpeg->is_first_scan_cut) cinfo->do_block_smoothing = FALSE;
  // As the first scan: for any later one the library would wait for input that there may not be.
  if (!jpeg_start_output(cinfo, 1)) return SG_JPEG_NEEDS_INPUT;
  *real_rows = cinfo->output_height;
  if (!jpeg->is_first_scan_cut) return SG_JPEG_DONE;
  uint64_t unit_rows = (uint64_t)cinfo->max_v_samp_factor * (uint64_t)cinfo->min_DCT_scaled_size;
  uint64_t rows = jpeg->first_scan_rows * unit_rows;
  if (rows > 0 && looks_at_row_below(cinfo)) rows--;
  if (rows < *real_rows) *real_rows = (uint32_t)rows;
  return SG_JPEG_DONE;
}

// Whether the data of a file of one scan ended by the time that the rows from `start` on were given out.
//
// A call of jpeg_read_scanlines decodes at most one row of MCUs, and does so before it gives out rows: what earlier calls
// gave out is real. Where upsampling looks at the row below, the last row group of the MCUs before was held back until now;
// all of it but its last row is real too. (An arithmetic decoder is silent about missing data.)
static bool ran_out_of_data(sg_jpeg *jpeg, uint32_t start) {
  const struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
  if (cinfo->buffered_image) return false;
  if (jpeg->real_end_is_known) return true;
  if (!jpeg->is_cut && !(cinfo->arith_code && end_was_added(jpeg))) return false;
  uint32_t unit_rows = (uint32_t)(cinfo->max_v_samp_factor * cinfo->min_DCT_scaled_size);
  bool was_held_back = start % unit_rows != 0;
  jpeg->is_cut = true;
  jpeg->real_end = was_held_back ? start - start % unit_rows + unit_rows - 1 : start;
  jpeg->real_end_is_known = true;
  return true;
}

sg_jpeg_status sg_jpeg_read_rows(sg_jpeg *jpeg, uint8_t *rows, size_t stride, uint32_t count, uint32_t *done) {
  struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
  *done = 0;
  if (setjmp(jpeg->jump) != 0) return SG_JPEG_FAILED;
  if (count > MOST_ROWS) count = MOST_ROWS;
  JSAMPROW pointers[MOST_ROWS];
  for (uint32_t at = 0; at < count; at++) pointers[at] = rows + at * stride;
  while (*done < count && cinfo->output_scanline < cinfo->output_height) {
    uint32_t start = cinfo->output_scanline;
    uint32_t read = jpeg_read_scanlines(cinfo, pointers + *done, count - *done);
    if (ran_out_of_data(jpeg, start)) {
      uint32_t real = jpeg->real_end > start ? jpeg->real_end - start : 0;
      *done += read < real ? read : real;
      if (cinfo->output_scanline >= jpeg->real_end || read == 0) return SG_JPEG_INPUT_CUT;
      continue;
    }
    if (read == 0) return jpeg->has_ended ? SG_JPEG_INPUT_CUT : SG_JPEG_NEEDS_INPUT;
    *done += read;
  }
  return SG_JPEG_DONE;
}

// MARK: What was found

static bool is_complete(const sg_jpeg *jpeg, int component) {
  const int *bits = jpeg->cinfo.coef_bits[component];
  for (int at = 0; at < DCTSIZE2; at++)
    if (bits[at] != 0) return false;
  return true;
}

bool sg_jpeg_has_gaps(const sg_jpeg *jpeg) {
  const struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
  if (jpeg->has_gap) return true;
  if (jpeg->is_cut) return true;
  if (!cinfo->buffered_image) return false;
  for (int at = 0; at < cinfo->num_components; at++) {
    if ((jpeg->components_seen >> at & 1) == 0) return true;
    if (cinfo->coef_bits == NULL) continue;
    if (cinfo->coef_bits[at][0] < 0) return true;
    // An encoder may leave scans out, but then it writes its end-of-image marker.
    if (end_was_added(jpeg) && !is_complete(jpeg, at)) return true;
  }
  return false;
}

sg_jpeg_failure sg_jpeg_how_failed(const sg_jpeg *jpeg) { return jpeg->failure; }
long sg_jpeg_warning_count(const sg_jpeg *jpeg) { return jpeg->warnings; }
const char *sg_jpeg_first_warning(const sg_jpeg *jpeg) { return jpeg->first_warning; }
const char *sg_jpeg_message(const sg_jpeg *jpeg) { return jpeg->message; }
