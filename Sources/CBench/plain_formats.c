// The libraries of other formats, loaded at run time. The declarations of giflib are those of gif_lib.h 5.2.

#include "spyglass_bench.h"

#include <limits.h>
#include <spyglass_avif.h>
#include <spyglass_heif.h>
#include <spyglass_library.h>
#include <spyglass_tiff.h>
#include <spyglass_webp.h>
#include <stdlib.h>
#include <string.h>

// The last one is AVIF_DEFAULT_IMAGE_SIZE_LIMIT.
enum { BYTES_PER_PIXEL = 4, MESSAGE_BYTES = 256, MAX_PIXELS = 1 << 28 };

static bool allocate(sg_bench_image *image, uint32_t width, uint32_t height) {
  *image = (sg_bench_image){.width = width, .height = height};
  size_t count = (size_t)width * height;
  if (count == 0 || count > SIZE_MAX / BYTES_PER_PIXEL) return false;
  image->pixels = calloc(count, BYTES_PER_PIXEL);
  return image->pixels != NULL;
}

/// Copies rows that lie `stride` bytes apart.
static bool copy(sg_bench_image *image, uint32_t width, uint32_t height, const uint8_t *rows, size_t stride) {
  if (rows == NULL || !allocate(image, width, height)) return false;
  size_t length = (size_t)width * BYTES_PER_PIXEL;
  for (uint32_t y = 0; y < height; y++) memcpy(image->pixels + y * length, rows + y * stride, length);
  return true;
}

// MARK: GIF

typedef struct {
  uint8_t red, green, blue;
} gif_color;

typedef struct {
  int count, bits;
  bool is_sorted;
  gif_color *colors;
} gif_palette;

typedef struct {
  int left, top, width, height;
  bool is_interlaced;
  gif_palette *palette;
} gif_place;

typedef struct {
  int width, height, resolution, background;
  uint8_t aspect;
  gif_palette *palette;
  int image_count;
  gif_place image;
  void *images;
  int extension_count;
  void *extensions;
  int error;
  void *user_data, *private_data;
} gif_file;

typedef struct {
  int disposal;
  bool waits;
  int delay, transparent;
} gif_control;

typedef struct {
  const uint8_t *bytes;
  size_t left;
} source;

typedef int (*gif_input)(gif_file *, uint8_t *, int);
typedef struct {
  gif_file *(*Open)(void *, gif_input, int *);
  int (*GetRecordType)(gif_file *, int *);
  int (*GetImageDesc)(gif_file *);
  int (*GetLine)(gif_file *, uint8_t *, int);
  int (*GetExtension)(gif_file *, int *, uint8_t **);
  int (*GetExtensionNext)(gif_file *, uint8_t **);
  int (*ExtensionToGCB)(size_t, const uint8_t *, gif_control *);
  int (*CloseFile)(gif_file *, int *);
} gif_library;

#define FUNCTION(member) SG_FUNCTION(gif_library, "DGif", member)
static const sg_function functions[] = {
  FUNCTION(Open), FUNCTION(GetRecordType), FUNCTION(GetImageDesc), FUNCTION(GetLine), FUNCTION(GetExtension),
  FUNCTION(GetExtensionNext), FUNCTION(ExtensionToGCB), FUNCTION(CloseFile),
};

enum { GIF_IMAGE = 2, GIF_EXTENSION = 3, GIF_END = 4, GIF_CONTROL = 0xF9, GIF_CLEAR = 2, GIF_RESTORE = 3 };

static int read_gif(gif_file *file, uint8_t *into, int count) {
  source *from = file->user_data;
  size_t read = (size_t)count < from->left ? (size_t)count : from->left;
  memcpy(into, from->bytes, read);
  from->bytes += read;
  from->left -= read;
  return (int)read;
}

/// Draws a row of indices; places are inside the canvas.
static void draw(const sg_bench_image *canvas, const gif_place *at, int y, const uint8_t *indices,
                 const gif_palette *palette, int transparent) {
  uint8_t *to = canvas->pixels + ((size_t)(at->top + y) * canvas->width + (size_t)at->left) * BYTES_PER_PIXEL;
  for (int x = 0; x < at->width; x++, to += BYTES_PER_PIXEL) {
    if (indices[x] == transparent || indices[x] >= palette->count) continue;
    gif_color color = palette->colors[indices[x]];
    to[0] = color.red, to[1] = color.green, to[2] = color.blue, to[3] = 0xFF;
  }
}

static void clear(const sg_bench_image *canvas, const gif_place *at) {
  for (int y = 0; y < at->height; y++)
    memset(canvas->pixels + ((size_t)(at->top + y) * canvas->width + (size_t)at->left) * BYTES_PER_PIXEL, 0,
           (size_t)at->width * BYTES_PER_PIXEL);
}

bool sg_bench_decode_gif(const uint8_t *bytes, size_t count, int frames, sg_bench_image *image) {
  *image = (sg_bench_image){0};
  gif_library gif;
  if (!sg_library_find("libgif.so.7", functions, SG_COUNT(functions), &gif, NULL, 0)) return false;

  source input = {.bytes = bytes, .left = count};
  int error = 0;
  gif_file *file = gif.Open(&input, read_gif, &error);
  if (file == NULL) return false;
  size_t canvas_bytes = (size_t)file->width * (size_t)file->height * BYTES_PER_PIXEL;
  bool is_done = file->width > 0 && file->height > 0 && allocate(image, (uint32_t)file->width, (uint32_t)file->height);
  uint8_t *saved = is_done ? malloc(canvas_bytes) : NULL;
  uint8_t *line = is_done ? malloc((size_t)file->width) : NULL;
  is_done = saved != NULL && line != NULL;
  gif_control control = {.transparent = -1};
  int disposal = 0;
  gif_place last = {0};
  for (int frame = 0, type = 0; is_done && frame < frames;) {
    is_done = gif.GetRecordType(file, &type) == 1;
    if (!is_done || type == GIF_END) break;
    if (type == GIF_EXTENSION) {
      int code = 0;
      uint8_t *block = NULL;
      is_done = gif.GetExtension(file, &code, &block) == 1;
      if (is_done && code == GIF_CONTROL && block != NULL) gif.ExtensionToGCB(block[0], block + 1, &control);
      while (is_done && block != NULL) is_done = gif.GetExtensionNext(file, &block) == 1;
    } else if (type == GIF_IMAGE) {
      is_done = gif.GetImageDesc(file) == 1;
      gif_place at = file->image;
      gif_palette *palette = at.palette != NULL ? at.palette : file->palette;
      is_done = is_done && palette != NULL && at.left >= 0 && at.top >= 0 && at.width <= file->width - at.left &&
                at.height <= file->height - at.top;
      if (!is_done) break;
      if (disposal == GIF_CLEAR) clear(image, &last);
      if (disposal == GIF_RESTORE) memcpy(image->pixels, saved, canvas_bytes);
      if (control.disposal == GIF_RESTORE) memcpy(saved, image->pixels, canvas_bytes);
      static const int starts[] = {0, 4, 2, 1}, steps[] = {8, 8, 4, 2};
      for (int pass = 0; is_done && pass < (at.is_interlaced ? 4 : 1); pass++) {
        for (int y = at.is_interlaced ? starts[pass] : 0; is_done && y < at.height;
             y += at.is_interlaced ? steps[pass] : 1) {
          is_done = gif.GetLine(file, line, at.width) == 1;
          if (is_done) draw(image, &at, y, line, palette, control.transparent);
        }
      }
      disposal = control.disposal;
      last = at;
      control = (gif_control){.transparent = -1};
      frame++;
    }
  }
  gif.CloseFile(file, &error);
  free(saved);
  free(line);
  if (!is_done) sg_bench_free(image);
  return is_done;
}

// MARK: WebP, TIFF, HEIC and AVIF

bool sg_bench_decode_webp(const uint8_t *bytes, size_t count, sg_bench_image *image) {
  *image = (sg_bench_image){0};
  static const sg_webp *webp;
  if (webp == NULL) webp = sg_webp_open("libwebp.so.7", "libwebpdemux.so.2");
  if (webp == NULL) return false;
  // The library allocates the pixels, as soon as it knows their number.
  sg_webp_rows *rows = webp->INewRGB(SG_WEBP_RGBA, NULL, 0, 0);
  if (rows == NULL) return false;
  int last = 0, width = 0, height = 0, stride = 0;
  bool is_done = webp->IUpdate(rows, bytes, count) == SG_WEBP_OK;
  const uint8_t *pixels = is_done ? webp->IDecGetRGB(rows, &last, &width, &height, &stride) : NULL;
  is_done = copy(image, (uint32_t)width, (uint32_t)height, pixels, (size_t)stride);
  webp->IDelete(rows);
  return is_done;
}

static ptrdiff_t read_tiff(void *context, void *into, size_t count, uint64_t offset) {
  const source *input = context;
  if (offset >= input->left) return 0;
  size_t left = input->left - (size_t)offset;
  size_t read = count < left ? count : left;
  memcpy(into, input->bytes + offset, read);
  return (ptrdiff_t)read;
}

bool sg_bench_decode_tiff(const uint8_t *bytes, size_t count, sg_bench_image *image) {
  *image = (sg_bench_image){0};
  static const sg_tiff *tiff;
  if (tiff == NULL) tiff = sg_tiff_open("libtiff.so.6");
  if (tiff == NULL) return false;
  source input = {.bytes = bytes, .left = count};
  char message[MESSAGE_BYTES];
  sg_tiff_file *file = sg_tiff_file_open(tiff, read_tiff, &input, count, 0, 0, message, sizeof message);
  if (file == NULL) return false;
  uint32_t width = 0, height = 0;
  sg_tiff_size(file, &width, &height);
  // Bytes are RGBA on little-endian processors.
  bool is_done = allocate(image, width, height) && sg_tiff_convert(file, width, height, (uint32_t *)image->pixels);
  sg_tiff_file_close(file);
  if (!is_done) sg_bench_free(image);
  return is_done;
}

bool sg_bench_decode_heic(const uint8_t *bytes, size_t count, sg_bench_image *image) {
  *image = (sg_bench_image){0};
  static const sg_heif *heif;
  if (heif == NULL) heif = sg_heif_open("libheif.so.1");
  if (heif == NULL) return false;
  char message[MESSAGE_BYTES];
  sg_heif_image *decoded = sg_heif_decode(heif, bytes, count, INT_MAX, true, false, message, sizeof message);
  if (decoded == NULL) return false;
  int width = 0, height = 0, stride = 0;
  const uint8_t *rows = sg_heif_pixels(decoded, &width, &height, &stride);
  bool is_done = copy(image, (uint32_t)width, (uint32_t)height, rows, (size_t)stride);
  sg_heif_image_destroy(decoded);
  return is_done;
}

bool sg_bench_decode_avif(const uint8_t *bytes, size_t count, sg_bench_image *image) {
  *image = (sg_bench_image){0};
  static const sg_avif *avif;
  if (avif == NULL) avif = sg_avif_open("libavif.so.15");
  if (avif == NULL) return false;
  char message[MESSAGE_BYTES];
  sg_avif_image *decoded = sg_avif_decode(avif, bytes, count, MAX_PIXELS, false, message, sizeof message);
  if (decoded == NULL) return false;
  bool is_done = allocate(image, sg_avif_width(decoded), sg_avif_height(decoded)) &&
                 sg_avif_convert(decoded, 0, image->height, true, false, image->pixels);
  sg_avif_image_destroy(decoded);
  if (!is_done) sg_bench_free(image);
  return is_done;
}
