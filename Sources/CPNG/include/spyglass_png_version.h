#ifndef SPYGLASS_PNG_VERSION_H
#define SPYGLASS_PNG_VERSION_H

#pragma clang assume_nonnull begin

/// png_get_libpng_ver: the version of the library that runs. Lives for ever.
const char *sg_png_library_version(void);

#pragma clang assume_nonnull end

#endif
