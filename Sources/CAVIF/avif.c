#include "spyglass_avif.h"

#include <spyglass_library.h>
#include <stdio.h>
#include <stdlib.h>

// MARK: Declarations of avif.h 0.11

// The members up to the last one that is used; the library allocates the whole.
typedef struct {
    uint32_t width, height, depth;
    int format, range, chroma_position;
    uint8_t *planes[3];
    uint32_t row_bytes[3];
    int owns_planes;
    uint8_t *alpha;
    uint32_t alpha_row_bytes;
    int owns_alpha, is_premultiplied;
    sg_avif_bytes profile;
    uint16_t primaries, transfer, matrix;
} avif_image;

typedef struct {
    int codec, max_threads, speed, keyframe_interval;
    uint64_t timescale;
    int min_quantizer, max_quantizer, min_alpha_quantizer, max_alpha_quantizer;
} avif_encoder;

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

enum { OK = 0, OUT_OF_MEMORY = 26, FORMAT_RGB = 0, FORMAT_RGBA = 1, UPSAMPLING_NEAREST = 3 };
enum { PRIMARY_ITEM = 1, TRACKS = 2, CAN_DECODE = 1, CAN_ENCODE = 2, ANY_CODEC = 0, LIBAOM = 1 };
enum { YUV444 = 1, YUV420 = 3, BT709 = 1, SRGB = 13, BT601 = 6 };

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
    avif_image *(*ImageCreate)(uint32_t width, uint32_t height, uint32_t depth, int format);
    void (*ImageSetProfileICC)(avif_image *, const uint8_t *, size_t);
    void (*ImageSetMetadataExif)(avif_image *, const uint8_t *, size_t);
    void (*ImageSetMetadataXMP)(avif_image *, const uint8_t *, size_t);
    int (*ImageRGBToYUV)(avif_image *, const avif_rgb *);
    avif_encoder *(*EncoderCreate)(void);
    void (*EncoderDestroy)(avif_encoder *);
    void (*EncoderSetCodecSpecificOption)(avif_encoder *, const char *key, const char *value);
    int (*EncoderWrite)(avif_encoder *, const avif_image *, sg_avif_bytes *);
    void (*RWDataFree)(sg_avif_bytes *);
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
    FUNCTION(RGBImageSetDefaults), FUNCTION(ImageYUVToRGB), FUNCTION(ImageCreate), FUNCTION(ImageSetProfileICC),
    FUNCTION(ImageSetMetadataExif), FUNCTION(ImageSetMetadataXMP), FUNCTION(ImageRGBToYUV), FUNCTION(EncoderCreate),
    FUNCTION(EncoderDestroy), FUNCTION(EncoderSetCodecSpecificOption), FUNCTION(EncoderWrite), FUNCTION(RWDataFree),
};

const sg_avif *sg_avif_open(const char *name) {
    const sg_avif *avif = sg_library_open(name, functions, SG_COUNT(functions), sizeof *avif, NULL, 0);
    return avif && avif->CodecName(ANY_CODEC, CAN_DECODE) ? avif : NULL;
}

const char *sg_avif_version(const sg_avif *avif) { return avif->Version(); }
bool sg_avif_can_encode(const sg_avif *avif) { return avif->CodecName(LIBAOM, CAN_ENCODE); }

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

bool sg_avif_convert(
    const sg_avif_image *image, uint32_t y, uint32_t count, bool has_alpha, bool is_deep, uint8_t *pixels) {
    const sg_avif *avif = image->avif;
    const avif_image *all = image->decoder->image;
    if (y >= all->height || count > all->height - y) return false;
    const avif_rectangle rows = {.x = 0, .y = y, .width = all->width, .height = count};
    if (avif->ImageSetViewRect(image->view, all, &rows) != OK) return false;
    avif_rgb rgb = {0};
    avif->RGBImageSetDefaults(&rgb, image->view);
    rgb.depth = is_deep ? 16 : 8;
    rgb.format = has_alpha ? FORMAT_RGBA : FORMAT_RGB;
    rgb.upsampling = UPSAMPLING_NEAREST;
    rgb.is_premultiplied = 0;
    rgb.pixels = pixels;
    rgb.row_bytes = all->width * (has_alpha ? 4 : 3) * (is_deep ? 2 : 1);
    return avif->ImageYUVToRGB(image->view, &rgb) == OK;
}

// MARK: Encoding

static int fill(const sg_avif *avif, const sg_avif_encoding *encoding, const uint8_t *pixels, avif_image *image) {
    image->range = 1;
    image->primaries = encoding->profile.size > 0 ? 2 : BT709;
    image->transfer = encoding->profile.size > 0 ? 2 : SRGB;
    image->matrix = BT601;
    avif_rgb rgb = {0};
    avif->RGBImageSetDefaults(&rgb, image);
    rgb.depth = 8;
    rgb.format = FORMAT_RGBA;
    rgb.ignores_alpha = !encoding->has_alpha;
    // Only read.
    rgb.pixels = (uint8_t *)(uintptr_t)pixels;
    rgb.row_bytes = 4 * encoding->width;
    if (encoding->profile.size > 0) {
        avif->ImageSetProfileICC(image, encoding->profile.bytes, encoding->profile.size);
    }
    if (encoding->exif.size > 0) avif->ImageSetMetadataExif(image, encoding->exif.bytes, encoding->exif.size);
    if (encoding->xmp.size > 0) avif->ImageSetMetadataXMP(image, encoding->xmp.bytes, encoding->xmp.size);
    return avif->ImageRGBToYUV(image, &rgb);
}

static int write_image(
    const sg_avif *avif, const sg_avif_encoding *encoding, const avif_image *image, avif_encoder *encoder,
    sg_avif_bytes *file) {
    encoder->codec = LIBAOM;
    encoder->max_threads = 1;
    encoder->speed = encoding->speed;
    // The range that libavif 1.0 allows around the quantizer of a quality.
    const int quantizer = encoding->quantizer, margin = 4;
    encoder->min_quantizer = quantizer > margin ? quantizer - margin : 0;
    encoder->max_quantizer = quantizer < 63 - margin ? quantizer + margin : 63;
    char level[8];
    snprintf(level, sizeof level, "%d", quantizer);
    avif->EncoderSetCodecSpecificOption(encoder, "end-usage", "q");
    avif->EncoderSetCodecSpecificOption(encoder, "color:cq-level", level);
    if (!encoding->finds_repeats) avif->EncoderSetCodecSpecificOption(encoder, "enable-intrabc", "0");
    return avif->EncoderWrite(encoder, image, file);
}

bool sg_avif_encode(
    const sg_avif *avif, const sg_avif_encoding *encoding, const uint8_t *pixels, sg_avif_bytes *file, char *message,
    size_t message_size) {
    *file = (sg_avif_bytes){0};
    avif_image *image =
        avif->ImageCreate(encoding->width, encoding->height, 8, encoding->has_full_chroma ? YUV444 : YUV420);
    avif_encoder *encoder = avif->EncoderCreate();
    int result = OUT_OF_MEMORY;
    if (image && encoder) result = fill(avif, encoding, pixels, image);
    if (image && encoder && result == OK) result = write_image(avif, encoding, image, encoder, file);
    if (encoder) avif->EncoderDestroy(encoder);
    if (image) avif->ImageDestroy(image);
    if (result != OK) snprintf(message, message_size, "%s", avif->ResultToString(result));
    return result == OK;
}

void sg_avif_free(const sg_avif *avif, sg_avif_bytes *file) { avif->RWDataFree(file); }
