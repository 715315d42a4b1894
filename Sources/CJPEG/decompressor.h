#pragma once

// Shared by jpeg.c, which decodes, and input.c, which feeds it.

#include "spyglass_jpeg.h"

#include <setjmp.h>
#include <stdio.h>

#include <jerror.h>
#include <jpeglib.h>

// A colour profile as it is stored, in up to 255 segments of any order (ICC.1:2022, annex B.4).
typedef struct {
  uint8_t *bytes[255];
  uint16_t counts[255];
  int stated;     // number of segments, as the first one says
  size_t total;   // bytes of all
  sg_jpeg_profile_state state;
} sg_profile_segments;

struct sg_jpeg {
  struct jpeg_decompress_struct cinfo;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  jmp_buf jump;
  uint8_t *buffer;
  size_t capacity;
  size_t pending_skip;  // bytes to skip that have not arrived
  bool has_ended;       // after sg_jpeg_end_input; the buffer then ends with end_of_image
  bool shows_end;       // end_of_image is visible to the library
  bool assumes_end;     // the data ended between scans
  bool is_in_scan;      // after a start-of-scan marker, before the end of the scan's data
  uint8_t *exif;
  size_t exif_count;
  size_t max_profile_bytes;
  bool header_is_read;
  sg_profile_segments *segments;  // of the header's colour profile, or NULL
  bool is_cut;               // data ran out; nothing follows
  bool real_end_is_known;    // for a file of one scan
  uint32_t real_end;         // first output row that is not real
  bool is_first_scan_cut;    // for a file of several scans
  uint32_t first_scan_rows;  // MCU rows that the first scan reached
  uint64_t components_seen;  // a bit a component: it had a scan
  uint64_t components_whole;  // a bit a component: it had a complete scan
  sg_jpeg_failure failure;
  long max_warnings, warnings;
  bool has_warned[JMSG_LASTMSGCODE];  // by message, within the MCU row and scan below
  uint32_t warned_row;
  int warned_scan;
  char first_warning[JMSG_LENGTH_MAX], message[JMSG_LENGTH_MAX];
};

static inline sg_jpeg *sg_jpeg_owner(j_common_ptr cinfo) { return cinfo->client_data; }

/// Lets the decompressor read the input of sg_jpeg_add_input, and store the first EXIF segment and a colour profile.
void sg_jpeg_connect_input(sg_jpeg *jpeg);
/// Frees the stored segments.
void sg_jpeg_forget_segments(sg_jpeg *jpeg);
/// Drops all but one of the fill bytes (T.81, B.1.1.2) at the end of the input, after a step that lacked bytes. The library
/// would scan them again at every step, and a file may have any number of them. Returns SG_JPEG_NEEDS_INPUT.
sg_jpeg_status sg_jpeg_drop_fill_bytes(sg_jpeg *jpeg);
/// Adds or removes the end-of-image marker that a file lacks. Within scan data the decoder needs it to use the last bits.
/// Within a marker segment it would be read as content.
void sg_jpeg_show_end(sg_jpeg *jpeg, bool shows);
/// Whether the library has read the added marker.
bool sg_jpeg_end_was_read(const sg_jpeg *jpeg);
