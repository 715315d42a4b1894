#include "decompressor.h"

#include <stdlib.h>
#include <string.h>

// A marker segment is parsed again until it is complete: two bytes of marker and at most 65,535 of content.
enum { SMALLEST_BUFFER = 128 * 1024 };

// MARK: Source

static void ignore_source(j_decompress_ptr cinfo) { (void)cinfo; }
static boolean wait_for_input(j_decompress_ptr cinfo) { return (void)cinfo, FALSE; }

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static void skip_input(j_decompress_ptr cinfo, long count) {
  if (count <= 0) return;
  sg_jpeg *jpeg = sg_jpeg_owner((j_common_ptr)cinfo);
  size_t passed = smaller((size_t)count, cinfo->src->bytes_in_buffer);
  cinfo->src->next_input_byte += passed;
  cinfo->src->bytes_in_buffer -= passed;
  if (!jpeg->has_ended) jpeg->pending_skip += (size_t)count - passed;
}

sg_jpeg_status sg_jpeg_drop_fill_bytes(sg_jpeg *jpeg) {
  struct jpeg_source_mgr *source = &jpeg->source;
  bool is_in_segment = !jpeg->is_in_scan && jpeg->cinfo.unread_marker != 0;
  if (jpeg->has_ended || is_in_segment) return SG_JPEG_NEEDS_INPUT;
  const uint8_t *bytes = source->next_input_byte;
  size_t count = source->bytes_in_buffer;
  while (count >= 2 && bytes[count - 1] == 0xFF && bytes[count - 2] == 0xFF) count--;
  source->bytes_in_buffer = count;
  return SG_JPEG_NEEDS_INPUT;
}

// MARK: The end

static const uint8_t end_of_image[2] = {0xFF, JPEG_EOI};

void sg_jpeg_show_end(sg_jpeg *jpeg, bool shows) {
  if (!jpeg->has_ended || jpeg->shows_end == shows) return;
  if (shows) {
    jpeg->source.bytes_in_buffer += sizeof end_of_image;
  } else {
    if (jpeg->source.bytes_in_buffer < sizeof end_of_image) return;  // it has been read
    jpeg->source.bytes_in_buffer -= sizeof end_of_image;
  }
  jpeg->shows_end = shows;
}

bool sg_jpeg_end_was_read(const sg_jpeg *jpeg) {
  return jpeg->assumes_end || (jpeg->shows_end && jpeg->source.bytes_in_buffer == 0);
}

// MARK: Feeding

uint8_t *sg_jpeg_input_room(sg_jpeg *jpeg, size_t wanted) {
  struct jpeg_source_mgr *source = &jpeg->source;
  size_t unused = source->bytes_in_buffer;
  size_t hidden = jpeg->has_ended && !jpeg->shows_end ? sizeof end_of_image : 0;
  if (wanted > SIZE_MAX / 4 - unused) return NULL;
  if (unused + hidden > 0 && source->next_input_byte != jpeg->buffer) {
    memmove(jpeg->buffer, source->next_input_byte, unused + hidden);
    source->next_input_byte = jpeg->buffer;
  }
  size_t needed = unused + wanted + sizeof end_of_image;
  if (needed > jpeg->capacity) {
    size_t capacity = jpeg->capacity * 2 > needed ? jpeg->capacity * 2 : needed;
    if (capacity < SMALLEST_BUFFER) capacity = SMALLEST_BUFFER;
    uint8_t *buffer = realloc(jpeg->buffer, capacity);
    if (buffer == NULL) return NULL;
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
  if (room == NULL) return;  // never: non-empty input has room for the marker
  jpeg->has_ended = true;
  memcpy(room, end_of_image, sizeof end_of_image);
  sg_jpeg_show_end(jpeg, jpeg->is_in_scan);
}

// MARK: EXIF and colour profile

// Keeps a segment that starts with `name` and has `least` bytes more. jpeg_save_markers would store every APP1 and APP2,
// however many there are and whatever they hold.
static boolean read_segment(j_decompress_ptr cinfo, bool is_wanted, const char *name, size_t name_size, size_t least,
                            void (*keep)(sg_jpeg *, const uint8_t *content, size_t count)) {
  const uint8_t *bytes = cinfo->src->next_input_byte;
  size_t available = cinfo->src->bytes_in_buffer;
  if (available < 2) return FALSE;
  size_t length = (size_t)bytes[0] << 8 | bytes[1];  // includes its own two bytes
  if (length < 2) ERREXIT(cinfo, JERR_BAD_LENGTH);
  size_t compared = smaller(smaller(available, length) - 2, name_size);
  bool may_match = length >= 2 + name_size + least && memcmp(bytes + 2, name, compared) == 0;
  if (is_wanted && may_match) {
    if (available < length) return FALSE;
    keep(sg_jpeg_owner((j_common_ptr)cinfo), bytes + 2, length - 2);
  }
  skip_input(cinfo, (long)length);
  return TRUE;
}

static void keep_exif(sg_jpeg *jpeg, const uint8_t *content, size_t count) {
  jpeg->exif = malloc(count);
  if (jpeg->exif == NULL) ERREXIT1(&jpeg->cinfo, JERR_OUT_OF_MEMORY, 0);
  memcpy(jpeg->exif, content, count);
  jpeg->exif_count = count;
}

static boolean read_app1(j_decompress_ptr cinfo) {
  bool is_first = sg_jpeg_owner((j_common_ptr)cinfo)->exif == NULL;
  return read_segment(cinfo, is_first, "Exif\0", 6, 0, keep_exif);
}

const uint8_t *sg_jpeg_exif(const sg_jpeg *jpeg, size_t *count) {
  *count = jpeg->exif_count;
  return jpeg->exif;
}

static void drop_segments(sg_profile_segments *segments, sg_jpeg_profile_state state) {
  for (int at = 0; at < 255; at++) {
    free(segments->bytes[at]);
    segments->bytes[at] = NULL;
  }
  segments->state = state;
}

enum { PROFILE_NAME_BYTES = 12 };

static void keep_piece(sg_jpeg *jpeg, const uint8_t *content, size_t count) {
  content += PROFILE_NAME_BYTES;
  count -= PROFILE_NAME_BYTES;
  if (jpeg->segments == NULL) {
    jpeg->segments = calloc(1, sizeof *jpeg->segments);
    if (jpeg->segments == NULL) ERREXIT1(&jpeg->cinfo, JERR_OUT_OF_MEMORY, 0);
    jpeg->segments->state = SG_JPEG_PROFILE_THERE;
    jpeg->segments->stated = content[1];
  }
  sg_profile_segments *segments = jpeg->segments;
  if (segments->state != SG_JPEG_PROFILE_THERE) return;
  int number = content[0];
  bool fits = number >= 1 && number <= segments->stated && content[1] == segments->stated && segments->bytes[number - 1] == NULL;
  if (!fits) return drop_segments(segments, SG_JPEG_PROFILE_BROKEN);
  segments->total += count - 2;
  if (segments->total > jpeg->max_profile_bytes) return drop_segments(segments, SG_JPEG_PROFILE_TOO_LARGE);
  uint8_t *kept = malloc(count - 1);  // never 0
  if (kept == NULL) ERREXIT1(&jpeg->cinfo, JERR_OUT_OF_MEMORY, 0);
  memcpy(kept, content + 2, count - 2);
  segments->bytes[number - 1] = kept;
  segments->counts[number - 1] = (uint16_t)(count - 2);
}

static boolean read_app2(j_decompress_ptr cinfo) {
  bool is_in_header = !sg_jpeg_owner((j_common_ptr)cinfo)->header_is_read;
  return read_segment(cinfo, is_in_header, "ICC_PROFILE", PROFILE_NAME_BYTES, 2, keep_piece);
}

sg_jpeg_profile_state sg_jpeg_profile(const sg_jpeg *jpeg, size_t *count) {
  const sg_profile_segments *segments = jpeg->segments;
  *count = 0;
  if (segments == NULL) return SG_JPEG_PROFILE_NONE;
  if (segments->state != SG_JPEG_PROFILE_THERE) return segments->state;
  for (int at = 0; at < segments->stated; at++)
    if (segments->bytes[at] == NULL) return SG_JPEG_PROFILE_BROKEN;
  *count = segments->total;
  return SG_JPEG_PROFILE_THERE;
}

void sg_jpeg_copy_profile(const sg_jpeg *jpeg, uint8_t *into) {
  const sg_profile_segments *segments = jpeg->segments;
  for (int at = 0; at < segments->stated; at++) {
    memcpy(into, segments->bytes[at], segments->counts[at]);
    into += segments->counts[at];
  }
}

void sg_jpeg_forget_segments(sg_jpeg *jpeg) {
  free(jpeg->exif);
  if (jpeg->segments != NULL) drop_segments(jpeg->segments, SG_JPEG_PROFILE_NONE);
  free(jpeg->segments);
}

void sg_jpeg_connect_input(sg_jpeg *jpeg) {
  jpeg->source.init_source = ignore_source;
  jpeg->source.fill_input_buffer = wait_for_input;
  jpeg->source.skip_input_data = skip_input;
  jpeg->source.resync_to_restart = jpeg_resync_to_restart;
  jpeg->source.term_source = ignore_source;
  jpeg->cinfo.src = &jpeg->source;
  jpeg_set_marker_processor(&jpeg->cinfo, JPEG_APP0 + 1, read_app1);
  jpeg_set_marker_processor(&jpeg->cinfo, JPEG_APP0 + 2, read_app2);
}
