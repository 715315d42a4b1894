#include "spyglass_tiff.h"

#include <spyglass_library.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// MARK: Declarations of tiff.h and tiffio.h

typedef struct tiff TIFF;
typedef struct open_options TIFFOpenOptions;
typedef void *handle;
typedef ptrdiff_t (*read_proc)(handle, void *, ptrdiff_t);
typedef uint64_t (*seek_proc)(handle, uint64_t, int);
typedef int (*close_proc)(handle);
typedef uint64_t (*size_proc)(handle);
typedef int (*map_proc)(handle, void **, uint64_t *);
typedef void (*unmap_proc)(handle, void *, uint64_t);
typedef int (*error_handler_r)(TIFF *, void *user, const char *module, const char *format, va_list);
typedef void (*error_handler)(const char *module, const char *format, va_list);

enum {
    TAG_WIDTH = 256, TAG_HEIGHT = 257, TAG_BITS = 258, TAG_COMPRESSION = 259, TAG_PHOTOMETRIC = 262,
    TAG_ORIENTATION = 274, TAG_SAMPLES = 277, TAG_ROWS_PER_STRIP = 278, TAG_PLANES = 284, TAG_COLOR_MAP = 320,
    TAG_TILE_WIDTH = 322, TAG_TILE_HEIGHT = 323, TAG_EXTRA_SAMPLES = 338, TAG_SAMPLE_FORMAT = 339,
    TAG_JPEG_COLOR_MODE = 65538,
    COMPRESSION_JPEG = 7, PHOTOMETRIC_RGB = 2, PHOTOMETRIC_YCBCR = 6, PLANES_SEPARATE = 2, TOP_LEFT = 1,
};

struct sg_tiff {
    TIFF *(*ClientOpen)(
        const char *, const char *, handle, read_proc, read_proc, seek_proc, close_proc, size_proc, map_proc,
        unmap_proc);
    void (*Close)(TIFF *);
    error_handler (*SetErrorHandler)(error_handler);
    error_handler (*SetWarningHandler)(error_handler);
    int (*GetFieldDefaulted)(TIFF *, uint32_t tag, ...);
    int (*SetField)(TIFF *, uint32_t tag, ...);
    int (*SetSubDirectory)(TIFF *, uint64_t offset);
    int (*IsTiled)(TIFF *);
    ptrdiff_t (*ScanlineSize)(TIFF *);
    ptrdiff_t (*TileSize)(TIFF *);
    int (*ReadScanline)(TIFF *, void *, uint32_t row, uint16_t sample);
    uint32_t (*ComputeTile)(TIFF *, uint32_t x, uint32_t y, uint32_t z, uint16_t sample);
    ptrdiff_t (*ReadEncodedTile)(TIFF *, uint32_t tile, void *, ptrdiff_t);
    uint32_t (*ComputeStrip)(TIFF *, uint32_t row, uint16_t sample);
    ptrdiff_t (*ReadEncodedStrip)(TIFF *, uint32_t strip, void *, ptrdiff_t);
    int (*RGBAImageOK)(TIFF *, char message[1024]);
    int (*ReadRGBAImageOriented)(TIFF *, uint32_t width, uint32_t height, uint32_t *, int orientation, int stop_on_error);
    int (*ReadRGBAStripExt)(TIFF *, uint32_t row, uint32_t *, int stop_on_error);
    int (*ReadRGBATileExt)(TIFF *, uint32_t x, uint32_t y, uint32_t *, int stop_on_error);
    const char *(*GetVersion)(void);
    // From 4.5 on.
    TIFF *(*ClientOpenExt)(
        const char *, const char *, handle, read_proc, read_proc, seek_proc, close_proc, size_proc, map_proc,
        unmap_proc, TIFFOpenOptions *);
    TIFFOpenOptions *(*OpenOptionsAlloc)(void);
    void (*OpenOptionsFree)(TIFFOpenOptions *);
    void (*OpenOptionsSetMaxSingleMemAlloc)(TIFFOpenOptions *, ptrdiff_t);
    void (*OpenOptionsSetErrorHandlerExtR)(TIFFOpenOptions *, error_handler_r, void *);
    void (*OpenOptionsSetWarningHandlerExtR)(TIFFOpenOptions *, error_handler_r, void *);
};

struct sg_tiff_file {
    const sg_tiff *tiff;
    TIFF *handle;
    sg_tiff_reader read;
    void *context;
    uint64_t size, position;
    size_t errors;
    char message[256];
};

// MARK: The library

#define FUNCTION(member) SG_FUNCTION(sg_tiff, "TIFF", member)
#define OPTIONAL(member) SG_OPTIONAL(sg_tiff, "TIFF", member)
static const sg_function functions[] = {
    FUNCTION(ClientOpen), FUNCTION(Close), FUNCTION(SetErrorHandler), FUNCTION(SetWarningHandler),
    FUNCTION(GetFieldDefaulted), FUNCTION(SetField), FUNCTION(IsTiled), FUNCTION(ScanlineSize), FUNCTION(TileSize),
    FUNCTION(ReadScanline), FUNCTION(ComputeTile), FUNCTION(ReadEncodedTile), FUNCTION(ComputeStrip),
    FUNCTION(ReadEncodedStrip), FUNCTION(RGBAImageOK),
    FUNCTION(SetSubDirectory), FUNCTION(ReadRGBAImageOriented), FUNCTION(ReadRGBAStripExt), FUNCTION(ReadRGBATileExt),
    FUNCTION(GetVersion), OPTIONAL(ClientOpenExt), OPTIONAL(OpenOptionsAlloc), OPTIONAL(OpenOptionsFree), OPTIONAL(OpenOptionsSetMaxSingleMemAlloc),
    OPTIONAL(OpenOptionsSetErrorHandlerExtR), OPTIONAL(OpenOptionsSetWarningHandlerExtR),
};

const sg_tiff *sg_tiff_open(const char *name) {
    sg_tiff *tiff = sg_library_open(name, functions, SG_COUNT(functions), sizeof *tiff, NULL, 0);
    if (!tiff) return NULL;
    bool has_options = tiff->OpenOptionsAlloc && tiff->OpenOptionsFree && tiff->OpenOptionsSetMaxSingleMemAlloc
        && tiff->OpenOptionsSetErrorHandlerExtR && tiff->OpenOptionsSetWarningHandlerExtR;
    if (!has_options) tiff->ClientOpenExt = NULL;
    return tiff;
}

const char *sg_tiff_version(const sg_tiff *tiff) { return tiff->GetVersion(); }

// MARK: Messages

static void note(sg_tiff_file *file, const char *format, va_list arguments) {
    if (file->errors++ == 0) vsnprintf(file->message, sizeof file->message, format, arguments);
}

static int on_error(TIFF *handle, void *user, const char *module, const char *format, va_list arguments) {
    (void)handle, (void)module;
    note(user, format, arguments);
    return 1;
}

// Most warnings concern tags. Those of fax decoders mean wrong rows; libjpeg warns of data that end early (tif_fax3.c, tif_jpeg.c).
static void note_warning(sg_tiff_file *file, const char *module, const char *format, va_list arguments) {
    if (!module) return;
    if (strncmp(module, "Fax", 3) == 0) return note(file, format, arguments);
    if (strcmp(module, "JPEGLib") != 0 && strcmp(module, "LibJpeg") != 0) return;
    char text[sizeof file->message];
    va_list copy;
    va_copy(copy, arguments);
    vsnprintf(text, sizeof text, format, copy);
    va_end(copy);
    if (strstr(text, "remature end")) note(file, format, arguments);
}

static int on_warning(TIFF *handle, void *user, const char *module, const char *format, va_list arguments) {
    (void)handle;
    note_warning(user, module, format, arguments);
    return 1;
}

// Before 4.5 handlers belong to the process: the file that this thread called the library for last.
static _Thread_local sg_tiff_file *current;

static TIFF *enter(sg_tiff_file *file) { return current = file, file->handle; }

static void on_any_error(const char *module, const char *format, va_list arguments) {
    (void)module;
    if (current) note(current, format, arguments);
}

static void on_any_warning(const char *module, const char *format, va_list arguments) {
    if (current) note_warning(current, module, format, arguments);
}

const char *sg_tiff_message(const sg_tiff_file *file) { return file->message; }
size_t sg_tiff_error_count(const sg_tiff_file *file) { return file->errors; }

// MARK: Files

static ptrdiff_t read_bytes(handle handle, void *buffer, ptrdiff_t size) {
    sg_tiff_file *file = handle;
    if (size <= 0) return 0;
    ptrdiff_t done = 0;
    while (done < size) {
        ptrdiff_t count = file->read(file->context, (char *)buffer + done, (size_t)(size - done), file->position);
        if (count < 0) return -1;
        if (count == 0) break;
        done += count;
        file->position += (uint64_t)count;
    }
    return done;
}

static ptrdiff_t write_bytes(handle handle, void *buffer, ptrdiff_t size) {
    (void)handle, (void)buffer, (void)size;
    return -1;
}

static uint64_t seek(handle handle, uint64_t offset, int whence) {
    sg_tiff_file *file = handle;
    uint64_t base = whence == SEEK_CUR ? file->position : whence == SEEK_END ? file->size : 0;
    if (__builtin_add_overflow(base, offset, &file->position)) file->position = UINT64_MAX;
    return file->position;
}

static int close_file(handle handle) { return (void)handle, 0; }
static uint64_t get_size(handle handle) { return ((sg_tiff_file *)handle)->size; }

sg_tiff_file *sg_tiff_file_open(
    const sg_tiff *tiff, sg_tiff_reader read, void *context, uint64_t size, uint64_t directory, size_t max_allocation,
    char *message, size_t message_size) {
    sg_tiff_file *file = calloc(1, sizeof *file);
    TIFFOpenOptions *options = tiff->ClientOpenExt ? tiff->OpenOptionsAlloc() : NULL;
    if (!file || (tiff->ClientOpenExt && !options)) {
        snprintf(message, message_size, "out of memory");
        free(file);
        if (options) tiff->OpenOptionsFree(options);
        return NULL;
    }
    *file = (sg_tiff_file){.tiff = tiff, .read = read, .context = context, .size = size};
    current = file;
    // 'm': do not map it.
    if (options) {
        tiff->OpenOptionsSetMaxSingleMemAlloc(options, max_allocation < PTRDIFF_MAX ? (ptrdiff_t)max_allocation : PTRDIFF_MAX);
        tiff->OpenOptionsSetErrorHandlerExtR(options, on_error, file);
        tiff->OpenOptionsSetWarningHandlerExtR(options, on_warning, file);
        file->handle = tiff->ClientOpenExt(
            "TIFF", "rm", file, read_bytes, write_bytes, seek, close_file, get_size, NULL, NULL, options);
        tiff->OpenOptionsFree(options);
    } else {
        tiff->SetErrorHandler(on_any_error);
        tiff->SetWarningHandler(on_any_warning);
        file->handle = tiff->ClientOpen(
            "TIFF", "rm", file, read_bytes, write_bytes, seek, close_file, get_size, NULL, NULL);
    }
    if (file->handle && (directory == 0 || tiff->SetSubDirectory(file->handle, directory) == 1)) {
        // Errors in directories that could be read concern no pixels.
        file->errors = 0;
        return file;
    }
    snprintf(message, message_size, "%s", file->errors ? file->message : "not readable");
    sg_tiff_file_close(file);
    return NULL;
}

void sg_tiff_file_close(sg_tiff_file *file) {
    if (file->handle) file->tiff->Close(enter(file));
    current = NULL;
    free(file);
}

// MARK: Layout

void sg_tiff_size(sg_tiff_file *file, uint32_t *width, uint32_t *height) {
    *width = *height = 0;
    file->tiff->GetFieldDefaulted(enter(file), TAG_WIDTH, width);
    file->tiff->GetFieldDefaulted(enter(file), TAG_HEIGHT, height);
}

void sg_tiff_layout_read(sg_tiff_file *file, sg_tiff_layout *layout) {
    const sg_tiff *tiff = file->tiff;
    TIFF *handle = enter(file);
    uint16_t compression = 0, planes = 0, *extras = NULL;
    memset(layout, 0, sizeof *layout);
    sg_tiff_size(file, &layout->width, &layout->height);
    tiff->GetFieldDefaulted(handle, TAG_BITS, &layout->bits);
    tiff->GetFieldDefaulted(handle, TAG_SAMPLES, &layout->samples);
    tiff->GetFieldDefaulted(handle, TAG_PHOTOMETRIC, &layout->photometric);
    tiff->GetFieldDefaulted(handle, TAG_COMPRESSION, &compression);
    tiff->GetFieldDefaulted(handle, TAG_PLANES, &planes);
    tiff->GetFieldDefaulted(handle, TAG_SAMPLE_FORMAT, &layout->sample_format);
    tiff->GetFieldDefaulted(handle, TAG_ROWS_PER_STRIP, &layout->rows_per_strip);
    if (tiff->GetFieldDefaulted(handle, TAG_EXTRA_SAMPLES, &layout->extra_samples, &extras)
        && layout->extra_samples > 0 && extras)
        layout->first_extra = extras[0];
    layout->is_separate = planes == PLANES_SEPARATE;
    layout->is_tiled = tiff->IsTiled(handle);
    if (layout->is_tiled) {
        tiff->GetFieldDefaulted(handle, TAG_TILE_WIDTH, &layout->tile_width);
        tiff->GetFieldDefaulted(handle, TAG_TILE_HEIGHT, &layout->tile_height);
    }
    tiff->SetField(handle, TAG_ORIENTATION, TOP_LEFT);
    if (compression == COMPRESSION_JPEG && layout->photometric == PHOTOMETRIC_YCBCR && !layout->is_separate) {
        tiff->SetField(handle, TAG_JPEG_COLOR_MODE, 1);
        layout->photometric = PHOTOMETRIC_RGB;
    }
    ptrdiff_t row_size = tiff->ScanlineSize(handle), tile_size = layout->is_tiled ? tiff->TileSize(handle) : 0;
    layout->row_size = row_size > 0 ? (size_t)row_size : 0;
    layout->tile_size = tile_size > 0 ? (size_t)tile_size : 0;
}

bool sg_tiff_palette(sg_tiff_file *file, const uint16_t **red, const uint16_t **green, const uint16_t **blue) {
    *red = *green = *blue = NULL;
    return file->tiff->GetFieldDefaulted(enter(file), TAG_COLOR_MAP, red, green, blue) && *red && *green && *blue;
}

// MARK: Pixels

bool sg_tiff_read_row(sg_tiff_file *file, void *buffer, uint32_t row) {
    return file->tiff->ReadScanline(enter(file), buffer, row, 0) == 1;
}

bool sg_tiff_read_part(sg_tiff_file *file, void *buffer, size_t size, uint32_t x, uint32_t y, uint16_t plane) {
    const sg_tiff *tiff = file->tiff;
    TIFF *handle = enter(file);
    ptrdiff_t count = tiff->IsTiled(handle)
        ? tiff->ReadEncodedTile(handle, tiff->ComputeTile(handle, x, y, 0, plane), buffer, (ptrdiff_t)size)
        : tiff->ReadEncodedStrip(handle, tiff->ComputeStrip(handle, y, plane), buffer, (ptrdiff_t)size);
    return count == (ptrdiff_t)size;
}

bool sg_tiff_can_convert(sg_tiff_file *file, char *message) {
    return file->tiff->RGBAImageOK(enter(file), message) == 1;
}

bool sg_tiff_convert(sg_tiff_file *file, uint32_t width, uint32_t height, uint32_t *raster) {
    return file->tiff->ReadRGBAImageOriented(enter(file), width, height, raster, TOP_LEFT, 1) == 1;
}

bool sg_tiff_convert_strip(sg_tiff_file *file, uint32_t row, uint32_t *raster) {
    return file->tiff->ReadRGBAStripExt(enter(file), row, raster, 1) == 1;
}

bool sg_tiff_convert_tile(sg_tiff_file *file, uint32_t x, uint32_t y, uint32_t *raster) {
    return file->tiff->ReadRGBATileExt(enter(file), x, y, raster, 1) == 1;
}
