#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The functions of libtiff, found in the opened library. Immutable, never freed.
///
/// Needs no header: tiff.c has the few prototypes and constants, which libtiff keeps stable since 4.0.10 (2018).
typedef struct sg_tiff sg_tiff;
/// An opened file; not thread-safe.
typedef struct sg_tiff_file sg_tiff_file;

/// Reads up to `size` bytes at `offset`; returns fewer at the end, -1 if it fails.
typedef ptrdiff_t (*sg_tiff_reader)(void *context, void *buffer, size_t size, uint64_t offset);
/// Opens the library (`dlopen`) and finds its functions (`dlsym`); `NULL` if one is missing.
const sg_tiff *_Nullable sg_tiff_open(const char *name);
/// `TIFFGetVersion`, of several lines.
const char *sg_tiff_version(const sg_tiff *tiff);
/// Reads the first directory (`TIFFClientOpen`), or the one at the offset `directory` unless that is 0 (`TIFFSetSubDirectory`).
/// Returns `NULL` with the library's message in `message` if it cannot. From 4.5 on, limits each allocation to `max_allocation`
/// bytes.
sg_tiff_file *_Nullable sg_tiff_file_open(
    const sg_tiff *tiff, sg_tiff_reader read, void *context, uint64_t size, uint64_t directory, size_t max_allocation,
    char *message, size_t message_size);
void sg_tiff_file_close(sg_tiff_file *file);
/// The first message that pixels are missing or wrong, and how many there were.
const char *sg_tiff_message(const sg_tiff_file *file);
size_t sg_tiff_error_count(const sg_tiff_file *file);

/// The layout as the library reads it; missing tags have their defaults.
typedef struct {
    uint32_t width, height, tile_width, tile_height, rows_per_strip;
    uint16_t bits, samples, photometric, is_separate, sample_format;
    uint16_t extra_samples, first_extra;
    bool is_tiled;
    size_t row_size, tile_size;
} sg_tiff_layout;

/// Makes JPEG data RGB where it is YCbCr (`TIFFTAG_JPEGCOLORMODE`), and rows be those stored, whatever the orientation.
void sg_tiff_layout_read(sg_tiff_file *file, sg_tiff_layout *layout);
/// The three columns of a palette (`TIFFTAG_COLORMAP`), 2^bits entries of 16 bits each.
bool sg_tiff_palette(
    sg_tiff_file *file, const uint16_t *_Nullable *_Nonnull red, const uint16_t *_Nullable *_Nonnull green,
    const uint16_t *_Nullable *_Nonnull blue);

/// `TIFFReadScanline`: rows in order; `buffer` has `row_size` bytes.
bool sg_tiff_read_row(sg_tiff_file *file, void *buffer, uint32_t row);
/// `TIFFReadEncodedTile`, `TIFFReadEncodedStrip` of the tile or strip at a pixel, of one plane if they are separate; false if it
/// has less than `size` bytes.
bool sg_tiff_read_part(sg_tiff_file *file, void *buffer, size_t size, uint32_t x, uint32_t y, uint16_t plane);
/// The size that the library has read; 0 where there is none.
void sg_tiff_size(sg_tiff_file *file, uint32_t *width, uint32_t *height);
/// `TIFFReadRGBAImageOriented`: the whole image as premultiplied RGBA, the highest row first.
bool sg_tiff_convert(sg_tiff_file *file, uint32_t width, uint32_t height, uint32_t *raster);
/// `TIFFRGBAImageOK`; the reason, of up to 1024 bytes, in `message`.
bool sg_tiff_can_convert(sg_tiff_file *file, char *message);
/// `TIFFReadRGBAStripExt`, `TIFFReadRGBATileExt`: premultiplied RGBA, the lowest row first. `raster` has room for `width` times
/// `rows_per_strip` pixels, or those of a tile.
bool sg_tiff_convert_strip(sg_tiff_file *file, uint32_t row, uint32_t *raster);
bool sg_tiff_convert_tile(sg_tiff_file *file, uint32_t x, uint32_t y, uint32_t *raster);

#pragma clang assume_nonnull end
