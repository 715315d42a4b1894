#include "spyglass_png.h"
