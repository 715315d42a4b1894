#include "spyglass_heif.h"

#include <spyglass_library.h>
#include <stdio.h>
#include <stdlib.h>

// MARK: Declarations of heif.h

typedef struct heif_context heif_context;
typedef struct heif_image_handle heif_image_handle;
typedef struct heif_image heif_image;

typedef struct {
    int code, subcode;
    const char *message;
} heif_error;

// The members of version 2 (libheif 1.7); the library allocates the whole.
typedef struct {
    uint8_t version, ignore_transformations;
    void (*start_progress)(int, int, void *), (*on_progress)(int, int, void *);
    void (*end_progress)(int, void *);
    void *progress_user_data;
    uint8_t convert_hdr_to_8bit;
} heif_decoding_options;

enum { COLORSPACE_RGB = 1, CHROMA_RGB = 10, CHROMA_RGBA = 11, CHANNEL_INTERLEAVED = 10 };
// Two bytes a sample.
enum { CHROMA_DEEP_RGB = 14, CHROMA_DEEP_RGBA = 15, UNSUPPORTED = 4 };

struct sg_heif {
    const char *(*get_version)(void);
    heif_context *(*context_alloc)(void);
    void (*context_free)(heif_context *);
    void (*context_set_maximum_image_size_limit)(heif_context *, int max_side);
    heif_error (*context_read_from_memory_without_copy)(heif_context *, const void *, size_t, const void *);
    heif_error (*context_get_primary_image_handle)(heif_context *, heif_image_handle **);
    void (*image_handle_release)(const heif_image_handle *);
    heif_decoding_options *(*decoding_options_alloc)(void);
    void (*decoding_options_free)(heif_decoding_options *);
    heif_error (*decode_image)(
        const heif_image_handle *, heif_image **, int colorspace, int chroma, const heif_decoding_options *);
    void (*image_release)(const heif_image *);
    int (*image_handle_get_luma_bits_per_pixel)(const heif_image_handle *);
    int (*image_get_bits_per_pixel_range)(const heif_image *, int channel);
    int (*image_get_width)(const heif_image *, int channel);
    int (*image_get_height)(const heif_image *, int channel);
    const uint8_t *(*image_get_plane_readonly)(const heif_image *, int channel, int *stride);
    // From 1.12 and 1.13 on.
    int (*image_handle_is_premultiplied_alpha)(const heif_image_handle *);
    heif_error (*init)(void *);
};

struct sg_heif_image {
    const sg_heif *heif;
    heif_image *image;
    int bits;
    bool is_premultiplied;
};

// MARK: The library

#define FUNCTION(member) SG_FUNCTION(sg_heif, "heif_", member)
#define OPTIONAL(member) SG_OPTIONAL(sg_heif, "heif_", member)
static const sg_function functions[] = {
    FUNCTION(get_version), FUNCTION(context_alloc), FUNCTION(context_free),
    FUNCTION(context_set_maximum_image_size_limit), FUNCTION(context_read_from_memory_without_copy),
    FUNCTION(context_get_primary_image_handle), FUNCTION(image_handle_release), FUNCTION(decoding_options_alloc),
    FUNCTION(decoding_options_free), FUNCTION(decode_image), FUNCTION(image_release), FUNCTION(image_get_width),
    FUNCTION(image_handle_get_luma_bits_per_pixel), FUNCTION(image_get_bits_per_pixel_range), FUNCTION(image_get_height), FUNCTION(image_get_plane_readonly), OPTIONAL(image_handle_is_premultiplied_alpha),
    OPTIONAL(init),
};

const sg_heif *sg_heif_open(const char *name) {
    const sg_heif *heif = sg_library_open(name, functions, SG_COUNT(functions), sizeof *heif, NULL, 0);
    if (heif && heif->init) heif->init(NULL);
    return heif;
}

const char *sg_heif_version(const sg_heif *heif) { return heif->get_version(); }

// MARK: Decoding

static bool is_fine(heif_error error, char *message, size_t message_size) {
    if (error.code == 0) return true;
    snprintf(message, message_size, "%s", error.message ? error.message : "no reason given");
    return false;
}

static bool decode(
    sg_heif_image *decoded, const heif_image_handle *handle, heif_decoding_options *options, bool has_alpha,
    bool is_deep, char *message, size_t message_size) {
    const sg_heif *heif = decoded->heif;
    heif_error error = {.code = UNSUPPORTED};
    if (is_deep && heif->image_handle_get_luma_bits_per_pixel(handle) > 8) {
        error = heif->decode_image(
            handle, &decoded->image, COLORSPACE_RGB, has_alpha ? CHROMA_DEEP_RGBA : CHROMA_DEEP_RGB, options);
        if (error.code == 0)
            decoded->bits = heif->image_get_bits_per_pixel_range(decoded->image, CHANNEL_INTERLEAVED);
    }
    // Not every conversion exists for more than 8 bits.
    if (error.code == UNSUPPORTED) {
        if (options->version >= 2) options->convert_hdr_to_8bit = 1;
        error = heif->decode_image(
            handle, &decoded->image, COLORSPACE_RGB, has_alpha ? CHROMA_RGBA : CHROMA_RGB, options);
        decoded->bits = 8;
    }
    return is_fine(error, message, message_size);
}

sg_heif_image *sg_heif_decode(
    const sg_heif *heif, const void *bytes, size_t size, int max_side, bool has_alpha, bool is_deep,
    char *message, size_t message_size) {
    sg_heif_image *decoded = calloc(1, sizeof *decoded);
    heif_context *context = heif->context_alloc();
    heif_decoding_options *options = heif->decoding_options_alloc();
    heif_image_handle *handle = NULL;
    snprintf(message, message_size, "out of memory");
    bool is_decoded = false;
    if (decoded && context && options) {
        decoded->heif = heif;
        heif->context_set_maximum_image_size_limit(context, max_side);
        options->ignore_transformations = 1;
        is_decoded =
            is_fine(heif->context_read_from_memory_without_copy(context, bytes, size, NULL), message, message_size)
            && is_fine(heif->context_get_primary_image_handle(context, &handle), message, message_size)
            && decode(decoded, handle, options, has_alpha, is_deep, message, message_size);
        if (is_decoded && heif->image_handle_is_premultiplied_alpha)
            decoded->is_premultiplied = has_alpha && heif->image_handle_is_premultiplied_alpha(handle);
    }
    if (handle) heif->image_handle_release(handle);
    if (options) heif->decoding_options_free(options);
    if (context) heif->context_free(context);
    if (is_decoded) return decoded;
    free(decoded);
    return NULL;
}

void sg_heif_image_destroy(sg_heif_image *image) {
    image->heif->image_release(image->image);
    free(image);
}

const uint8_t *sg_heif_pixels(const sg_heif_image *image, int *width, int *height, int *stride) {
    *width = image->heif->image_get_width(image->image, CHANNEL_INTERLEAVED);
    *height = image->heif->image_get_height(image->image, CHANNEL_INTERLEAVED);
    return image->heif->image_get_plane_readonly(image->image, CHANNEL_INTERLEAVED, stride);
}

int sg_heif_bits(const sg_heif_image *image) { return image->bits; }

bool sg_heif_is_premultiplied(const sg_heif_image *image) { return image->is_premultiplied; }
