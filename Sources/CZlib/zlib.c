#include "spyglass_zlib.h"
