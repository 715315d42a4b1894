#include "spyglass_zlib.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

struct sg_inflater {
  z_stream stream;
  bool is_complete;
  bool is_past_end;  // only padding may follow
};

// The largest window, and a gzip header is required (`inflateInit2`).
enum { gzip_window_bits = 15 + 16, gzip_first_byte = 0x1F };

sg_inflater *sg_inflater_create(void) {
  sg_inflater *inflater = calloc(1, sizeof *inflater);
  if (inflater != NULL && inflateInit2(&inflater->stream, gzip_window_bits) != Z_OK) {
    free(inflater);
    return NULL;
  }
  return inflater;
}

void sg_inflater_destroy(sg_inflater *inflater) {
  inflateEnd(&inflater->stream);
  free(inflater);
}

ptrdiff_t sg_inflate(
    sg_inflater *inflater, const uint8_t *input, size_t size, size_t *consumed, uint8_t *output, size_t capacity) {
  z_stream *stream = &inflater->stream;
  if (size > UINT_MAX || capacity > UINT_MAX) return -1;
  stream->next_in = (Bytef *)(uintptr_t)input;  // zlib only reads it
  stream->avail_in = (uInt)size;
  stream->next_out = output;
  stream->avail_out = (uInt)capacity;
  while (stream->avail_in > 0 && stream->avail_out > 0) {
    if (inflater->is_complete) {
      inflater->is_past_end = inflater->is_past_end || *stream->next_in == 0;
      if (*stream->next_in != (inflater->is_past_end ? 0 : gzip_first_byte)) {
        // Return the good bytes first; the next call gets only the rest, and fails.
        if (stream->next_out != output) break;
        return -1;
      }
      if (inflater->is_past_end) {
        stream->next_in++;
        stream->avail_in--;
        continue;
      }
      inflater->is_complete = false;
      if (inflateReset(stream) != Z_OK) return -1;
    }
    int result = inflate(stream, Z_NO_FLUSH);
    if (result == Z_STREAM_END) inflater->is_complete = true;
    else if (result == Z_BUF_ERROR) break;
    else if (result != Z_OK) return -1;
  }
  *consumed = size - stream->avail_in;
  return (ptrdiff_t)(capacity - stream->avail_out);
}

bool sg_inflater_is_complete(const sg_inflater *inflater) { return inflater->is_complete; }
