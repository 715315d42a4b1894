#ifndef SPYGLASS_JPEG_VERSION_H
#define SPYGLASS_JPEG_VERSION_H

#pragma clang assume_nonnull begin

/// LIBJPEG_TURBO_VERSION of the headers this was compiled with; the library itself does not tell. Lives for ever.
const char *sg_jpeg_library_version(void);

#pragma clang assume_nonnull end

#endif
