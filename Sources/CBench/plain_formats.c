// The libraries of other formats, loaded at run time: their declarations are those of gif_lib.h 5.2, webp/decode.h 1.2, tiffio.h 4.5,
// libheif/heif.h 1.15 and avif/avif.h 0.11 and 1.0.

#include "spyglass_bench.h"

#include <spyglass_library.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_PER_PIXEL = 4 };

/// Finds the functions of a library.
#define FIND(name, functions, table) sg_library_find(name, functions, SG_COUNT(functions), table, NULL, 0)

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
  int count;
  int bits;
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
  void *user_data;
  void *private_data;
} gif_file;

typedef struct {
  int disposal;
  bool waits;
  int delay;
  int transparent;
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
static const sg_function gif_functions[] = {
  FUNCTION(Open), FUNCTION(GetRecordType), FUNCTION(GetImageDesc), FUNCTION(GetLine), FUNCTION(GetExtension),
  FUNCTION(GetExtensionNext), FUNCTION(ExtensionToGCB), FUNCTION(CloseFile),
};
#undef FUNCTION

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
  if (!FIND("libgif.so.7", gif_functions, &gif)) return false;

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

// MARK: WebP

typedef struct {
  uint8_t *(*DecodeRGBA)(const uint8_t *, size_t, int *, int *);
  void (*Free)(void *);
} webp_library;

#define FUNCTION(member) SG_FUNCTION(webp_library, "WebP", member)
static const sg_function webp_functions[] = {FUNCTION(DecodeRGBA), FUNCTION(Free)};
#undef FUNCTION

bool sg_bench_decode_webp(const uint8_t *bytes, size_t count, sg_bench_image *image) {
  *image = (sg_bench_image){0};
  webp_library webp;
  if (!FIND("libwebp.so.7", webp_functions, &webp)) return false;
  int width = 0, height = 0;
  uint8_t *rows = webp.DecodeRGBA(bytes, count, &width, &height);
  bool is_done = copy(image, (uint32_t)width, (uint32_t)height, rows, (size_t)width * BYTES_PER_PIXEL);
  webp.Free(rows);
  return is_done;
}

// MARK: TIFF

typedef struct {
  const uint8_t *bytes;
  size_t count;
  uint64_t position;
} tiff_input;

typedef intptr_t (*tiff_move)(void *, void *, intptr_t);
typedef uint64_t (*tiff_seek)(void *, uint64_t, int);
typedef int (*tiff_close)(void *);
typedef uint64_t (*tiff_size)(void *);
typedef int (*tiff_map)(void *, void **, uint64_t *);
typedef void (*tiff_unmap)(void *, void *, uint64_t);
typedef struct {
  void *(*ClientOpen)(const char *, const char *, void *, tiff_move, tiff_move, tiff_seek, tiff_close, tiff_size, tiff_map,
                      tiff_unmap);
  int (*GetField)(void *, uint32_t, ...);
  int (*ReadRGBAImageOriented)(void *, uint32_t, uint32_t, uint32_t *, int, int);
  void (*Close)(void *);
  void *(*SetErrorHandler)(void *);
  void *(*SetWarningHandler)(void *);
} tiff_library;

#define FUNCTION(member) SG_FUNCTION(tiff_library, "TIFF", member)
static const sg_function tiff_functions[] = {
  FUNCTION(ClientOpen), FUNCTION(GetField), FUNCTION(ReadRGBAImageOriented), FUNCTION(Close), FUNCTION(SetErrorHandler),
  FUNCTION(SetWarningHandler),
};
#undef FUNCTION

enum { TIFF_WIDTH = 256, TIFF_HEIGHT = 257, TIFF_TOP_LEFT = 1 };

static intptr_t read_tiff(void *handle, void *into, intptr_t count) {
  tiff_input *input = handle;
  if (input->position >= input->count) return 0;
  size_t left = input->count - (size_t)input->position;
  size_t read = (size_t)count < left ? (size_t)count : left;
  memcpy(into, input->bytes + input->position, read);
  input->position += read;
  return (intptr_t)read;
}

static intptr_t write_tiff(void *handle, void *from, intptr_t count) {
  (void)handle, (void)from, (void)count;
  return -1;
}

static uint64_t seek_tiff(void *handle, uint64_t offset, int from) {
  tiff_input *input = handle;
  input->position = offset + (from == 1 ? input->position : from == 2 ? input->count : 0);
  return input->position;
}

static int close_tiff(void *handle) {
  (void)handle;
  return 0;
}

static uint64_t tiff_length(void *handle) { return ((tiff_input *)handle)->count; }

bool sg_bench_decode_tiff(const uint8_t *bytes, size_t count, sg_bench_image *image) {
  *image = (sg_bench_image){0};
  tiff_library tiff;
  if (!FIND("libtiff.so.6", tiff_functions, &tiff)) return false;
  tiff.SetErrorHandler(NULL);
  tiff.SetWarningHandler(NULL);
  tiff_input input = {.bytes = bytes, .count = count};
  void *file = tiff.ClientOpen("", "r", &input, read_tiff, write_tiff, seek_tiff, close_tiff, tiff_length, NULL, NULL);
  if (file == NULL) return false;
  uint32_t width = 0, height = 0;
  tiff.GetField(file, TIFF_WIDTH, &width);
  tiff.GetField(file, TIFF_HEIGHT, &height);
  // Bytes are RGBA on little-endian processors.
  bool is_done = allocate(image, width, height) &&
                 tiff.ReadRGBAImageOriented(file, width, height, (uint32_t *)image->pixels, TIFF_TOP_LEFT, 1) == 1;
  tiff.Close(file);
  if (!is_done) sg_bench_free(image);
  return is_done;
}

// MARK: HEIC

typedef struct {
  int code;
  int subcode;
  const char *message;
} heif_error;

typedef struct {
  void *(*context_alloc)(void);
  void (*context_free)(void *);
  heif_error (*context_read_from_memory_without_copy)(void *, const void *, size_t, const void *);
  heif_error (*context_get_primary_image_handle)(void *, void **);
  void (*image_handle_release)(void *);
  heif_error (*decode_image)(void *, void **, int, int, const void *);
  void (*image_release)(void *);
  const uint8_t *(*image_get_plane_readonly)(const void *, int, int *);
  int (*image_get_width)(const void *, int);
  int (*image_get_height)(const void *, int);
} heif_library;

#define FUNCTION(member) SG_FUNCTION(heif_library, "heif_", member)
static const sg_function heif_functions[] = {
  FUNCTION(context_alloc), FUNCTION(context_free), FUNCTION(context_read_from_memory_without_copy),
  FUNCTION(context_get_primary_image_handle), FUNCTION(image_handle_release), FUNCTION(decode_image),
  FUNCTION(image_release), FUNCTION(image_get_plane_readonly), FUNCTION(image_get_width), FUNCTION(image_get_height),
};
#undef FUNCTION

enum { HEIF_RGB = 1, HEIF_INTERLEAVED_RGBA = 11, HEIF_INTERLEAVED = 10 };

bool sg_bench_decode_heic(const uint8_t *bytes, size_t count, sg_bench_image *image) {
  *image = (sg_bench_image){0};
  heif_library heif;
  if (!FIND("libheif.so.1", heif_functions, &heif)) return false;
  void *context = heif.context_alloc(), *handle = NULL, *decoded = NULL;
  if (context == NULL) return false;
  bool is_done = heif.context_read_from_memory_without_copy(context, bytes, count, NULL).code == 0 &&
                 heif.context_get_primary_image_handle(context, &handle).code == 0 &&
                 heif.decode_image(handle, &decoded, HEIF_RGB, HEIF_INTERLEAVED_RGBA, NULL).code == 0;
  if (is_done) {
    int stride = 0;
    const uint8_t *rows = heif.image_get_plane_readonly(decoded, HEIF_INTERLEAVED, &stride);
    is_done = copy(image, (uint32_t)heif.image_get_width(decoded, HEIF_INTERLEAVED),
                   (uint32_t)heif.image_get_height(decoded, HEIF_INTERLEAVED), rows, (size_t)stride);
  }
  if (decoded != NULL) heif.image_release(decoded);
  if (handle != NULL) heif.image_handle_release(handle);
  heif.context_free(context);
  return is_done;
}

// MARK: AVIF

/// avifRGBImage of 0.11 (libavif.so.15) and of 1.0 (libavif.so.16).
typedef union {
  struct {
    uint32_t width, height, depth;
    int format, upsampling, downsampling, avoids_yuv, ignores_alpha, is_premultiplied, is_float;
    uint8_t *pixels;
    uint32_t stride;
  } v0;
  struct {
    uint32_t width, height, depth;
    int format, upsampling, downsampling, avoids_yuv, ignores_alpha, is_premultiplied, is_float, threads;
    uint8_t *pixels;
    uint32_t stride;
  } v1;
  uint64_t room[32];
} avif_rgb;

typedef struct {
  void *(*DecoderCreate)(void);
  void (*DecoderDestroy)(void *);
  int (*DecoderReadMemory)(void *, void *, const uint8_t *, size_t);
  void *(*ImageCreateEmpty)(void);
  void (*ImageDestroy)(void *);
  void (*RGBImageSetDefaults)(avif_rgb *, const void *);
  int (*ImageYUVToRGB)(const void *, avif_rgb *);
} avif_library;

#define FUNCTION(member) SG_FUNCTION(avif_library, "avif", member)
static const sg_function avif_functions[] = {
  FUNCTION(DecoderCreate), FUNCTION(DecoderDestroy), FUNCTION(DecoderReadMemory), FUNCTION(ImageCreateEmpty),
  FUNCTION(ImageDestroy), FUNCTION(RGBImageSetDefaults), FUNCTION(ImageYUVToRGB),
};
#undef FUNCTION

bool sg_bench_decode_avif(const uint8_t *bytes, size_t count, sg_bench_image *image) {
  *image = (sg_bench_image){0};
  avif_library avif;
  bool is_new = FIND("libavif.so.16", avif_functions, &avif);
  if (!is_new && !FIND("libavif.so.15", avif_functions, &avif)) return false;
  void *decoder = avif.DecoderCreate(), *decoded = avif.ImageCreateEmpty();
  bool is_done = decoder != NULL && decoded != NULL && avif.DecoderReadMemory(decoder, decoded, bytes, count) == 0;
  if (is_done) {
    avif_rgb rgb = {0};
    avif.RGBImageSetDefaults(&rgb, decoded);
    rgb.v0.depth = 8;
    is_done = allocate(image, rgb.v0.width, rgb.v0.height);
    if (is_new)
      rgb.v1.pixels = image->pixels, rgb.v1.stride = rgb.v1.width * BYTES_PER_PIXEL;
    else
      rgb.v0.pixels = image->pixels, rgb.v0.stride = rgb.v0.width * BYTES_PER_PIXEL;
    is_done = is_done && avif.ImageYUVToRGB(decoded, &rgb) == 0;
  }
  if (decoded != NULL) avif.ImageDestroy(decoded);
  if (decoder != NULL) avif.DecoderDestroy(decoder);
  if (!is_done) sg_bench_free(image);
  return is_done;
}
