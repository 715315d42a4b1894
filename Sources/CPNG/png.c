#include "spyglass_png.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

enum { WINDOW_BYTES = 64 * 1024, MESSAGE_BYTES = 200, PASSES = 7, CODE_POINTS_BYTES = 4 };
// The library reads image data in chunks of this size, never a part of one.
enum { PIECE_BYTES = 8 * 1024 };
// The library inflates image data after the last row to its end, which may be a thousand times as much.
enum { MAX_TAIL_BYTES = 64 * 1024 };

// Before libpng 1.6.45 the library does not know this chunk.
#define CODE_POINTS ((png_const_bytep) "cICP")

struct sg_png {
  png_structp png;
  png_infop info;
  jmp_buf jump;
  sg_png_reader reader;
  void *context;
  uint8_t *window;
  size_t window_start, window_end;
  bool input_has_ended;
  bool has_started;          // rows are read from here on
  size_t tail_bytes;         // read after the last row
  uint32_t image_data_left;  // unread bytes of the current IDAT chunk
  sg_png_failure failure;
  size_t max_chunk_bytes;
  long max_warnings, warnings;
  char first_warning[MESSAGE_BYTES], profile_warning[MESSAGE_BYTES], message[MESSAGE_BYTES];
};

// MARK: Errors

_Noreturn static void fail(sg_png *png, sg_png_failure failure, const char *words) {
  png->failure = failure;
  snprintf(png->message, sizeof png->message, "%s", words);
  longjmp(png->jump, 1);
}

static bool all_rows_are_read(const sg_png *png);

_Noreturn static void on_error(png_structp library, png_const_charp words) {
  sg_png *png = png_get_error_ptr(library);
  // The library has no code for this error: the last row is complete, and another chunk comes before the end of the data.
  if (strcmp(words, "Not enough image data") == 0 && all_rows_are_read(png))
    fail(png, SG_PNG_CUT, "the image data ends without its checksum");
  fail(png, SG_PNG_CORRUPT, words);
}

static void on_warning(png_structp library, png_const_charp words) {
  sg_png *png = png_get_error_ptr(library);
  png->warnings++;
  if (png->warnings == 1) snprintf(png->first_warning, sizeof png->first_warning, "%s", words);
  bool is_of_profile = strncmp(words, "iCCP: ", 6) == 0;
  if (is_of_profile && png->profile_warning[0] == 0)
    snprintf(png->profile_warning, sizeof png->profile_warning, "%s", words + 6);
  if (png->warnings < png->max_warnings) return;
  char message[MESSAGE_BYTES];
  snprintf(message, sizeof message, "%ld warnings, the first: %.120s", png->warnings, png->first_warning);
  fail(png, SG_PNG_CORRUPT, message);
}

// MARK: Input

static size_t available(const sg_png *png) { return png->window_end - png->window_start; }

static void fill_window(sg_png *png) {
  memmove(png->window, png->window + png->window_start, available(png));
  png->window_end -= png->window_start;
  png->window_start = 0;
  while (png->window_end < WINDOW_BYTES && !png->input_has_ended) {
    ptrdiff_t read = png->reader(png->context, png->window + png->window_end, WINDOW_BYTES - png->window_end);
    if (read < 0) fail(png, SG_PNG_UNREAD, "reading failed");
    png->input_has_ended = read == 0;
    png->window_end += (size_t)read;
  }
}

static bool is_type(const uint8_t *header, const char *type) { return memcmp(header + 4, type, 4) == 0; }

// At png_set_chunk_malloc_max the library only warns, and still reads these chunks into memory.
static void check_kept_chunk(sg_png *png, const uint8_t *header) {
  png_uint_32 length = png_get_uint_32(header);
  if (is_type(header, "cICP") && length != CODE_POINTS_BYTES)
    png_set_keep_unknown_chunks(png->png, PNG_HANDLE_CHUNK_NEVER, CODE_POINTS, 1);
  if (!is_type(header, "eXIf") && !is_type(header, "iCCP")) return;
  if (length <= png->max_chunk_bytes) return;
  char message[MESSAGE_BYTES];
  snprintf(message, sizeof message, "a chunk of %u bytes, above the limit of %zu", (unsigned)length, png->max_chunk_bytes);
  fail(png, SG_PNG_LIMIT, message);
}

// Tracks the image data in case the file ends within a chunk: the library would request a block, get a part, and lose its
// rows. So it is made to request single bytes.
static void follow_chunks(png_structp library, sg_png *png, const uint8_t *bytes, size_t count) {
  switch (png_get_io_state(library) & PNG_IO_MASK_LOC) {
    case PNG_IO_CHUNK_HDR:
      if (count != 8) break;
      check_kept_chunk(png, bytes);
      png->image_data_left = is_type(bytes, "IDAT") ? png_get_uint_32(bytes) : 0;
      break;
    case PNG_IO_CHUNK_DATA:
      png->image_data_left -= count < png->image_data_left ? (uint32_t)count : png->image_data_left;
      break;
    default: break;
  }
  bool ends_within = png->input_has_ended && available(png) < png->image_data_left;
  if (ends_within) png_set_compression_buffer_size(library, 1);
}

// The last row is complete when the library rejects what follows it.
static bool all_rows_are_read(const sg_png *png) {
  if (!png->has_started) return false;
  return png_get_interlace_type(png->png, png->info) == PNG_INTERLACE_ADAM7
             ? png_get_current_pass_number(png->png) >= PASSES
             : png_get_current_row_number(png->png) >= png_get_image_height(png->png, png->info);
}

static void read_input(png_structp library, png_bytep bytes, size_t count) {
  sg_png *png = png_get_io_ptr(library);
  if (all_rows_are_read(png)) {
    png->tail_bytes += count;
    if (png->tail_bytes > MAX_TAIL_BYTES) fail(png, SG_PNG_TAIL, "image data continues after the last row");
  }
  for (size_t copied = 0; copied < count;) {
    size_t missing = count - copied;
    // One block ahead, so that the end is known before the last block is requested.
    if (available(png) < missing + PIECE_BYTES && !png->input_has_ended) fill_window(png);
    size_t part = missing < available(png) ? missing : available(png);
    if (part == 0) fail(png, SG_PNG_CUT, "the file ends early");
    memcpy(bytes + copied, png->window + png->window_start, part);
    png->window_start += part;
    copied += part;
  }
  follow_chunks(library, png, bytes, count);
}

// MARK: Creation and destruction

// Chunks that would be read, inflated and stored without use.
static void ignore_chunks(png_structp library) {
  static const png_byte names[] = "bKGD\0cHRM\0hIST\0iTXt\0oFFs\0pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0tEXt\0tIME\0zTXt";
  png_set_keep_unknown_chunks(library, PNG_HANDLE_CHUNK_NEVER, names, sizeof names / 5);
  png_set_keep_unknown_chunks(library, PNG_HANDLE_CHUNK_ALWAYS, CODE_POINTS, 1);
}

sg_png *sg_png_create(sg_png_reader reader, void *context, const sg_png_limits *limits) {
  sg_png *png = calloc(1, sizeof *png);
  if (png == NULL) return NULL;
  png->reader = reader;
  png->context = context;
  png->max_chunk_bytes = limits->max_chunk_bytes;
  png->max_warnings = limits->max_warnings;
  png->window = malloc(WINDOW_BYTES);
  if (png->window != NULL && setjmp(png->jump) == 0) {
    png->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, png, on_error, on_warning);
    if (png->png != NULL) png->info = png_create_info_struct(png->png);
    if (png->info != NULL) {
      png_set_read_fn(png->png, png, read_input);
      png_set_user_limits(png->png, limits->max_side, limits->max_side);
      // To the library, 0 means unlimited.
      png_set_chunk_malloc_max(png->png, limits->max_chunk_bytes > 0 ? limits->max_chunk_bytes : 1);
      png_set_benign_errors(png->png, 1);
      png_set_crc_action(png->png, PNG_CRC_ERROR_QUIT, PNG_CRC_WARN_DISCARD);
      // Some encoders state too small a window, or a wrong checksum; chunks have checksums of their own.
      png_set_option(png->png, PNG_MAXIMUM_INFLATE_WINDOW, PNG_OPTION_ON);
      png_set_option(png->png, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
      png_set_compression_buffer_size(png->png, PIECE_BYTES);
      ignore_chunks(png->png);
      return png;
    }
  }
  sg_png_destroy(png);
  return NULL;
}

void sg_png_destroy(sg_png *png) {
  png_destroy_read_struct(&png->png, &png->info, NULL);
  free(png->window);
  free(png);
}

// MARK: Decoding

// Reads the cICP chunk before the palette: only RGB of the full range is allowed.
static void read_code_points(png_structp library, png_infop info, sg_png_header *header) {
  png_unknown_chunkp chunks = NULL;
  int count = png_get_unknown_chunks(library, info, &chunks);
  for (int at = 0; at < count && !header->has_code_points; at++) {
    const png_byte *bytes = chunks[at].data;
    bool is_first = chunks[at].location == PNG_HAVE_IHDR && memcmp(chunks[at].name, CODE_POINTS, 4) == 0;
    if (!is_first || chunks[at].size != CODE_POINTS_BYTES || bytes[2] != 0 || bytes[3] != 1) continue;
    header->has_code_points = true;
    header->primaries = bytes[0];
    header->curve = bytes[1];
  }
}

bool sg_png_read_header(sg_png *png, sg_png_header *header) {
  if (setjmp(png->jump) != 0) return false;
  png_structp library = png->png;
  png_infop info = png->info;
  png_read_info(library, info);
  double gamma = 0;
  if (png_get_gAMA(library, info, &gamma) != PNG_INFO_gAMA) gamma = 0;
  *header = (sg_png_header){
      .width = png_get_image_width(library, info),
      .height = png_get_image_height(library, info),
      .bit_depth = png_get_bit_depth(library, info),
      .color_type = png_get_color_type(library, info),
      .has_transparency = png_get_valid(library, info, PNG_INFO_tRNS) != 0,
      .is_interlaced = png_get_interlace_type(library, info) == PNG_INTERLACE_ADAM7,
      .has_color_space = png_get_valid(library, info, PNG_INFO_sRGB | PNG_INFO_iCCP) != 0,
      .gamma = gamma,
  };
  read_code_points(library, info, header);
  return true;
}

const uint8_t *sg_png_exif(const sg_png *png, size_t *count) {
  png_uint_32 length = 0;
  png_bytep bytes = NULL;
  if (png_get_eXIf_1(png->png, png->info, &length, &bytes) != PNG_INFO_eXIf) length = 0;
  *count = length;
  return length > 0 ? bytes : NULL;
}

const uint8_t *sg_png_profile(const sg_png *png, size_t *count) {
  png_charp name = NULL;
  int compression = 0;
  png_bytep bytes = NULL;
  png_uint_32 length = 0;
  if (png_get_iCCP(png->png, png->info, &name, &compression, &bytes, &length) != PNG_INFO_iCCP) length = 0;
  *count = length;
  return length > 0 ? bytes : NULL;
}

bool sg_png_start(sg_png *png, bool is_deep, int *channels) {
  if (setjmp(png->jump) != 0) return false;
  png_set_expand(png->png);
  if (!is_deep) png_set_scale_16(png->png);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  if (is_deep) png_set_swap(png->png);
#endif
  png_set_interlace_handling(png->png);
  png_read_update_info(png->png, png->info);
  png->has_started = true;
  *channels = png_get_channels(png->png, png->info);
  return true;
}

bool sg_png_read_rows(sg_png *png, uint8_t *rows, size_t stride, uint32_t count, uint32_t *done) {
  *done = 0;
  if (setjmp(png->jump) != 0) {
    if (*done < count && all_rows_are_read(png)) (*done)++;
    return false;
  }
  while (*done < count) {
    png_read_row(png->png, NULL, rows + *done * stride);
    (*done)++;
  }
  return true;
}

// MARK: Results

sg_png_failure sg_png_how_failed(const sg_png *png) { return png->failure; }
long sg_png_warning_count(const sg_png *png) { return png->warnings; }
const char *sg_png_first_warning(const sg_png *png) { return png->first_warning; }
const char *sg_png_profile_warning(const sg_png *png) {
  return png_get_valid(png->png, png->info, PNG_INFO_iCCP) != 0 ? "" : png->profile_warning;
}
const char *sg_png_message(const sg_png *png) { return png->message; }
const char *sg_png_library_version(void) { return png_get_libpng_ver(NULL); }
