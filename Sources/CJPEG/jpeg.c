#include "decompressor.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// Limit of the memory manager without the coefficients; row buffers of the widest image need far less.
enum { WORKING_BYTES = 64 * 1024 * 1024 };
// MCU columns beside a cropped part: at least the blocks whose neighbours smoothing replaces, and this many pixels.
enum { SMOOTHED_BLOCKS = 3, MIN_MARGIN = 16 };

// MARK: Errors

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
  sg_jpeg *jpeg = sg_jpeg_owner(cinfo);
  (*cinfo->err->format_message)(cinfo, jpeg->message);
  jpeg->failure = failure_of(cinfo->err->msg_code);
  // The frame header of JPEG-LS (ITU-T T.87), before any that the library knows.
  const bool is_ls = cinfo->err->msg_code == JERR_UNKNOWN_MARKER && cinfo->err->msg_parm.i[0] == 0xF7;
  if (is_ls && jpeg->cinfo.image_width == 0) {
    jpeg->failure = SG_JPEG_UNSUPPORTED;
    snprintf(jpeg->message, sizeof jpeg->message, "JPEG-LS");
  }
  longjmp(jpeg->jump, 1);
}

// The library fills a segment that is too short. Rows are missing only if no restart marker or scan may follow.
static void note_short_segment(sg_jpeg *jpeg) {
  const struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
  bool may_resume = cinfo->restart_interval != 0 || cinfo->buffered_image;
  if (!may_resume || cinfo->unread_marker == JPEG_EOI) jpeg->is_cut = true;
}

// Whether this MCU row has had this warning. An MCU that waited for bytes is decoded and warned about again, and after the
// last data every restart marker of the row is missing: without this, the count would depend on how bytes arrive.
static bool is_repeated(sg_jpeg *jpeg, int code) {
  const struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
  if (code < 0 || code >= JMSG_LASTMSGCODE) return false;
  if (jpeg->warned_row != cinfo->input_iMCU_row || jpeg->warned_scan != cinfo->input_scan_number) {
    memset(jpeg->has_warned, 0, sizeof jpeg->has_warned);
    jpeg->warned_row = cinfo->input_iMCU_row;
    jpeg->warned_scan = cinfo->input_scan_number;
  }
  bool is_repeated = jpeg->has_warned[code];
  jpeg->has_warned[code] = true;
  return is_repeated;
}

static void on_message(j_common_ptr cinfo, int level) {
  if (level >= 0) return;  // a trace
  sg_jpeg *jpeg = sg_jpeg_owner(cinfo);
  int code = cinfo->err->msg_code;
  if (code == JWRN_HIT_MARKER) note_short_segment(jpeg);
  if (is_repeated(jpeg, code)) return;
  cinfo->err->num_warnings++;
  jpeg->warnings++;
  if (jpeg->warnings == 1) (*cinfo->err->format_message)(cinfo, jpeg->first_warning);
  // Bytes between markers cost nothing and lose nothing, however often they occur.
  if (jpeg->warnings < jpeg->max_warnings || code == JWRN_EXTRANEOUS_DATA) return;
  jpeg->failure = SG_JPEG_CORRUPT;
  snprintf(jpeg->message, sizeof jpeg->message, "%ld warnings, the first: %.120s", jpeg->warnings, jpeg->first_warning);
  longjmp(jpeg->jump, 1);
}

static void ignore_output(j_common_ptr cinfo) { (void)cinfo; }

// MARK: Creation and destruction

sg_jpeg *sg_jpeg_create(long max_warnings, size_t max_coefficient_bytes, size_t max_profile_bytes) {
  sg_jpeg *jpeg = calloc(1, sizeof *jpeg);
  if (jpeg == NULL) return NULL;
  jpeg->max_warnings = max_warnings;
  jpeg->max_profile_bytes = max_profile_bytes;
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
  sg_jpeg_connect_input(jpeg);
  return jpeg;
}

void sg_jpeg_destroy(sg_jpeg *jpeg) {
  jpeg_destroy_decompress(&jpeg->cinfo);
  sg_jpeg_forget_segments(jpeg);
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

// The allocation of jinit_d_coef_controller: blocks of complete MCUs for each component.
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
  if (jpeg_read_header(cinfo, TRUE) == JPEG_SUSPENDED) return sg_jpeg_drop_fill_bytes(jpeg);
  jpeg->is_in_scan = true;
  jpeg->header_is_read = true;
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
  };
  return SG_JPEG_DONE;
}

static uint64_t components_of_scan(const sg_jpeg *jpeg) {
  uint64_t components = 0;
  for (int at = 0; at < jpeg->cinfo.comps_in_scan; at++)
    components |= (uint64_t)1 << jpeg->cinfo.cur_comp_info[at]->component_index;
  return components;
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
  // Scans are read one by one: their number has a limit, and a truncated file must not be read past its end.
  cinfo->buffered_image = jpeg_has_multiple_scans(cinfo);
  jpeg->components_seen |= components_of_scan(jpeg);
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
    sg_jpeg_show_end(jpeg, jpeg->is_in_scan);
    int result = jpeg_consume_input(cinfo);
    *scan = cinfo->input_scan_number;
    switch (result) {
      case JPEG_SUSPENDED:
        if (!jpeg->has_ended) return sg_jpeg_drop_fill_bytes(jpeg);
        if (jpeg->is_in_scan) return cut_scan(jpeg, cinfo->input_iMCU_row);
        // Between scans: the library reads an available marker before it looks for the next.
        jpeg->assumes_end = true;
        cinfo->unread_marker = JPEG_EOI;
        break;
      case JPEG_REACHED_EOI:
        *has_ended = true;
        return SG_JPEG_DONE;
      case JPEG_REACHED_SOS:
        jpeg->is_in_scan = true;
        jpeg->components_seen |= components_of_scan(jpeg);
        return SG_JPEG_DONE;  // the caller decides about another scan
      default:
        jpeg->is_in_scan = result != JPEG_SCAN_COMPLETED;
        if (!jpeg->is_in_scan) jpeg->components_whole |= components_of_scan(jpeg);
        // The current MCU row is not real. (An arithmetic decoder does not report missing data.)
        if (jpeg->is_cut || (cinfo->arith_code && sg_jpeg_end_was_read(jpeg)))
          return cut_scan(jpeg, cinfo->input_iMCU_row - 1);
    }
  }
  return SG_JPEG_DONE;
}

int sg_jpeg_covered_scans(const sg_jpeg *jpeg) {
  const struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
  // jpeg_finish_output would read up to the next scan and might have to wait for it.
  if (cinfo->input_scan_number < 2) return 0;
  for (int at = 0; at < cinfo->num_components; at++)
    if ((jpeg->components_whole >> at & 1) == 0) return 0;
  return jpeg->is_in_scan ? cinfo->input_scan_number - 1 : cinfo->input_scan_number;
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
  // Block smoothing looks ahead at blocks that a truncated first scan may lack.
  if (jpeg->is_first_scan_cut) cinfo->do_block_smoothing = FALSE;
  // As the first scan: for a later one the library might wait for input that never arrives.
  if (!jpeg_start_output(cinfo, 1)) return SG_JPEG_NEEDS_INPUT;
  *real_rows = cinfo->output_height;
  if (!jpeg->is_first_scan_cut) return SG_JPEG_DONE;
  uint64_t unit_rows = (uint64_t)cinfo->max_v_samp_factor * (uint64_t)cinfo->min_DCT_scaled_size;
  uint64_t rows = jpeg->first_scan_rows * unit_rows;
  if (rows > 0 && looks_at_row_below(cinfo)) rows--;
  if (rows < *real_rows) *real_rows = (uint32_t)rows;
  return SG_JPEG_DONE;
}

// The first `row` rows without the row of MCUs above it, which upsampling looks at, and the one before that: with a row below
// to look at, the library decodes one ahead.
static uint32_t skippable_rows(const struct jpeg_decompress_struct *cinfo, uint32_t row) {
  uint32_t unit_rows = (uint32_t)(cinfo->max_v_samp_factor * cinfo->min_DCT_scaled_size);
  uint32_t units = row / unit_rows;
  return units > 2 ? (units - 2) * unit_rows : 0;
}

sg_jpeg_status sg_jpeg_crop(sg_jpeg *jpeg, sg_jpeg_part *part) {
  if (setjmp(jpeg->jump) != 0) return SG_JPEG_FAILED;
  struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
  // Fancy upsampling takes a sample from each neighbour, block smoothing takes two blocks.
  JDIMENSION margin = SMOOTHED_BLOCKS * (JDIMENSION)(cinfo->max_h_samp_factor * cinfo->min_DCT_scaled_size);
  if (margin < MIN_MARGIN) margin = MIN_MARGIN;
  JDIMENSION column = part->column > margin ? part->column - margin : 0;
  JDIMENSION right = cinfo->output_width - part->column - part->columns;
  JDIMENSION columns = part->column - column + part->columns + (right < margin ? right : margin);
  jpeg_crop_scanline(cinfo, &column, &columns);
  *part = (sg_jpeg_part){.column = column, .columns = columns, .row = skippable_rows(cinfo, part->row)};
  return SG_JPEG_DONE;
}

sg_jpeg_status sg_jpeg_finish_output(sg_jpeg *jpeg) {
  if (setjmp(jpeg->jump) != 0) return SG_JPEG_FAILED;
  return jpeg_finish_output(&jpeg->cinfo) ? SG_JPEG_DONE : SG_JPEG_NEEDS_INPUT;
}

// Whether the data of a file of one scan ended before the rows from `start` on.
// jpeg_read_scanlines decodes at most one MCU row a call, before it returns rows: the rows of earlier calls are real. Where
// upsampling reads the row below, the last row group of the previous MCUs was delayed until now; all of it but its last row
// is real too. (An arithmetic decoder does not report missing data.)
static bool ran_out_of_data(sg_jpeg *jpeg, uint32_t start) {
  const struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
  if (cinfo->buffered_image) return false;
  if (jpeg->real_end_is_known) return true;
  if (!jpeg->is_cut && !(cinfo->arith_code && sg_jpeg_end_was_read(jpeg))) return false;
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
  if (count > SG_JPEG_MAX_ROWS) count = SG_JPEG_MAX_ROWS;
  JSAMPROW pointers[SG_JPEG_MAX_ROWS];
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
    if (read == 0) return jpeg->has_ended ? SG_JPEG_INPUT_CUT : sg_jpeg_drop_fill_bytes(jpeg);
    *done += read;
  }
  return SG_JPEG_DONE;
}

// jpeg_skip_scanlines cannot suspend for input. Rows whose components are not needed cost their entropy decoding and a little
// more, and end as other rows do.
sg_jpeg_status sg_jpeg_skip_rows(sg_jpeg *jpeg, uint8_t *rows, size_t stride, uint32_t count, uint32_t *done) {
  struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
  boolean needed[MAX_COMPONENTS];
  for (int at = 0; at < cinfo->num_components; at++) {
    needed[at] = cinfo->comp_info[at].component_needed;
    cinfo->comp_info[at].component_needed = FALSE;
  }
  sg_jpeg_status status = sg_jpeg_read_rows(jpeg, rows, stride, count, done);
  for (int at = 0; at < cinfo->num_components; at++) cinfo->comp_info[at].component_needed = needed[at];
  return status;
}

// MARK: Results

static bool is_complete(const sg_jpeg *jpeg, int component) {
  const int *bits = jpeg->cinfo.coef_bits[component];
  for (int at = 0; at < DCTSIZE2; at++)
    if (bits[at] != 0) return false;
  return true;
}

bool sg_jpeg_has_gaps(const sg_jpeg *jpeg) {
  const struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
  // The rows that were read from a file of one scan are real.
  if (!cinfo->buffered_image) return false;
  if (jpeg->is_cut) return true;
  for (int at = 0; at < cinfo->num_components; at++) {
    if ((jpeg->components_seen >> at & 1) == 0) return true;
    if (cinfo->coef_bits == NULL) continue;
    if (cinfo->coef_bits[at][0] < 0) return true;
    // An encoder may omit scans, but then it writes an end-of-image marker.
    if (sg_jpeg_end_was_read(jpeg) && !is_complete(jpeg, at)) return true;
  }
  return false;
}

sg_jpeg_failure sg_jpeg_how_failed(const sg_jpeg *jpeg) { return jpeg->failure; }
long sg_jpeg_warning_count(const sg_jpeg *jpeg) { return jpeg->warnings; }
const char *sg_jpeg_first_warning(const sg_jpeg *jpeg) { return jpeg->first_warning; }
const char *sg_jpeg_message(const sg_jpeg *jpeg) { return jpeg->message; }

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
const char *sg_jpeg_library_version(void) { return TEXT(LIBJPEG_TURBO_VERSION); }
