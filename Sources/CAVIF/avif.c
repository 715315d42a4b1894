#include "spyglass_avif.h"

#include <spyglass_library.h>
#include <stdio.h>
#include <stdlib.h>

// MARK: Declarations of avif.h 0.11

// The members up to the last one that is used; the library allocates the whole.
typedef struct {
    uint32_t width, height, depth;
} avif_image;

typedef struct {
    int codec, max_threads, source, allows_progressive, allows_incremental, ignores_exif, ignores_xmp;
    uint32_t max_pixels, max_side, max_images, strictness;
    avif_image *image;
} avif_decoder;

typedef struct {
    uint32_t x, y, width, height;
} avif_rectangle;

typedef struct {
    uint32_t width, height, depth;
    int format, upsampling, downsampling, avoids_libyuv, ignores_alpha, is_premultiplied, is_float;
    uint8_t *pixels;
    uint32_t row_bytes;
} avif_rgb;

enum { OK = 0, FORMAT_RGB = 0, FORMAT_RGBA = 1, UPSAMPLING_NEAREST = 3 };
enum { PRIMARY_ITEM = 1, TRACKS = 2, CAN_DECODE = 1, ANY_CODEC = 0 };

struct sg_avif {
    const char *(*Version)(void);
    const char *(*CodecName)(int codec, uint32_t flags);
    const char *(*ResultToString)(int result);
    avif_decoder *(*DecoderCreate)(void);
    void (*DecoderDestroy)(avif_decoder *);
    int (*DecoderSetSource)(avif_decoder *, int source);
    int (*DecoderSetIOMemory)(avif_decoder *, const uint8_t *, size_t);
    int (*DecoderParse)(avif_decoder *);
    int (*DecoderNextImage)(avif_decoder *);
    avif_image *(*ImageCreateEmpty)(void);
    void (*ImageDestroy)(avif_image *);
    int (*ImageSetViewRect)(avif_image *, const avif_image *, const avif_rectangle *);
    void (*RGBImageSetDefaults)(avif_rgb *, const avif_image *);
    int (*ImageYUVToRGB)(const avif_image *, avif_rgb *);
};

struct sg_avif_image {
    const sg_avif *avif;
    avif_decoder *decoder;
    /// Some rows of the decoded image.
    avif_image *view;
};

// MARK: The library

#define FUNCTION(member) SG_FUNCTION(sg_avif, "avif", member)
static const sg_function functions[] = {
    FUNCTION(Version), FUNCTION(CodecName), FUNCTION(ResultToString), FUNCTION(DecoderCreate),
    FUNCTION(DecoderDestroy), FUNCTION(DecoderSetSource), FUNCTION(DecoderSetIOMemory), FUNCTION(DecoderParse),
    FUNCTION(DecoderNextImage), FUNCTION(ImageCreateEmpty), FUNCTION(ImageDestroy), FUNCTION(ImageSetViewRect),
    FUNCTION(RGBImageSetDefaults), FUNCTION(ImageYUVToRGB),
};

const sg_avif *sg_avif_open(const char *name) {
    const sg_avif *avif = sg_library_open(name, functions, SG_COUNT(functions), sizeof *avif, NULL, 0);
    return avif && avif->CodecName(ANY_CODEC, CAN_DECODE) ? avif : NULL;
}

const char *sg_avif_version(const sg_avif *avif) { return avif->Version(); }

// MARK: Decoding

static int start(
    const sg_avif *avif, avif_decoder *decoder, const void *bytes, size_t size, uint32_t max_pixels, bool is_sequence) {
    decoder->max_threads = 1;
    decoder->ignores_exif = decoder->ignores_xmp = 1;
    decoder->max_pixels = max_pixels;
    decoder->max_side = 0;
    // Allows what other decoders read: files of libheif before 1.12 and of old cavif.
    decoder->strictness = 0;
    int result = avif->DecoderSetSource(decoder, is_sequence ? TRACKS : PRIMARY_ITEM);
    if (result == OK) result = avif->DecoderSetIOMemory(decoder, bytes, size);
    if (result == OK) result = avif->DecoderParse(decoder);
    return result == OK ? avif->DecoderNextImage(decoder) : result;
}

sg_avif_image *sg_avif_decode(
    const sg_avif *avif, const void *bytes, size_t size, uint32_t max_pixels, bool is_sequence, char *message,
    size_t message_size) {
    sg_avif_image *image = calloc(1, sizeof *image);
    avif_decoder *decoder = avif->DecoderCreate();
    avif_image *view = avif->ImageCreateEmpty();
    const char *reason = "out of memory";
    if (image && decoder && view) {
        const int result = start(avif, decoder, bytes, size, max_pixels, is_sequence);
        if (result == OK) {
            *image = (sg_avif_image){.avif = avif, .decoder = decoder, .view = view};
            return image;
        }
        reason = avif->ResultToString(result);
    }
    snprintf(message, message_size, "%s", reason);
    if (view) avif->ImageDestroy(view);
    if (decoder) avif->DecoderDestroy(decoder);
    free(image);
    return NULL;
}

void sg_avif_image_destroy(sg_avif_image *image) {
    image->avif->ImageDestroy(image->view);
    image->avif->DecoderDestroy(image->decoder);
    free(image);
}

uint32_t sg_avif_width(const sg_avif_image *image) { return image->decoder->image->width; }
uint32_t sg_avif_height(const sg_avif_image *image) { return image->decoder->image->height; }

bool sg_avif_convert(const sg_avif_image *image, uint32_t y, uint32_t count, bool has_alpha, uint8_t *pixels) {
    const sg_avif *avif = image->avif;
    const avif_image *all = image->decoder->image;
    if (y >= all->height || count > all->height - y) return false;
    const avif_rectangle rows = {.x = 0, .y = y, .width = all->width, .height = count};
    if (avif->ImageSetViewRect(image->view, all, &rows) != OK) return false;
    avif_rgb rgb = {0};
    avif->RGBImageSetDefaults(&rgb, image->view);
    rgb.depth = 8;
    rgb.format = has_alpha ? FORMAT_RGBA : FORMAT_RGB;
    rgb.upsampling = UPSAMPLING_NEAREST;
    rgb.is_premultiplied = 0;
    rgb.pixels = pixels;
    rgb.row_bytes = all->width * (has_alpha ? 4 : 3);
    return avif->ImageYUVToRGB(image->view, &rgb) == OK;
}
